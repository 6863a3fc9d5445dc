// The root copies the message into every dest, which the standard lets it do before the peer has entered,
// then posts. No acknowledgement: the root's source is free when it leaves.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_push(const task& job) {
  team& t = job.members;
  if (t.my_pe != job.root) {
    await(job, job.root);
    return;
  }
  for (const int pe : others(t)) write_to(t, pe, job.dest, job.source, job.bytes());
  post(t);
  if (!job.root_keeps_dest) memmove(job.dest, job.source, job.bytes());
}

// One core writes all copies.
double cost(const setting& s) {
  return steps(s, 1) + lines(s, 2) + copies_alone(s, 0.6 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_broadcast{
    .collective = kind::broadcast, .name = "push", .how = design::single_copy,
    .about = "the root writes every dest, then one flag",
    .steps = "1", .traffic = "1 flag; (n - 1) b copied, all by the root",
    .cost = cost, .run = run_push};

}  // namespace oshen::coll
