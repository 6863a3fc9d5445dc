// Every PE gives every other its block, all at once.
#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_linear(const task& job) {
  team& t = job.members;
  Protocol protocol(job);
  protocol.expose();
  const std::size_t own = block_at(job, t.my_pe);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    protocol.deposit(pe, job.source + block_at(job, pe), job.dest + own, job.bytes());
  }
  copy_own_block(job);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, t.n_pes - i);
    protocol.accept(pe, job.source + own, job.dest + block_at(job, pe), job.bytes());
  }
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return alltoall_cost<Protocol>(s, 1) + lines(s, s.n_pes);
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoall,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "every PE gives every other its block, all at once",
          .needs = "a workspace",
          .steps = Protocol::how == design::single_copy ? "1 + sync" : "1",
          .traffic = Protocol::how == design::single_copy
                         ? "n flags and a sync; n (n - 1) b"
                         : "n (n - 1) messages; n (n - 1) b",
          .paper = thakur_paper,
          .cost = cost<Protocol>,
          .run = run_linear<Protocol>};
}

}  // namespace

constexpr algorithm linear_put_alltoall = row<put_protocol>("linear-put");
constexpr algorithm linear_message_alltoall = row<message_protocol>("linear-message");
constexpr algorithm linear_pull_alltoall = row<pull_protocol>("linear-pull");

}  // namespace oshen::coll
