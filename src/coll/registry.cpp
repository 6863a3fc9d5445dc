#include "coll/registry.hpp"

#include <iterator>

#include "coll/algorithms.hpp"
#include "coll/collect/counts.hpp"
#include "coll/selection.hpp"

namespace oshen::coll {
namespace {

constexpr const char* kind_names[kinds] = {"sync",      "broadcast", "collect", "fcollect", "alltoall",
                                           "alltoalls", "reduce",    "inscan",  "exscan",   "alltoallv",
                                           "gather",    "gatherv",   "scatter", "scatterv", "reduce_to_root",
                                           "reduce_scatter"};

// A list of constants would need the definitions of other files at compile time; pointers do not.
constexpr const algorithm* const all[] = {
#define ALGORITHM(row) &row,
#define SCHEDULE(schedule, collective) \
  &schedule##_put_##collective, &schedule##_message_##collective, &schedule##_pull_##collective,
#include "coll/algorithms.def"
#undef SCHEDULE
#undef ALGORITHM
};
static_assert(std::size(all) <= undecided);  // team::chosen

}  // namespace

const char* name_of(design d) {
  constexpr const char* names[designs] = {"one-sided", "two-sided", "single-copy"};
  return names[static_cast<int>(d)];
}

const char* name_of(kind k) { return kind_names[static_cast<int>(k)]; }

std::span<const algorithm* const> registry() { return all; }

// A bulletin is written again after `bulletin_lines` collectives. Between the two there is a sync, which every PE
// enters only when it has ended the earlier one: nobody still reads what is written over.
void begin_collective(team& t, const char* routine) {
  if (++t.collectives % bulletin_lines == 0) sync_team(t, routine);
}

void run(kind k, task& job) {
  // Nothing to do, on every PE; dest and source may be null.
  if (job.elements == 0 && k != kind::collect && !sizes_differ(k)) return;
  begin_collective(job.members, job.routine);
  std::size_t bytes = sizes_differ(k) ? usual_bytes : job.bytes();
  if (k == kind::collect) {
    bytes = exchange_counts(job);
    job.entered = true;
    if (bytes == 0) return;
  }
  algorithm_for(job.members, k, size_class(bytes)).run(job);
}

void sync_team(team& t, const char* routine) {
  algorithm_for(t, kind::sync, 0).run(task{.members = t, .routine = routine});
}

}  // namespace oshen::coll
