// Linear: the root gives every PE its block, one after the other.
#include "coll/algorithms.hpp"
#include "coll/wire/wires.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_linear(const task& job) {
  const team& t = job.members;
  const std::size_t bytes = job.bytes();
  const auto block = [&](int pe) { return job.source + static_cast<std::size_t>(pe) * bytes; };
  Wire wire(job);
  wire.announce();
  if (t.my_pe != job.root) {
    wire.accept(job.root, block(t.my_pe), job.dest, bytes);
  } else {
    for (int i = 1; i < t.n_pes; ++i) wire.deposit(after(t, i), block(after(t, i)), job.dest, bytes);
    memmove(job.dest, block(t.my_pe), bytes);
  }
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  return wire_cost<Wire>(s, s.n_pes - 1, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::scatter,
          .name = name,
          .how = Wire::how,
          .about = "the root gives every PE its block",
          .needs = "a room",
          .steps = "1",
          .traffic = "n - 1 messages; (n - 1) b",
          .cost = cost<Wire>,
          .run = run_linear<Wire>};
}

}  // namespace

constexpr algorithm linear_put_scatter = row<put_wire>("linear-put");
constexpr algorithm linear_message_scatter = row<message_wire>("linear-message");
constexpr algorithm linear_pull_scatter = row<pull_wire>("linear-pull");

}  // namespace oshen::coll
