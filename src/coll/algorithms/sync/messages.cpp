// Dissemination by matched messages, the way of MPI libraries: empty ones, one to each round.
#include "coll/algorithms/papers.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/matcher.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

// Syncs are not numbered among the collectives: several of them share a tag, and messages of one tag come in order.
constexpr int first_step = 128;

void run_messages(const task& job) {
  team& t = job.members;
  ++t.syncs;
  matcher m(job);
  for (int round = 0, distance = 1; distance < t.n_pes; ++round, distance *= 2) {
    message to{.pe = after(t, distance), .tag = m.tag(first_step + round)};
    message from{.pe = after(t, t.n_pes - distance), .tag = m.tag(first_step + round)};
    m.send(to);
    m.receive(from);
    m.complete(from);
    m.complete(to);
  }
}

double cost(const setting& s) { return protocol_cost<message_protocol>(s, rounds(s), 0); }

}  // namespace

constexpr algorithm message_sync{
    .collective = kind::sync, .name = "dissemination-message", .how = design::two_sided,
    .about = "log2(n) rounds of empty messages",
    .needs = "a workspace",
    .steps = "ceil(log2 n)", .traffic = "n ceil(log2 n) messages",
    .paper = paper::hensgen,
    .cost = cost, .run = run_messages};

}  // namespace oshen::coll
