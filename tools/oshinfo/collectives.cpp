#include "coll/registry.hpp"

#include <cctype>
#include <memory>

#include "oshinfo/sections.hpp"
#include "oshrun/cpus.hpp"
#include "world/world.hpp"

namespace oshinfo {
namespace {

using namespace oshen;

json algorithms_of(coll::kind kind) {
  json rows = json::array();
  for (const coll::algorithm* one : coll::registry())
    if (one->collective == kind)
      rows.push_back({{"name", one->name},
                      {"design", name_of(one->how)},
                      {"about", one->about},
                      {"needs", one->needs}});
  return rows;
}

std::string setting_of(coll::kind kind) {
  const bool scan = kind == coll::kind::inscan || kind == coll::kind::exscan;
  std::string name = scan ? "scan" : coll::name_of(kind);
  for (char& letter : name) letter = static_cast<char>(std::toupper(letter));
  return "OSHEN_COLL_" + name;
}

// Neighbouring size classes with the same choice as one range; `to` is null for the last.
json choices_of(coll::kind kind, const team& members) {
  const auto& chosen = members.chosen[static_cast<int>(kind)];
  json ranges = json::array();
  for (int size = 0; size < size_classes; ++size) {
    const char* name = coll::registry()[chosen[size]]->name;
    const std::size_t first = size == 0 ? 0 : (std::size_t{1} << (size - 1)) + 1;
    if (!ranges.empty() && ranges.back()["name"] == name) continue;
    if (!ranges.empty()) ranges.back()["to"] = first - 1;
    ranges.push_back({{"from", first}, {"to", nullptr}, {"name", name}});
  }
  return ranges;
}

}  // namespace

// The choice is made by the library itself, for a team that never runs.
json collectives(int n_pes) {
  const auto home = std::make_unique<world>();
  const auto members = std::make_unique<team>();
  home->waiting.cpu_for_each = n_pes <= oshrun::usable_cpus().count();
  members->home = home.get();
  members->n_pes = n_pes;
  if (!coll::choose_algorithms(*members)) return nullptr;
  json rows = json::array();
  for (int i = 0; i < coll::kinds; ++i) {
    const auto kind = static_cast<coll::kind>(i);
    rows.push_back({{"collective", coll::name_of(kind)},
                    {"setting", setting_of(kind)},
                    {"algorithms", algorithms_of(kind)},
                    {"chosen", choices_of(kind, *members)}});
  }
  return rows;
}

}  // namespace oshinfo
