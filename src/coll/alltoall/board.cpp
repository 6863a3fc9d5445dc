// Blocks that fit together beside a bulletin: everybody posts all its blocks and reads its own from each.
#include "coll/algorithms.hpp"
#include "coll/board.hpp"

namespace oshen::coll {
namespace {

void run_board(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  const auto block = [&](int pe) { return static_cast<std::size_t>(pe) * bytes; };
  post(t, 0, job.source, block(t.n_pes));
  memcpy(job.dest + block(t.my_pe), job.source + block(t.my_pe), bytes);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    memcpy(job.dest + block(pe), await_payload(job, pe, block(t.n_pes)) + block(t.my_pe), bytes);
  }
}

double cost(const setting& s) { return board_cost(s, s.bytes * static_cast<std::size_t>(s.n_pes), s.n_pes - 1); }

}  // namespace

constexpr algorithm board_alltoall{
    .collective = kind::alltoall,
    .name = "board",
    .how = design::one_sided,
    .about = "all blocks of a PE travel in its bulletin",
    .needs = "at most 2048 bytes from each PE (112 in teams without a room)",
    .steps = "1",
    .traffic = "n flags; n^2 b to the bulletins, n (n - 1) b to the dests",
    .cost = cost,
    .run = run_board};

}  // namespace oshen::coll
