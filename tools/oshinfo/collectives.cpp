// The algorithms of the collectives, and the selection among them. The selection code of the library runs here, for a
// team that is never formed.
#include <algorithm>
#include <memory>

#include "base/settings.hpp"
#include "coll/select/selection.hpp"
#include "os/user_cache.hpp"
#include "oshinfo/sections.hpp"
#include "shared/cpus.hpp"

namespace oshinfo {
namespace {

using namespace oshen;

using tuning_pointer = std::unique_ptr<coll::tuning_rules, decltype(&std::free)>;

std::size_t smallest_of(int size_class) { return size_class == 0 ? 0 : coll::largest_of(size_class - 1) + 1; }

// The range of sizes (bytes of one PE) for which the algorithm can run, or null.
json sizes_of(const coll::algorithm& row, coll::team_shape s) {
  int first = -1, last = -1;
  for (int size = 0; size < size_classes; ++size) {
    s.bytes = coll::largest_of(size);
    if (!coll::can_do(row, s)) continue;
    if (first < 0) first = size;
    last = size;
  }
  if (first < 0) return nullptr;
  const bool open = last == size_classes - 1;
  return {{"from", smallest_of(first)}, {"to", open ? json(nullptr) : json(coll::largest_of(last))}};
}

json algorithms_of(coll::kind kind, const coll::team_shape& s) {
  json rows = json::array();
  for (const coll::algorithm* one : coll::registry())
    if (one->collective == kind)
      rows.push_back({{"name", one->name},
                      {"design", name_of(one->protocol)},
                      {"about", one->about},
                      {"needs", one->needs},
                      {"steps", one->steps},
                      {"traffic", one->traffic},
                      {"paper", one->paper},
                      {"sizes", sizes_of(*one, s)}});
  return rows;
}

std::string reason_of(const coll::selection& c, coll::kind kind, const coll::tuning_rules& wanted) {
  switch (c.why) {
    case coll::reason::setting: return coll::setting_name(kind).text;
    case coll::reason::machine_file: return std::string(wanted.machine_file) + ':' + std::to_string(c.line);
    case coll::reason::tuning_file: return std::string(wanted.file) + ':' + std::to_string(c.line);
    case coll::reason::model: break;
  }
  return "";
}

// The selected algorithm for each range of sizes. Adjacent size classes with the same algorithm and the same source of
// the choice are one range. `to` is null in the last range.
json choices_of(coll::kind kind, coll::team_shape s, const coll::tuning_rules& wanted) {
  json ranges = json::array();
  for (int size = 0; size < size_classes; ++size) {
    s.bytes = coll::largest_of(size);
    const coll::selection c = coll::choose(kind, s, &wanted);
    const json next = {{"from", smallest_of(size)},
                       {"to", nullptr},
                       {"name", coll::registry()[static_cast<std::size_t>(c.algorithm_index)]->name},
                       {"why", name_of(c.why)},
                       {"source", reason_of(c, kind, wanted)}};
    if (!ranges.empty() && ranges.back()["name"] == next["name"] && ranges.back()["source"] == next["source"]) continue;
    if (!ranges.empty()) ranges.back()["to"] = smallest_of(size) - 1;
    ranges.push_back(next);
  }
  return ranges;
}

json cost_parameters(const coll::team_shape& s) {
  return {{"cpus", s.on.cpus},
          {"line_ns", s.on.line_ns},
          {"copy_ns", s.on.copy_ns},
          {"switch_ns", s.on.switch_ns},
          {"network_ns", s.on.network_ns},
          {"network_message_ns", s.on.network_message_ns},
          {"network_byte_ns", s.on.network_byte_ns}};
}

// The path of the tuning file for this machine, and whether that file was read.
json machine_file(const coll::tuning_rules& wanted) {
  char path[sizeof wanted.machine_file];
  if (!os::user_cache_file("tuning", path, sizeof path)) return nullptr;
  return {{"path", path}, {"used", *wanted.machine_file != '\0'}};
}

}  // namespace

json selection(int n_pes) {
  oshen::settings config;
  coll::tuning_rules* read = nullptr;
  if (failed(read_settings(config)) || failed(coll::read_tuning(read))) return nullptr;
  const tuning_pointer wanted(read, &std::free);
  const int cpus = oshrun::usable_cpus().count();
  // The team is on one node, or on virtual nodes of `node_pes` PEs each.
  const bool spans = config.node_pes > 0 && config.node_pes < n_pes;
  const int domain = spans ? config.node_pes : config.coll_domain > 0 ? std::min(config.coll_domain, n_pes) : n_pes;
  coll::team_shape s{.n_pes = n_pes,
                     .bytes = 0,
                     .cpu_for_each = n_pes <= cpus,
                     .spans = spans,
                     .domains = (n_pes + domain - 1) / domain,
                     .domain = domain,
                     .on = wanted->here};
  s.on.cpus = cpus;
  json rows = json::array();
  for (int i = 0; i < coll::kinds; ++i) {
    const auto kind = static_cast<coll::kind>(i);
    rows.push_back({{"collective", coll::name_of(kind)},
                    {"setting", coll::setting_name(kind).text},
                    {"algorithms", algorithms_of(kind, s)},
                    {"chosen", choices_of(kind, s, *wanted)}});
  }
  return {{"n_pes", n_pes},
          {"cpu_for_each", s.cpu_for_each},
          {"tuning_file", *wanted->file != '\0' ? json(wanted->file) : json(nullptr)},
          {"machine_file", machine_file(*wanted)},
          {"cost_parameters", cost_parameters(s)},
          {"collectives", rows}};
}

}  // namespace oshinfo
