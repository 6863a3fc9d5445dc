#include "coll/registry.hpp"

#include <iterator>

#include "coll/algorithms.hpp"
#include "coll/selection.hpp"

namespace oshen::coll {
namespace {

constexpr const char* kind_names[kinds] = {"sync",      "broadcast", "collect", "fcollect", "alltoall",
                                           "alltoalls", "reduce",    "inscan",  "exscan"};

// A list of constants would need the definitions of other files at compile time; pointers do not.
constexpr const algorithm* const all[] = {
    &shared_sync, &dissemination_sync, &central_sync, &tree_sync, &tournament_sync, &message_sync, &hierarchical_sync,
    &board_broadcast, &push_broadcast, &pull_broadcast,
    &binomial_put_broadcast, &binomial_message_broadcast, &binomial_pull_broadcast,
    &hierarchical_put_broadcast, &hierarchical_message_broadcast, &hierarchical_pull_broadcast,
    &push_collect,
    &board_fcollect, &push_fcollect,
    &board_alltoall, &push_alltoall,
    &push_alltoalls,
    &board_reduce, &owner_reduce,
    &linear_put_reduce, &linear_message_reduce, &linear_pull_reduce,
    &tree_put_reduce, &tree_message_reduce, &tree_pull_reduce,
    &doubling_put_reduce, &doubling_message_reduce, &doubling_pull_reduce,
    &rabenseifner_put_reduce, &rabenseifner_message_reduce, &rabenseifner_pull_reduce,
    &ring_put_reduce, &ring_message_reduce, &ring_pull_reduce,
    &hierarchical_put_reduce, &hierarchical_message_reduce, &hierarchical_pull_reduce,
    &board_inscan, &owner_inscan,
    &linear_put_inscan, &linear_message_inscan, &linear_pull_inscan,
    &hillis_steele_put_inscan, &hillis_steele_message_inscan, &hillis_steele_pull_inscan,
    &blelloch_put_inscan, &blelloch_message_inscan, &blelloch_pull_inscan,
    &board_exscan, &owner_exscan,
    &linear_put_exscan, &linear_message_exscan, &linear_pull_exscan,
    &hillis_steele_put_exscan, &hillis_steele_message_exscan, &hillis_steele_pull_exscan,
    &blelloch_put_exscan, &blelloch_message_exscan, &blelloch_pull_exscan,
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

void run(kind k, const task& job) {
  if (job.elements == 0 && k != kind::collect) return;  // on every PE; dest and source may be null
  begin_collective(job.members, job.routine);
  algorithm_for(job.members, k, size_class(job.bytes())).run(job);
}

void sync_team(team& t, const char* routine) {
  algorithm_for(t, kind::sync, 0).run(task{.members = t, .routine = routine});
}

}  // namespace oshen::coll
