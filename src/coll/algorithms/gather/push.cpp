// Every PE writes its block into the root's dest, which it may do before the root has entered, posts and leaves. In
// gatherv the root first tells each where its block belongs.
#include "coll/algorithms/root_blocks.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"

namespace oshen::coll {
namespace {

void run_push(const task& job) {
  team& t = job.members;
  const root_blocks blocks(job, job.into);
  char* place = job.dest + (job.blocks_differ ? blocks.tell() : blocks.offset(t.my_pe));
  if (t.my_pe != job.root) {
    if (job.elements != 0) write_to(t, job.root, place, job.source, job.bytes());
    post(t);
    return;
  }
  blocks.copy_own(place, job.source);
  await_all(job);
}

double cost(const setting& s) { return steps(s, 1.5) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes)); }
double told_cost(const setting& s) { return cost(s) + steps(s, 0.5); }

}  // namespace

constexpr algorithm push_gather{
    .collective = kind::gather, .name = "push", .how = design::single_copy,
    .about = "every PE writes its block into the root's dest; only the root waits",
    .steps = "1", .traffic = "n - 1 flags; (n - 1) b copied, each PE its own",
    .cost = cost, .run = run_push};
constexpr algorithm push_gatherv{
    .collective = kind::gatherv, .name = "push", .how = design::single_copy,
    .about = "the root tells the positions, every PE writes its block there",
    .steps = "2", .traffic = "n flags; every block copied once, each PE its own",
    .cost = told_cost, .run = run_push};

}  // namespace oshen::coll
