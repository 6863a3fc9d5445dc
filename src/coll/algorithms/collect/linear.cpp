// Every PE gives its block to every other, all at once.
#include "coll/algorithms/collect/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words =
      linear_words<Protocol>("every PE gives its block to every other", "n flags and a sync; n (n - 1) b",
                             "n (n - 1) messages; n (n - 1) b");

  static double cost(const setting& s) { return all_at_once_cost<Protocol>(s); }

  static void run(const task& job, Protocol& protocol) {
    team& t = job.members;
    const blocks all = blocks::of(job);
    protocol.expose();
    char* own = all.place(t.my_pe);
    if (job.elements != 0)
      for (const int pe : others(t)) protocol.deposit(pe, job.source, own, job.bytes());
    all.fill_own(job);
    for (const int pe : others_backwards(t))
      if (all.bytes(pe, 1) != 0) protocol.accept(pe, all.source(job, pe), all.place(pe), all.bytes(pe, 1));
  }
};

}  // namespace

constexpr protocol_rows linear_fcollect = rows_of<linear>(kind::fcollect);
constexpr protocol_rows linear_collect = rows_of<linear>(kind::collect);

}  // namespace oshen::coll
