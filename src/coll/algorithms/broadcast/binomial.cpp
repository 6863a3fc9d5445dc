// A binomial tree: in each round every PE that has the message passes it on, so that twice as many have it.
#include "coll/algorithms/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct binomial {
  static constexpr schedule_words words{
      .name = "binomial", .about = "binomial tree: whoever has the message passes it on",
      .steps = "ceil(log2 n)", .traffic = "n - 1 messages; (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) { return logarithmic_cost<Protocol>(s); }

  static void run(const task& job, Protocol& protocol) {
    send_down(job, places(job), held(job), protocol);
    fill_root(job);
  }
};

}  // namespace

constexpr protocol_rows binomial_broadcast = rows_of<binomial>(kind::broadcast);

}  // namespace oshen::coll
