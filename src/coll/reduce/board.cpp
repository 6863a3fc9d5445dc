// Vectors that fit into a bulletin: everybody posts, everybody combines all in the same order, so that all get
// the same bits; no acknowledgement.
#include "coll/algorithms.hpp"
#include "coll/reach.hpp"

namespace oshen::coll {
namespace {

void run_board(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  alignas(16) std::byte sum[bulletin_payload];
  post(t, 0, job.source, bytes);
  memcpy(sum, await(job, 0).payload, bytes);
  for (int pe = 1; pe < t.n_pes; ++pe) job.combine(sum, await(job, pe).payload, job.elements);
  memcpy(job.dest, sum, bytes);
}

double cost(const setting& s) { return s.bytes <= bulletin_payload ? 100 + 30.0 * s.n_pes : impossible; }

}  // namespace

constexpr algorithm board_reduce{
    .collective = kind::reduce,
    .name = "board",
    .how = design::one_sided,
    .about = "vectors travel in the bulletins; everybody combines all of them",
    .needs = "at most 112 bytes",
    .steps = "1",
    .traffic = "n flags; n b to the bulletins, n^2 b read",
    .cost = cost,
    .run = run_board};

}  // namespace oshen::coll
