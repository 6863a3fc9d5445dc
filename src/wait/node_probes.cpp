#include "wait/node_probes.hpp"

#include <algorithm>

namespace oshen {
namespace {

using transport::operation;
using transport::outcome;

constexpr std::uint64_t ask_every_ns = 500000000;

std::uint64_t place_of(const world& w, const std::atomic<std::uint64_t>& own) {
  return static_cast<std::uint64_t>(reinterpret_cast<const char*>(&own) - w.segment.slice(w.near.mine));
}

// The first PE of the next node that has not been asked; -1: all have been.
int next_leader(const world& w, node_probes& p) {
  while (p.next_pe < w.n_pes) {
    const int pe = p.next_pe++;
    if (node_leader_of(w, pe) == pe && !w.is_near(pe)) return pe;
  }
  return -1;
}

void send(world& w, node_probes::question& q, operation what, const std::atomic<std::uint64_t>& field,
          std::uint64_t value) {
  network& n = *w.beyond;
  if (connect(w, q.leader) != outcome::done) return;
  const transport::atomic_op op{
      .op = what, .bytes = transport::width::eight, .fetches = true, .value = value, .compare = 0};
  q.unanswered.pending.store(1, std::memory_order_relaxed);
  n.probes.channel.handle = n.default_channel.handle;
  const transport::far_op asked = transport::atomic_of(q.leader, place_of(w, field), op, &q.answer, &q.unanswered);
  if (n.endpoint.ask(n.probes.channel, asked) != outcome::done)
    q.unanswered.pending.store(0, std::memory_order_relaxed);
  else if (what == operation::set)
    q.has_probe = true;
}

// True if the node has answered, or if the slot is free.
bool is_over(world& w, node_probes::question& q, std::uint32_t probe, std::uint64_t now) {
  if (q.leader < 0) return true;
  if (q.unanswered.pending.load(std::memory_order_acquire) != 0) return false;
  if (q.has_probe && (q.answer >> 32 == probe || q.answer == answer_to_all_probes)) {
    w.beyond->probes.least = std::min(w.beyond->probes.least, static_cast<std::uint32_t>(q.answer));
    q.leader = -1;
    return true;
  }
  if (now < q.next_ns) return false;
  q.next_ns = now + ask_every_ns;
  q.answer = 0;
  if (q.has_probe)
    send(w, q, operation::fetch, w.own_control().node_answer, 0);
  else
    send(w, q, operation::set, w.own_control().probe, probe);
  return false;
}

}  // namespace

void begin_node_probes(world& w, std::uint32_t enough) {
  w.beyond->probes.next_pe = 0;
  w.beyond->probes.least = enough;
}

bool nodes_have_answered(world& w, std::uint32_t probe, std::uint64_t now) {
  node_probes& p = w.beyond->probes;
  bool all = true;
  for (node_probes::question& q : p.questions) {
    while (is_over(w, q, probe, now)) {
      q.leader = next_leader(w, p);
      q.has_probe = false;
      q.next_ns = 0;
      if (q.leader < 0) break;
    }
    all = all && q.leader < 0;
  }
  return all;
}

}  // namespace oshen
