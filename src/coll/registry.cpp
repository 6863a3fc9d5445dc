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
    &shared_sync, &dissemination_sync, &central_sync, &tree_sync, &tournament_sync, &message_sync, &hierarchical_sync,
    &board_broadcast, &push_broadcast, &pull_broadcast, &share_broadcast,
    &binomial_put_broadcast, &binomial_message_broadcast, &binomial_pull_broadcast,
    &hierarchical_put_broadcast, &hierarchical_message_broadcast, &hierarchical_pull_broadcast,
    &linear_put_broadcast, &linear_message_broadcast, &linear_pull_broadcast,
    &knomial_put_broadcast, &knomial_message_broadcast, &knomial_pull_broadcast,
    &scatter_allgather_put_broadcast, &scatter_allgather_message_broadcast, &scatter_allgather_pull_broadcast,
    &chain_put_broadcast, &chain_message_broadcast, &chain_pull_broadcast,
    &board_collect, &push_collect,
    &linear_put_collect, &linear_message_collect, &linear_pull_collect,
    &ring_put_collect, &ring_message_collect, &ring_pull_collect,
    &bruck_put_collect, &bruck_message_collect, &bruck_pull_collect,
    &doubling_put_collect, &doubling_message_collect, &doubling_pull_collect,
    &neighbour_put_collect, &neighbour_message_collect, &neighbour_pull_collect,
    &board_fcollect, &push_fcollect,
    &linear_put_fcollect, &linear_message_fcollect, &linear_pull_fcollect,
    &ring_put_fcollect, &ring_message_fcollect, &ring_pull_fcollect,
    &bruck_put_fcollect, &bruck_message_fcollect, &bruck_pull_fcollect,
    &doubling_put_fcollect, &doubling_message_fcollect, &doubling_pull_fcollect,
    &neighbour_put_fcollect, &neighbour_message_fcollect, &neighbour_pull_fcollect,
    &board_alltoall, &push_alltoall,
    &linear_put_alltoall, &linear_message_alltoall, &linear_pull_alltoall,
    &pairwise_put_alltoall, &pairwise_message_alltoall, &pairwise_pull_alltoall,
    &xor_put_alltoall, &xor_message_alltoall, &xor_pull_alltoall,
    &bruck_put_alltoall, &bruck_message_alltoall, &bruck_pull_alltoall,
    &push_alltoalls,
    &linear_put_alltoalls, &linear_message_alltoalls, &linear_pull_alltoalls,
    &pairwise_put_alltoalls, &pairwise_message_alltoalls, &pairwise_pull_alltoalls,
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
    &pull_alltoallv, &push_alltoallv,
    &board_gather, &push_gather, &linear_put_gather, &linear_message_gather, &linear_pull_gather,
    &pull_gatherv, &push_gatherv,
    &board_scatter, &push_scatter, &pull_scatter,
    &linear_put_scatter, &linear_message_scatter, &linear_pull_scatter,
    &pull_scatterv, &push_scatterv,
    &board_reduce_to_root, &linear_reduce_to_root, &owner_reduce_to_root,
    &linear_put_reduce_to_root, &linear_message_reduce_to_root,
    &board_reduce_scatter, &owner_reduce_scatter,
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
