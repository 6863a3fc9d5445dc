// Every PE gives every other its elements, all at once.
#include "coll/algorithms/alltoalls/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_linear(const task& job) {
  team& t = job.members;
  Protocol protocol(job);
  protocol.expose();
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    protocol.deposit_elements(pe, job.source + source_block_at(job, pe), job.dest + dest_block_at(job, t.my_pe),
                              job.elements);
  }
  copy_own_elements(job);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, t.n_pes - i);
    protocol.accept_elements(pe, job.source + source_block_at(job, t.my_pe), job.dest + dest_block_at(job, pe),
                             job.elements);
  }
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return strided_cost<Protocol>(s, 1) + 60.0 * s.n_pes;
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoalls,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "every PE gives every other its elements, all at once",
          .needs = "a workspace",
          .steps = Protocol::how == design::single_copy ? "1 + sync" : "1",
          .traffic = Protocol::how == design::single_copy ? "n flags and a sync; n (n - 1) b"
                     : Protocol::how == design::one_sided ? "n (n - 1) messages; n (n - 1) b"
                                                      : "n (n - 1) ceil(b / 4 KiB) messages; n (n - 1) b",
          .paper = thakur_paper,
          .cost = cost<Protocol>,
          .run = run_linear<Protocol>};
}

}  // namespace

constexpr algorithm linear_put_alltoalls = row<put_protocol>("linear-put");
constexpr algorithm linear_message_alltoalls = row<message_protocol>("linear-message");
constexpr algorithm linear_pull_alltoalls = row<pull_protocol>("linear-pull");

}  // namespace oshen::coll
