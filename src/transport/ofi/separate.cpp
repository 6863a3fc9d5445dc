// Separate endpoints, each of one stream (transport/separate.hpp). Messages of peers arrive at the shared endpoint, and
// so do replies and acknowledgements. A separate endpoint sees completions of its own operations only.
#include <stdlib.h>

#include <algorithm>
#include <new>

#include "os/process.hpp"
#include "transport/ofi/ofi.hpp"
#include "transport/ofi/providers.hpp"

namespace oshen::transport::ofi {
namespace {

constexpr int most_last_reads = 4096;

bool allocate(tx_endpoint& tx) {
  const auto n_pes = static_cast<std::size_t>(tx.home->how.n_pes);
  tx.n_ops = max_pending_separate_ops;
  tx.known = static_cast<std::atomic<fi_addr_t>*>(calloc(n_pes, sizeof(std::atomic<fi_addr_t>)));
  tx.ops = static_cast<pending_op*>(calloc(max_pending_separate_ops, sizeof(pending_op)));
  return tx.known != nullptr && tx.ops != nullptr;
}

void destroy(tx_endpoint* tx) {
  close_objects(*tx);
  free(tx->known);
  free(tx->ops);
  tx->~tx_endpoint();
  free(tx);
}

tx_endpoint* open_separate(ofi_instance& me) {
  void* memory = aligned_alloc(cache_line, sizeof(tx_endpoint));
  if (memory == nullptr) return nullptr;
  auto* tx = new (memory) tx_endpoint;
  tx->home = &me;
  int code = 0;
  if (!allocate(*tx) || open_objects(*tx, code) != nullptr) {
    destroy(tx);
    return nullptr;
  }
  open_routes(*tx);
  return tx;
}

}  // namespace

tx_endpoint* take_separate(ofi_instance& me) {
  if (!gives_separate_endpoints(*me.info)) return nullptr;
  if (tx_endpoint* unused = me.separate.take_unused(); unused != nullptr) return unused;
  tx_endpoint* tx = open_separate(me);
  if (tx != nullptr) me.separate.add(tx, me.shared.fd);
  return tx;
}

// The last step of an instance, whose streams are closed.
void close_separate(ofi_instance& me) {
  while (tx_endpoint* tx = me.separate.remove_one()) {
    for (int reads = 0; tx->has_operations() && !is_broken(me) && reads < most_last_reads; ++reads) {
      send_waiting(*tx);
      if (read_completions(*tx) == 0) os::yield();
    }
    destroy(tx);
  }
  me.separate.close_poll_set();
}

outcome meet_peer(tx_endpoint& tx, int pe) {
  if (!tx.is_separate() || tx.known[pe].load(std::memory_order_acquire) != 0) return outcome::done;
  ofi_instance& me = *tx.home;
  os::locked hold(me.peers_lock);
  if (tx.known[pe].load(std::memory_order_relaxed) != 0) return outcome::done;
  char name[address_bytes];
  std::size_t bytes = sizeof name;
  fi_addr_t where = FI_ADDR_NOTAVAIL;
  if (const int code = fi_av_lookup(me.shared.addresses, me.peers[pe].address, name, &bytes); code != 0)
    return outcome_of(me, code);
  if (fi_av_insert(tx.addresses, name, 1, &where, 0, nullptr) != 1) return outcome_of(me, -FI_EADDRNOTAVAIL);
  tx.known[pe].store(where + 1, std::memory_order_release);
  return outcome::done;
}

int tx_endpoint::advance() { return send_waiting(*this) + read_completions(*this); }

int read_own_completions(tx_endpoint& tx) {
  tx.n_reads.fetch_add(1, std::memory_order_relaxed);
  const int events = send_waiting(tx);
  if (!tx.reading.try_lock()) return events;
  tx.home->separate.take_back(tx);
  const int n = read_completions(tx);
  tx.reading.unlock();
  return events + n;
}

int stream_progress(stream* on) {
  ofi_stream& s = *own(on);
  if (!s.tx->is_separate()) return -1;
  const int events = read_own_completions(*s.tx);
  return s.signals.is_idle() ? events : -1;
}

void stream_hand_over(stream* on) {
  const ofi_stream& s = *own(on);
  if (s.tx->is_separate()) s.home->separate.hand_over_by_thread(*s.tx);
}

bool watch_streams(instance* i) { return own(i).separate.watch(); }

}  // namespace oshen::transport::ofi
