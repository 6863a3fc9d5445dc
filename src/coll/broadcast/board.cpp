// A message that fits into a bulletin: the root posts it and leaves; one cache-line transfer.
#include "coll/algorithms.hpp"
#include "coll/reach.hpp"

namespace oshen::coll {
namespace {

void run_board(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  if (t.my_pe == job.root) {
    post(t, 0, job.source, bytes);
    if (!job.root_keeps_dest) memmove(job.dest, job.source, bytes);
    return;
  }
  memcpy(job.dest, await(job, job.root).payload, bytes);
}

double cost(const setting& s) { return s.bytes <= bulletin_payload ? 100 + 5.0 * s.n_pes : impossible; }

}  // namespace

constexpr algorithm board_broadcast{
    kind::broadcast, "board", "one-sided", "the message travels in the root's bulletin", "at most 112 bytes",
    cost, run_board};

}  // namespace oshen::coll
