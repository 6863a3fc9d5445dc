// Linear: every PE sends its block to the root, in any order.
#include "coll/algorithms/rooted_blocks.hpp"
#include "coll/algorithms/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_text text{.name = "linear",
                                      .about = "every PE sends its block to the root",
                                      .steps = "1",
                                      .traffic = "n - 1 messages; (n - 1) b bytes"};

  static double cost(const team_shape& s) { return root_at_once_cost<Protocol>(s); }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    const root_blocks blocks(call, call.into);
    // Only a put needs the position at the receiver.
    constexpr bool tell = Protocol::protocol == protocol_kind::one_sided;
    if (t.my_pe != call.root) {
      const std::size_t offset = tell ? blocks.receive_offset() : 0;
      return protocol.deposit(call.root, call.source, call.dest + offset, call.bytes());
    }
    for (const int pe : others(t)) {
      if (tell) blocks.send_offset(pe);
      protocol.accept(pe, nullptr, call.dest + blocks.offset(pe), blocks.bytes(pe));
    }
    blocks.copy_own(call.dest + blocks.offset(t.my_pe), call.source);
  }
};

double told_cost(const team_shape& s) { return root_at_once_cost<put_protocol>(s, 2, 4); }

}  // namespace

constexpr algorithm linear_put_gather = variant_of<linear, put_protocol>(kind::gather);
constexpr algorithm linear_message_gather = variant_of<linear, message_protocol>(kind::gather);
// In gatherv, the root first sends the positions of the blocks.
constexpr algorithm linear_put_gatherv =
    linear_put_gather.as(kind::gatherv).with("2", "2 (n - 1) messages; every block sent once").at(told_cost);
constexpr algorithm linear_message_gatherv =
    linear_message_gather.as(kind::gatherv).with("1", "n - 1 messages, also for empty blocks; every block sent once");

}  // namespace oshen::coll
