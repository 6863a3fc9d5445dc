// Linear: the root gives every PE its block, one after the other.
#include "coll/algorithms/root_blocks.hpp"
#include "coll/algorithms/rows.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words{
      .name = "linear", .about = "the root gives every PE its block",
      .steps = "1", .traffic = "n - 1 messages; (n - 1) b"};

  static double cost(const setting& s) { return root_at_once_cost<Protocol>(s); }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const root_blocks blocks(job, job.from);
    constexpr bool tell = Protocol::how == design::one_sided;  // whoever receives a message sees how long it is
    if (t.my_pe != job.root) {
      if (tell) blocks.hear_by_cell();
      return protocol.accept(job.root, nullptr, job.dest, job.bytes());
    }
    for (const int pe : others(t)) {
      if (tell) blocks.tell_by_cell(pe);
      protocol.deposit(pe, job.source + blocks.offset(pe), job.dest, blocks.bytes(pe));
    }
    blocks.copy_own(job.dest, job.source + blocks.offset(t.my_pe));
  }
};

double told_cost(const setting& s) { return root_at_once_cost<put_protocol>(s, 1, 4); }

}  // namespace

constexpr algorithm linear_put_scatter = row_of<linear, put_protocol>(kind::scatter);
constexpr algorithm linear_message_scatter = row_of<linear, message_protocol>(kind::scatter);
// The root knows how long the blocks are.
constexpr algorithm linear_put_scatterv =
    linear_put_scatter.as(kind::scatterv).with("1", "2 (n - 1) messages; every block once").at(told_cost);
constexpr algorithm linear_message_scatterv =
    linear_message_scatter.as(kind::scatterv).with("1", "n - 1 messages, empty blocks too; every block once");

}  // namespace oshen::coll
