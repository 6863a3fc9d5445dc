// Linear: every PE gives its block to the root, in no order.
#include "coll/algorithms/rows.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words{
      .name = "linear",
      .about = "every PE gives its block to the root",
      .steps = "1",
      .traffic = "n - 1 messages; (n - 1) b"};

  static double cost(const setting& s) {
    return protocol_cost<Protocol>(s, s.n_pes - 1, static_cast<double>(s.bytes) * (s.n_pes - 1));
  }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const std::size_t bytes = job.bytes();
    const auto block = [&](int pe) { return job.dest + static_cast<std::size_t>(pe) * bytes; };
    protocol.expose();
    if (t.my_pe != job.root) {
      protocol.deposit(job.root, job.source, block(t.my_pe), bytes);
    } else {
      memmove(block(t.my_pe), job.source, bytes);
      for (int i = 1; i < t.n_pes; ++i) protocol.accept(after(t, i), job.source, block(after(t, i)), bytes);
    }
  }
};

}  // namespace

constexpr protocol_rows linear_gather = rows_of<linear>(kind::gather);

}  // namespace oshen::coll
