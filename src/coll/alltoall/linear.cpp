// Every PE gives every other its block, all at once.
#include "coll/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_linear(const task& job) {
  team& t = job.members;
  Wire wire(job);
  wire.announce();
  const std::size_t own = block_at(job, t.my_pe);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    wire.deposit(pe, job.source + block_at(job, pe), job.dest + own, job.bytes());
  }
  copy_own_block(job);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, t.n_pes - i);
    wire.accept(pe, job.source + own, job.dest + block_at(job, pe), job.bytes());
  }
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  return alltoall_cost<Wire>(s, 1) + lines(s, s.n_pes);
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoall,
          .name = name,
          .how = Wire::how,
          .about = "every PE gives every other its block, all at once",
          .needs = "a room",
          .steps = Wire::how == design::single_copy ? "1 + sync" : "1",
          .traffic = Wire::how == design::single_copy ? "n flags and a sync; n (n - 1) b" : "n (n - 1) messages; n (n - 1) b",
          .paper = thakur_paper,
          .cost = cost<Wire>,
          .run = run_linear<Wire>};
}

}  // namespace

constexpr algorithm linear_put_alltoall = row<put_wire>("linear-put");
constexpr algorithm linear_message_alltoall = row<message_wire>("linear-message");
constexpr algorithm linear_pull_alltoall = row<pull_wire>("linear-pull");

}  // namespace oshen::coll
