// Strided all-to-all: every PE writes its elements into their places in every dest, then all meet.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"
#include "coll/protocol/strided.hpp"

namespace oshen::coll {
namespace {

void run_push(const task& job) {
  team& t = job.members;
  const auto dest_block = static_cast<std::size_t>(job.dest_stride) * job.bytes();
  const auto source_block = static_cast<std::size_t>(job.source_stride) * job.bytes();
  char* place = job.dest + static_cast<std::size_t>(t.my_pe) * dest_block;
  for (int i = 0; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    copy_elements(at_pe(t, pe, place), job.source + static_cast<std::size_t>(pe) * source_block, job.dest_stride,
                  job.source_stride, job.elements, job.element_bytes);
  }
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  return sync_cost(s) + lines(s, 2) + copies(s, 2 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_alltoalls{
    .collective = kind::alltoalls,
    .name = "push",
    .how = design::single_copy,
    .about = "every PE writes each element where it belongs; ends with a sync",
    .steps = "1 + sync",
    .traffic = "a sync; n (n - 1) b copied",
    .cost = cost,
    .run = run_push};

}  // namespace oshen::coll
