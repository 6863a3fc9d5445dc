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
    .collective = kind::broadcast,
    .name = "board",
    .how = design::one_sided,
    .about = "the message travels in the root's bulletin",
    .needs = "at most 112 bytes",
    .steps = "1",
    .traffic = "1 flag; n b copied",
    .cost = cost,
    .run = run_board};

}  // namespace oshen::coll
