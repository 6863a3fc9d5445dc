// Every PE gives every other its elements, all at once.
#include "coll/alltoalls/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_linear(const task& job) {
  team& t = job.members;
  Wire wire(job);
  wire.announce();
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    wire.deposit_elements(pe, job.source + source_block_at(job, pe), job.dest + dest_block_at(job, t.my_pe), job.elements);
  }
  copy_own_elements(job);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, t.n_pes - i);
    wire.accept_elements(pe, job.source + source_block_at(job, t.my_pe), job.dest + dest_block_at(job, pe), job.elements);
  }
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  return strided_cost<Wire>(s, 1) + 60.0 * s.n_pes;
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoalls,
          .name = name,
          .how = Wire::how,
          .about = "every PE gives every other its elements, all at once",
          .needs = "a room",
          .steps = Wire::how == design::single_copy ? "1 + sync" : "1",
          .traffic = Wire::how == design::single_copy ? "n flags and a sync; n (n - 1) b"
                     : Wire::how == design::one_sided ? "n (n - 1) messages; n (n - 1) b"
                                                      : "n (n - 1) ceil(b / 4 KiB) messages; n (n - 1) b",
          .paper = thakur_paper,
          .cost = cost<Wire>,
          .run = run_linear<Wire>};
}

}  // namespace

constexpr algorithm linear_put_alltoalls = row<put_wire>("linear-put");
constexpr algorithm linear_message_alltoalls = row<message_wire>("linear-message");
constexpr algorithm linear_pull_alltoalls = row<pull_wire>("linear-pull");

}  // namespace oshen::coll
