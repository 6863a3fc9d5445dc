// The root serves every PE itself.
#include "coll/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_linear(const task& job) {
  team& t = job.members;
  const bool is_root = t.my_pe == job.root;
  Wire wire(job);
  wire.announce(is_root);
  if (!is_root)
    wire.accept(job.root, job.source, job.dest, job.bytes());
  else
    for (int i = 1; i < t.n_pes; ++i) wire.deposit(after(t, i), job.source, job.dest, job.bytes());
  fill_root(job);
  wire.settle();
}

// A root that writes has all the work; one that is read has none.
template <class Wire>
double cost(const setting& s) {
  const double others = s.n_pes - 1;
  const double served = Wire::how == design::single_copy ? std::min(others, 1.0) : others;
  return wire_cost<Wire>(s, 1, served * static_cast<double>(s.bytes)) + lines(s, others);
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::broadcast,
          .name = name,
          .how = Wire::how,
          .about = "the root serves every PE",
          .needs = "a room",
          .steps = Wire::how == design::single_copy ? "1 + sync" : "1",
          .traffic = Wire::how == design::single_copy ? "1 flag and a sync; (n - 1) b" : "n - 1 messages; (n - 1) b",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Wire>,
          .run = run_linear<Wire>};
}

}  // namespace

constexpr algorithm linear_put_broadcast = row<put_wire>("linear-put");
constexpr algorithm linear_message_broadcast = row<message_wire>("linear-message");
constexpr algorithm linear_pull_broadcast = row<pull_wire>("linear-pull");

}  // namespace oshen::coll
