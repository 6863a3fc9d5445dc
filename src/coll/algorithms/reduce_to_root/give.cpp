// Linear, with the vectors brought to the root: it combines what the others give, one after the other. The single-copy
// form is linear.cpp, where the root reads them block by block.
#include "coll/algorithms/rows.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words{
      .name = "linear", .about = "the root combines the vectors that the others give it",
      .steps = "n - 1", .traffic = "n - 1 messages; (n - 1) b"};

  static double cost(const setting& s) { return rooted_cost<Protocol>(s, 2); }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    protocol.expose();
    if (t.my_pe != job.root) {
      protocol.give(job.root, job.source, job.elements);
    } else {
      source_to_dest(job);
      for (const int pe : others(t)) protocol.take(pe, job.source, job.dest, job.elements);
    }
  }
};

}  // namespace

constexpr algorithm linear_put_reduce_to_root = row_of<linear, put_protocol>(kind::reduce_to_root);
constexpr algorithm linear_message_reduce_to_root = row_of<linear, message_protocol>(kind::reduce_to_root);

}  // namespace oshen::coll
