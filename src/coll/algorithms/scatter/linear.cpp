// Linear: the root sends every PE its block, one after the other.
#include "coll/algorithms/rooted_blocks.hpp"
#include "coll/algorithms/scatter/delivery.hpp"
#include "coll/algorithms/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_text text{.name = "linear",
                                      .about = "the root sends every PE its block",
                                      .steps = "1",
                                      .traffic = "n - 1 messages; (n - 1) b bytes"};

  static double cost(const team_shape& s) { return root_at_once_cost<Protocol>(s); }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    const root_blocks blocks(call, call.from);
    // The receiver of a message sees its length; the receiver of a put does not.
    constexpr bool puts = Protocol::protocol == protocol_kind::one_sided;
    if constexpr (puts)
      run_puts(call, blocks);
    else if (t.my_pe != call.root)
      protocol.accept(call.root, nullptr, call.dest, call.bytes());
    else
      for (const int pe : others(t)) protocol.deposit(pe, call.source + blocks.offset(pe), call.dest, blocks.bytes(pe));
    if (t.my_pe == call.root) blocks.copy_own(call.dest, call.source + blocks.offset(t.my_pe));
  }

  static void run_puts(const collective_call& call, const root_blocks& blocks) {
    block_delivery delivery(call);
    if (call.members.my_pe != call.root) {
      blocks.receive_offset();
      return delivery.take(call.root);
    }
    for (const int pe : others(call.members)) {
      blocks.send_offset(pe);
      delivery.give(pe, call.source + blocks.offset(pe), blocks.bytes(pe));
    }
  }
};

double told_cost(const team_shape& s) { return root_at_once_cost<put_protocol>(s, 1, 4); }

}  // namespace

constexpr algorithm linear_put_scatter = variant_of<linear, put_protocol>(kind::scatter);
constexpr algorithm linear_message_scatter = variant_of<linear, message_protocol>(kind::scatter);
// In scatterv, the root first sends the lengths of the blocks.
constexpr algorithm linear_put_scatterv =
    linear_put_scatter.as(kind::scatterv).with("1", "2 (n - 1) messages; every block sent once").at(told_cost);
constexpr algorithm linear_message_scatterv =
    linear_message_scatter.as(kind::scatterv).with("1", "n - 1 messages, also for empty blocks; every block sent once");

}  // namespace oshen::coll
