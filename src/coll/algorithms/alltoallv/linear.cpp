// Linear, as matched messages: every PE sends each block to its PE, which alone knows where it belongs, and takes what
// comes in no order. Nobody is told of positions, so there is nothing to wait for but the blocks.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/block_positions.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

void run_linear(const task& job) {
  const team& t = job.members;
  const std::size_t size = job.element_bytes;
  message_protocol protocol(job);
  for (const int pe : others_backwards(t))
    protocol.accept(pe, nullptr, job.dest + job.into.first[pe] * size, job.into.elements[pe] * size);
  for (const int pe : others(t))
    protocol.deposit(pe, job.source + job.from.first[pe] * size, nullptr, job.from.elements[pe] * size);
  copy_own_block(job);
  protocol.settle();
}

double cost(const setting& s) { return protocol_cost<message_protocol>(s, s.n_pes - 1, 1); }

}  // namespace

constexpr algorithm linear_message_alltoallv{
    .collective = kind::alltoallv, .name = "linear-message", .how = design::two_sided,
    .about = "every PE sends each block to its PE, and takes what comes in no order",
    .needs = "a workspace",
    .steps = "1", .traffic = "n (n - 1) messages, empty blocks too; every block once",
    .cost = cost, .run = run_linear};

}  // namespace oshen::coll
