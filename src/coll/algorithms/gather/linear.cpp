// Linear: every PE gives its block to the root, in no order.
#include "coll/algorithms/root_blocks.hpp"
#include "coll/algorithms/rows.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words{
      .name = "linear", .about = "every PE gives its block to the root",
      .steps = "1", .traffic = "n - 1 messages; (n - 1) b"};

  static double cost(const setting& s) { return root_at_once_cost<Protocol>(s); }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const root_blocks blocks(job, job.into);
    constexpr bool tell = Protocol::how == design::one_sided;  // whoever sends messages need not know where they belong
    if (t.my_pe != job.root) {
      const std::size_t place = tell ? blocks.hear_by_cell() : 0;
      return protocol.deposit(job.root, job.source, job.dest + place, job.bytes());
    }
    for (const int pe : others(t)) {
      if (tell) blocks.tell_by_cell(pe);
      protocol.accept(pe, nullptr, job.dest + blocks.offset(pe), blocks.bytes(pe));
    }
    blocks.copy_own(job.dest + blocks.offset(t.my_pe), job.source);
  }
};

double told_cost(const setting& s) { return root_at_once_cost<put_protocol>(s, 2, 4); }

}  // namespace

constexpr algorithm linear_put_gather = row_of<linear, put_protocol>(kind::gather);
constexpr algorithm linear_message_gather = row_of<linear, message_protocol>(kind::gather);
// The root knows where the blocks belong.
constexpr algorithm linear_put_gatherv =
    linear_put_gather.as(kind::gatherv).with("2", "2 (n - 1) messages; every block once").at(told_cost);
constexpr algorithm linear_message_gatherv =
    linear_message_gather.as(kind::gatherv).with("1", "n - 1 messages, empty blocks too; every block once");

}  // namespace oshen::coll
