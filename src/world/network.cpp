#include "world/network.hpp"

#include <stdlib.h>

#include <new>

#include "world/world.hpp"

namespace oshen {

namespace {

// Reserves a separate stream for a new channel, if the limit allows one more.
bool reserve_separate(network& n) {
  os::locked hold(n.channels_lock);
  if (n.n_separate >= n.most_separate) return false;
  ++n.n_separate;
  return true;
}

}  // namespace

transport::channel* make_channel(network& n, unsigned options) {
  void* memory = aligned_alloc(cache_line, sizeof(transport::channel));
  if (memory == nullptr) return nullptr;
  auto* made = new (memory) transport::channel;
  const bool reserved = reserve_separate(n);
  const bool opened = n.endpoint.open_channel(*made, options | (reserved ? transport::separate : 0u));
  os::locked hold(n.channels_lock);
  if (reserved && !made->is_separate) --n.n_separate;
  if (!opened) {
    free(memory);
    return nullptr;
  }
  made->next = n.channels;
  n.channels = made;
  return made;
}

void drop_channel(network& n, transport::channel* c) {
  {
    os::locked hold(n.channels_lock);
    transport::channel** at = &n.channels;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    n.n_changes_closed += c->n_changes.load(std::memory_order_relaxed);
    n.n_changes_closed += c->direct_ops->n_issued();
    if (c->is_separate) --n.n_separate;
  }
  n.endpoint.close_channel(*c);
  free(c);
}

transport::outcome connect(world& w, int pe) {
  network& n = *w.beyond;
  if (n.connected[pe].load(std::memory_order_acquire)) return transport::outcome::done;
  os::locked hold(n.connecting);
  if (n.connected[pe].load(std::memory_order_relaxed)) return transport::outcome::done;
  const transport::outcome o =
      n.endpoint.connect(pe, n.address_table + static_cast<std::size_t>(pe) * n.address_bytes, n.address_bytes);
  if (o == transport::outcome::done) n.connected[pe].store(true, std::memory_order_release);
  return o;
}

bool has_card_atomics(const world& w) { return w.beyond != nullptr && w.beyond->has_card_atomics; }

const char* host_of(const world& w, int pe) {
  const char* found = nullptr;
  for (int i = 0; w.beyond != nullptr && i < w.beyond->n_hosts && w.beyond->hosts[i].first_pe <= pe; ++i)
    found = w.beyond->hosts[i].text;
  return found != nullptr && *found != '\0' ? found : "another node";
}

int node_leader_of(const world& w, int pe) { return w.beyond != nullptr ? w.beyond->leaders[pe] : w.near.leader(); }

}  // namespace oshen
