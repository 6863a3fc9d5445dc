#include "wait/delivery.hpp"

#include "os/clock.hpp"
#include "os/process.hpp"
#include "wait/progress.hpp"

namespace oshen {
namespace {

using transport::outcome;

constexpr std::uint64_t patience_ns = 2000000000;  // a peer that has ended does not answer
constexpr std::uint64_t soon_ns = 100000000;
constexpr std::uint64_t nap_ns = 100000;

std::uint64_t n_direct(const transport::channel& c) {
  return c.direct != nullptr && c.direct->n_issued != nullptr ? c.direct->n_issued(*c.direct)
                                                              : c.direct_ops->n_issued();
}

bool is_complete(const transport::channel& c) {
  return c.direct_ops->are_flushed() &&
         c.n_complete.load(std::memory_order_acquire) == c.n_changes.load(std::memory_order_acquire) &&
         c.requests.is_idle() && c.deferred.is_idle();
}

bool is_flushed(network& n, transport::channel& c) { return n.endpoint.flush(c, c.delivery_point) == outcome::done; }

// The flushes begin again, so that they cover all operations up to now.
void restart_flushes(network& n) {
  os::locked hold(n.channels_lock);
  n.default_channel.delivery_point = n.delivery.fence = {};
  for (transport::channel* c = n.channels; c != nullptr; c = c->next) c->delivery_point = {};
}

// A channel of one thread is flushed by that thread only.
bool all_are_flushed(network& n) {
  os::locked hold(n.channels_lock);
  bool all = is_flushed(n, n.default_channel);
  for (transport::channel* c = n.channels; all && c != nullptr; c = c->next)
    all = c->has_one_thread ? is_complete(*c) : is_flushed(n, *c);
  return all;
}

// Asks one PE. Its reply shows that this PE's flags have arrived, so its value does not matter.
outcome ask(world& w, int pe) {
  delivery_state& d = w.beyond->delivery;
  const auto at = reinterpret_cast<char*>(&w.own_control().answer) - w.segment.slice(w.near.mine);
  const transport::atomic_op fetch{
      .op = transport::operation::fetch, .bytes = transport::width::eight, .fetches = true, .value = 0, .compare = 0};
  d.unanswered.pending.fetch_add(1, std::memory_order_relaxed);
  const transport::far_op question =
      transport::atomic_of(pe, static_cast<std::uint64_t>(at), fetch, nullptr, &d.unanswered);
  const outcome o = w.beyond->endpoint.ask(d.channel, question);
  if (o != outcome::done) d.unanswered.pending.fetch_sub(1, std::memory_order_relaxed);
  return o;
}

// False if the transport cannot take all questions now.
bool ask_all(world& w) {
  network& n = *w.beyond;
  for (int& pe = n.delivery.next_pe; pe < w.n_pes; ++pe) {
    if (w.is_near(pe) || !n.connected[pe].load(std::memory_order_acquire)) continue;
    if (ask(w, pe) != outcome::done) return false;
  }
  return true;
}

}  // namespace

std::uint64_t count_changes(network& n) {
  os::locked hold(n.channels_lock);
  std::uint64_t sum = n.n_changes_closed + n.default_channel.n_changes.load(std::memory_order_acquire) +
                      n.collective_channel.n_changes.load(std::memory_order_acquire) + n_direct(n.default_channel) +
                      n_direct(n.collective_channel);
  for (const transport::channel* c = n.channels; c != nullptr; c = c->next)
    sum += c->n_changes.load(std::memory_order_acquire) + n_direct(*c);
  return sum;
}

bool all_has_arrived(world& w) {
  network& n = *w.beyond;
  delivery_state& d = n.delivery;
  if (const std::uint64_t now = count_changes(n); now != d.n_changes || d.channel.handle == nullptr) {
    d.channel.handle = n.collective_channel.handle;
    restart_flushes(n);
    d.n_changes = now;
    d.next_pe = 0;
    d.proven = false;
  }
  if (!all_are_flushed(n)) return false;
  if (d.proven) return true;
  if (d.next_pe == 0 && n.endpoint.fence(n.collective_channel, d.fence) != outcome::done) return false;
  d.proven = ask_all(w) && d.unanswered.pending.load(std::memory_order_acquire) == 0;
  return d.proven;
}

bool all_arrives_soon(world& w) {
  const std::uint64_t end = os::now_ns() + soon_ns;
  while (!all_has_arrived(w)) {
    if (os::now_ns() > end) return false;
    if (!advance_network(w)) os::yield();
  }
  return true;
}

void finish_questions(world& w) {
  network& n = *w.beyond;
  const std::uint64_t end = os::now_ns() + patience_ns;
  while (!n.delivery.channel.requests.is_idle() || !n.probes.channel.requests.is_idle()) {
    if (os::now_ns() > end) return;
    if (!advance_network(w)) os::nap(nap_ns);
  }
}

}  // namespace oshen
