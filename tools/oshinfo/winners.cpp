// The teams and sizes for which the cost model selects an algorithm, for docs/algorithms.md. It uses the default
// parameters of the model, so the page is the same on every machine.
#include <algorithm>

#include "coll/select/selection.hpp"
#include "oshinfo/sections.hpp"

namespace oshinfo {
namespace {

using namespace oshen;

constexpr int team_sizes[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
constexpr int few_cpus = 16;

struct situation {
  const char* name;
  bool cpu_for_each;
  bool spans;
  int domain;
};
constexpr situation situations[] = {{"one CPU per PE", true, false, 1},
                                    {"16 CPUs", false, false, 1},
                                    {"nodes of one PE", true, true, 1},
                                    {"nodes of 8 PEs", true, true, 8}};

// The bounds of all team sizes and size classes for which an algorithm is selected.
struct bounds {
  int least_pes = 0, most_pes = 0, first_size = size_classes, last_size = 0;

  void add(int n_pes, int size) {
    if (least_pes == 0) least_pes = n_pes;
    most_pes = n_pes;
    first_size = std::min(first_size, size);
    last_size = std::max(last_size, size);
  }
};

std::string text_of(const bounds& b) {
  std::string text = std::to_string(b.least_pes);
  if (b.most_pes > b.least_pes) text += " to " + std::to_string(b.most_pes);
  text += " PEs";
  if (b.first_size > 0) text += ", above " + bytes_text(coll::largest_of(b.first_size - 1));
  if (b.last_size < size_classes - 1) text += ", up to " + bytes_text(coll::largest_of(b.last_size));
  return text;
}

bounds bounds_of(int row, coll::kind kind, const situation& where) {
  bounds all;
  for (const int n_pes : team_sizes) {
    if ((!where.cpu_for_each && n_pes <= few_cpus) || n_pes <= where.domain) continue;
    coll::team_shape s{.n_pes = n_pes,
                       .bytes = 0,
                       .cpu_for_each = where.cpu_for_each,
                       .spans = where.spans,
                       .domains = where.spans ? (n_pes + where.domain - 1) / where.domain : 1,
                       .domain = where.domain};
    s.on.cpus = where.cpu_for_each ? n_pes : few_cpus;
    for (int size = 0; size < size_classes; ++size) {
      s.bytes = coll::largest_of(size);
      if (coll::choose(kind, s, nullptr).algorithm_index == row) all.add(n_pes, size);
    }
  }
  return all;
}

}  // namespace

std::string taken_by_model(const std::string& collective, const std::string& name) {
  std::string text;
  for (int i = 0; i < coll::kinds; ++i) {
    const auto kind = static_cast<coll::kind>(i);
    if (collective != name_of(kind)) continue;
    const int row = coll::find_algorithm(kind, name.c_str());
    for (const situation& where : situations)
      if (const bounds b = bounds_of(row, kind, where); b.least_pes != 0)
        text += (text.empty() ? "" : "; ") + std::string(where.name) + ": " + text_of(b);
  }
  return text;
}

}  // namespace oshinfo
