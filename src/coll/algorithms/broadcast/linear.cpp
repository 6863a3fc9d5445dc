// The root serves every PE itself.
#include "coll/algorithms/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_linear(const task& job) {
  team& t = job.members;
  const bool is_root = t.my_pe == job.root;
  Protocol protocol(job);
  protocol.expose(is_root);
  if (!is_root)
    protocol.accept(job.root, job.source, job.dest, job.bytes());
  else
    for (int i = 1; i < t.n_pes; ++i) protocol.deposit(after(t, i), job.source, job.dest, job.bytes());
  fill_root(job);
  protocol.settle();
}

// A root that writes has all the work; one that is read has none.
template <class Protocol>
double cost(const setting& s) {
  const double others = s.n_pes - 1;
  const double served = Protocol::how == design::single_copy ? std::min(others, 1.0) : others;
  return protocol_cost<Protocol>(s, 1, served * static_cast<double>(s.bytes)) + lines(s, others);
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::broadcast,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "the root serves every PE",
          .needs = "a workspace",
          .steps = Protocol::how == design::single_copy ? "1 + sync" : "1",
          .traffic = Protocol::how == design::single_copy
                         ? "1 flag and a sync; (n - 1) b"
                         : "n - 1 messages; (n - 1) b",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Protocol>,
          .run = run_linear<Protocol>};
}

}  // namespace

constexpr algorithm linear_put_broadcast = row<put_protocol>("linear-put");
constexpr algorithm linear_message_broadcast = row<message_protocol>("linear-message");
constexpr algorithm linear_pull_broadcast = row<pull_protocol>("linear-pull");

}  // namespace oshen::coll
