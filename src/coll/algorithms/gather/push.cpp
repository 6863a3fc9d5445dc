// Every PE writes its block into the root's dest, which it may do before the root has entered, posts and leaves.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_push(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  char* place = job.dest + static_cast<std::size_t>(t.my_pe) * bytes;
  if (t.my_pe != job.root) {
    write_to(t, job.root, place, job.source, bytes);
    post(t);
    return;
  }
  memmove(place, job.source, bytes);
  await_all(job);
}

double cost(const setting& s) { return steps(s, 1.5) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes)); }

}  // namespace

constexpr algorithm push_gather{
    .collective = kind::gather,
    .name = "push",
    .how = design::single_copy,
    .about = "every PE writes its block into the root's dest; only the root waits",
    .steps = "1",
    .traffic = "n - 1 flags; (n - 1) b copied, each PE its own",
    .cost = cost,
    .run = run_push};

}  // namespace oshen::coll
