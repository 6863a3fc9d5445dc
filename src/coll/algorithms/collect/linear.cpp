// Every PE gives its block to every other, all at once.
#include "coll/algorithms/collect/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words{
      .name = "linear",
      .about = "every PE gives its block to every other",
      .steps = Protocol::how == design::single_copy ? "1 + sync" : "1",
      .traffic = Protocol::how == design::single_copy
                     ? "n flags and a sync; n (n - 1) b"
                     : "n (n - 1) messages; n (n - 1) b",
      .paper = paper::thakur};

  // Messages to all are under way at the same time.
  static double cost(const setting& s) {
    const double others = s.n_pes - 1;  // between nodes what counts is how many messages there are
    if (s.spans) return across(s, 1, 2 * others * s.domain, others * s.domain * static_cast<double>(s.bytes));
    return collect_cost<Protocol>(s, 1) + lines(s, s.n_pes);
  }

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
