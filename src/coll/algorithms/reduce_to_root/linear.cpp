// The root combines all sources, block by block. Its flag slot tells the other PEs that their sources have been read.
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {
namespace {

void run_linear(const collective_call& call) {
  team& t = call.members;
  if (t.my_pe != call.root) {
    post(t);
    await(call, call.root);
    return;
  }
  await_all(call);  // a source must not be read before its PE has entered
  combine_range(call, {0, call.elements}, [&](std::size_t offset, const char* sum, std::size_t bytes) {
    memcpy(call.dest + offset, sum, bytes);
  });
  post(t);
}

double cost(const team_shape& s) {
  return steps(s, 2) + lines(s, s.n_pes) + copies_alone(s, static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm linear_reduce_to_root{.collective = kind::reduce_to_root,
                                          .name = "linear",
                                          .protocol = protocol_kind::single_copy,
                                          .about = "the root combines all sources in place",
                                          .steps = "2",
                                          .traffic = "n flags; n b bytes read, all by the root",
                                          .cost = cost,
                                          .run = run_linear};

}  // namespace oshen::coll
