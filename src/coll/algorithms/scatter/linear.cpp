// Linear: the root gives every PE its block, one after the other.
#include "coll/algorithms/rows.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words{
      .name = "linear",
      .about = "the root gives every PE its block",
      .steps = "1",
      .traffic = "n - 1 messages; (n - 1) b"};

  static double cost(const setting& s) {
    return protocol_cost<Protocol>(s, s.n_pes - 1, static_cast<double>(s.bytes) * (s.n_pes - 1));
  }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const std::size_t bytes = job.bytes();
    const auto block = [&](int pe) { return job.source + static_cast<std::size_t>(pe) * bytes; };
    protocol.expose();
    if (t.my_pe != job.root) {
      protocol.accept(job.root, block(t.my_pe), job.dest, bytes);
    } else {
      for (int i = 1; i < t.n_pes; ++i) protocol.deposit(after(t, i), block(after(t, i)), job.dest, bytes);
      memmove(job.dest, block(t.my_pe), bytes);
    }
  }
};

}  // namespace

constexpr protocol_rows linear_scatter = rows_of<linear>(kind::scatter);

}  // namespace oshen::coll
