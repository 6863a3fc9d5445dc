// Contributions that fit into a bulletin: everybody posts, everybody reads all; no acknowledgement.
#include "coll/algorithms.hpp"
#include "coll/reach.hpp"

namespace oshen::coll {
namespace {

void run_board(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  post(t, 0, job.source, bytes);
  memmove(job.dest + static_cast<std::size_t>(t.my_pe) * bytes, job.source, bytes);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    memcpy(job.dest + static_cast<std::size_t>(pe) * bytes, await(job, pe).payload, bytes);
  }
}

double cost(const setting& s) { return s.bytes <= bulletin_payload ? 100 + 30.0 * s.n_pes : impossible; }

}  // namespace

constexpr algorithm board_fcollect{
    kind::fcollect, "board", "one-sided", "contributions travel in the bulletins", "at most 112 bytes from each PE",
    cost, run_board};

}  // namespace oshen::coll
