// The root writes each block into its dest, which it may do before that PE has entered, posts once, and leaves.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_push(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  if (t.my_pe != job.root) {
    await(job, job.root);
    return;
  }
  const auto block = [&](int pe) { return job.source + static_cast<std::size_t>(pe) * bytes; };
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    write_to(t, pe, job.dest, block(pe), bytes);
  }
  post(t);
  memmove(job.dest, block(t.my_pe), bytes);
}

double cost(const setting& s) { return steps(s, 1.5) + copies_alone(s, static_cast<double>(s.bytes) * (s.n_pes - 1)); }

}  // namespace

constexpr algorithm push_scatter{
    .collective = kind::scatter,
    .name = "push",
    .how = design::single_copy,
    .about = "the root writes every dest, then one flag",
    .steps = "1",
    .traffic = "1 flag; (n - 1) b copied, all by the root",
    .cost = cost,
    .run = run_push};

}  // namespace oshen::coll
