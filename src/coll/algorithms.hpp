// Every algorithm there is. A new one: a file, a line here, a line in registry.cpp.
#pragma once

#include "coll/registry.hpp"

namespace oshen::coll {

extern const algorithm shared_sync, dissemination_sync, central_sync, tree_sync, tournament_sync, message_sync, hierarchical_sync;
extern const algorithm board_broadcast, push_broadcast, pull_broadcast, share_broadcast;
extern const algorithm binomial_put_broadcast, binomial_message_broadcast, binomial_pull_broadcast;
extern const algorithm hierarchical_put_broadcast, hierarchical_message_broadcast, hierarchical_pull_broadcast;
extern const algorithm linear_put_broadcast, linear_message_broadcast, linear_pull_broadcast;
extern const algorithm knomial_put_broadcast, knomial_message_broadcast, knomial_pull_broadcast;
extern const algorithm scatter_allgather_put_broadcast, scatter_allgather_message_broadcast, scatter_allgather_pull_broadcast;
extern const algorithm chain_put_broadcast, chain_message_broadcast, chain_pull_broadcast;
extern const algorithm board_collect, push_collect;
extern const algorithm linear_put_collect, linear_message_collect, linear_pull_collect;
extern const algorithm ring_put_collect, ring_message_collect, ring_pull_collect;
extern const algorithm bruck_put_collect, bruck_message_collect, bruck_pull_collect;
extern const algorithm doubling_put_collect, doubling_message_collect, doubling_pull_collect;
extern const algorithm neighbour_put_collect, neighbour_message_collect, neighbour_pull_collect;
extern const algorithm board_fcollect, push_fcollect;
extern const algorithm linear_put_fcollect, linear_message_fcollect, linear_pull_fcollect;
extern const algorithm ring_put_fcollect, ring_message_fcollect, ring_pull_fcollect;
extern const algorithm bruck_put_fcollect, bruck_message_fcollect, bruck_pull_fcollect;
extern const algorithm doubling_put_fcollect, doubling_message_fcollect, doubling_pull_fcollect;
extern const algorithm neighbour_put_fcollect, neighbour_message_fcollect, neighbour_pull_fcollect;
extern const algorithm board_alltoall, push_alltoall;
extern const algorithm linear_put_alltoall, linear_message_alltoall, linear_pull_alltoall;
extern const algorithm pairwise_put_alltoall, pairwise_message_alltoall, pairwise_pull_alltoall;
extern const algorithm xor_put_alltoall, xor_message_alltoall, xor_pull_alltoall;
extern const algorithm bruck_put_alltoall, bruck_message_alltoall, bruck_pull_alltoall;
extern const algorithm push_alltoalls;
extern const algorithm linear_put_alltoalls, linear_message_alltoalls, linear_pull_alltoalls;
extern const algorithm pairwise_put_alltoalls, pairwise_message_alltoalls, pairwise_pull_alltoalls;
extern const algorithm board_reduce, owner_reduce;
extern const algorithm linear_put_reduce, linear_message_reduce, linear_pull_reduce;
extern const algorithm tree_put_reduce, tree_message_reduce, tree_pull_reduce;
extern const algorithm doubling_put_reduce, doubling_message_reduce, doubling_pull_reduce;
extern const algorithm rabenseifner_put_reduce, rabenseifner_message_reduce, rabenseifner_pull_reduce;
extern const algorithm ring_put_reduce, ring_message_reduce, ring_pull_reduce;
extern const algorithm hierarchical_put_reduce, hierarchical_message_reduce, hierarchical_pull_reduce;
extern const algorithm board_inscan, owner_inscan;
extern const algorithm linear_put_inscan, linear_message_inscan, linear_pull_inscan;
extern const algorithm hillis_steele_put_inscan, hillis_steele_message_inscan, hillis_steele_pull_inscan;
extern const algorithm blelloch_put_inscan, blelloch_message_inscan, blelloch_pull_inscan;
extern const algorithm board_exscan, owner_exscan;
extern const algorithm linear_put_exscan, linear_message_exscan, linear_pull_exscan;
extern const algorithm hillis_steele_put_exscan, hillis_steele_message_exscan, hillis_steele_pull_exscan;
extern const algorithm blelloch_put_exscan, blelloch_message_exscan, blelloch_pull_exscan;
extern const algorithm pull_alltoallv, push_alltoallv;
extern const algorithm board_gather, push_gather, linear_put_gather, linear_message_gather, linear_pull_gather;
extern const algorithm pull_gatherv, push_gatherv;
extern const algorithm board_scatter, push_scatter, pull_scatter;
extern const algorithm linear_put_scatter, linear_message_scatter, linear_pull_scatter;
extern const algorithm pull_scatterv, push_scatterv;
extern const algorithm board_reduce_to_root, linear_reduce_to_root, owner_reduce_to_root;
extern const algorithm linear_put_reduce_to_root, linear_message_reduce_to_root;
extern const algorithm board_reduce_scatter, owner_reduce_scatter;

}  // namespace oshen::coll
