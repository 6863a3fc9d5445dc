// Contributions that fit into a bulletin: everybody posts and leaves, the root collects.
#include "coll/algorithms.hpp"
#include "coll/cost.hpp"
#include "coll/reach.hpp"

namespace oshen::coll {
namespace {

void run_board(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  if (t.my_pe != job.root) {
    post(t, 0, job.source, bytes);
    return;
  }
  memmove(job.dest + static_cast<std::size_t>(t.my_pe) * bytes, job.source, bytes);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    memcpy(job.dest + static_cast<std::size_t>(pe) * bytes, await_payload(job, pe, bytes), bytes);
  }
}

double cost(const setting& s) {
  const auto b = static_cast<double>(s.bytes);
  if (s.bytes > board_limit(s)) return impossible;
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, b) + copies_alone(s, b * s.n_pes);
}

}  // namespace

constexpr algorithm board_gather{
    .collective = kind::gather,
    .name = "board",
    .how = design::one_sided,
    .about = "contributions travel in the bulletins; only the root waits",
    .needs = "at most 2 KiB from each PE (112 bytes where the team has no room)",
    .steps = "1",
    .traffic = "n - 1 flags; (n - 1) b to the bulletins, (n - 1) b to the dest",
    .cost = cost,
    .run = run_board};

}  // namespace oshen::coll
