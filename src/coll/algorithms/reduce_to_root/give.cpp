// Linear: the other PEs send their vectors to the root, which combines them one after the other. In the single-copy
// form, linear.cpp, the root reads the vectors in place, block by block.
#include "coll/algorithms/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_text text{.name = "linear",
                                      .about = "the root combines the vectors that the other PEs send",
                                      .steps = "n - 1",
                                      .traffic = "n - 1 messages; (n - 1) b bytes"};

  static double cost(const team_shape& s) { return rooted_cost<Protocol>(s, 2); }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    protocol.expose();
    if (t.my_pe != call.root) {
      protocol.give(call.root, call.source, call.elements);
    } else {
      source_to_dest(call);
      for (const int pe : others(t)) protocol.take(pe, call.source, call.dest, call.elements);
    }
  }
};

}  // namespace

constexpr algorithm linear_put_reduce_to_root = variant_of<linear, put_protocol>(kind::reduce_to_root);
constexpr algorithm linear_message_reduce_to_root = variant_of<linear, message_protocol>(kind::reduce_to_root);

}  // namespace oshen::coll
