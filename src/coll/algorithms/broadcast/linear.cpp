// The root serves every PE itself.
#include "coll/algorithms/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words = linear_words<Protocol>(
      "the root serves every PE", "1 flag and a sync; (n - 1) b", "n - 1 messages; (n - 1) b");

  // A root that writes has all the work; one that is read has none.
  static double cost(const setting& s) {
    const double others = s.n_pes - 1;
    const double served = Protocol::how == design::single_copy ? std::min(others, 1.0) : others;
    return protocol_cost<Protocol>(s, 1, served) + lines(s, others);
  }

  static void run(const task& job, Protocol& protocol) {
    team& t = job.members;
    const bool is_root = t.my_pe == job.root;
    protocol.expose(is_root);
    if (!is_root)
      protocol.accept(job.root, job.source, job.dest, job.bytes());
    else
      for (const int pe : others(t)) protocol.deposit(pe, job.source, job.dest, job.bytes());
    fill_root(job);
  }
};

}  // namespace

constexpr protocol_rows linear_broadcast = rows_of<linear>(kind::broadcast);

}  // namespace oshen::coll
