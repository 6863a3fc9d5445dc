// Separate endpoints, each of one stream. A thread that issues on the stream touches no lock and no line that threads
// with other streams write.
//
// Messages of peers arrive at the shared endpoint, and so do replies and acknowledgements. A separate endpoint sees
// completions of its own operations only. The thread of the stream reads them in its waits (stream_progress), and other
// threads leave the endpoint alone. When that thread is about to sleep, or has not called for a millisecond, the
// endpoint is *handed over*: progress() reads its completions, and wait_fd() becomes readable for them.
#include <stdlib.h>

#include <algorithm>
#include <new>

#include "os/clock.hpp"
#include "os/poll_set.hpp"
#include "os/process.hpp"
#include "transport/ofi/ofi.hpp"
#include "transport/ofi/provider.hpp"

namespace oshen::transport::ofi {
namespace {

constexpr std::uint64_t look_ns = 1000000;
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

// From the first separate endpoint on, threads block in a set of descriptors.
void open_poll_set(ofi_instance& me) {
  if (me.shared.fd < 0 || me.poll_set.load(std::memory_order_relaxed) >= 0) return;
  const int set = os::open_poll_set();
  os::add_to_poll_set(set, me.shared.fd);
  me.poll_set.store(set, std::memory_order_release);
}

// The caller holds tx.reading in these three.
void hand_over(tx_endpoint& tx) {
  if (tx.is_handed_over.load(std::memory_order_relaxed)) return;
  tx.is_handed_over.store(true, std::memory_order_release);
  os::add_to_poll_set(tx.home->poll_set.load(std::memory_order_acquire), tx.fd);
}

void take_back(tx_endpoint& tx) {
  if (!tx.is_handed_over.load(std::memory_order_relaxed)) return;
  tx.is_handed_over.store(false, std::memory_order_release);
  os::remove_from_poll_set(tx.home->poll_set.load(std::memory_order_acquire), tx.fd);
}

void look_at(tx_endpoint& tx) {
  const std::uint32_t calls = tx.calls();
  if (calls == tx.calls_at_look && tx.has_operations())
    hand_over(tx);
  else
    take_back(tx);
  tx.calls_at_look = calls;
}

tx_endpoint* open_separate(ofi_instance& me) {
  void* memory = aligned_alloc(cache_line, sizeof(tx_endpoint));
  if (memory == nullptr) return nullptr;
  auto* tx = new (memory) tx_endpoint;
  tx->home = &me;
  int code = 0;
  if (!allocate(*tx) || open_objects(*tx, code) != nullptr) return destroy(tx), nullptr;
  return tx;
}

// True if an endpoint has operations in progress that progress() does not advance, or was used since the last call.
// The caller holds the lock of the list.
bool has_own_work(ofi_instance& me) {
  bool found = false;
  for (tx_endpoint* tx = me.separate; tx != nullptr; tx = tx->next) {
    const std::uint32_t calls = tx->calls();
    if (tx->has_operations() && !tx->is_handed_over.load(std::memory_order_acquire)) found = true;
    if (calls != tx->calls_at_watch) found = true;
    tx->calls_at_watch = calls;
  }
  return found;
}

}  // namespace

// The stream was flushed, and the endpoint stays open for the next stream. The provider may still send messages of the
// old stream, whose replies have arrived; their completions name no stream.
void give_separate(tx_endpoint& tx) {
  os::locked hold(tx.home->separate_lock);
  tx.has_stream = false;
}

tx_endpoint* take_separate(ofi_instance& me) {
  if (!gives_separate_endpoints(*me.info)) return nullptr;
  {
    os::locked hold(me.separate_lock);
    tx_endpoint* tx = me.separate;
    while (tx != nullptr && tx->has_stream) tx = tx->next;
    if (tx != nullptr) return tx->has_stream = true, tx;
  }
  tx_endpoint* tx = open_separate(me);
  if (tx == nullptr) return nullptr;
  os::locked hold(me.separate_lock);
  open_poll_set(me);
  tx->next = me.separate;
  me.separate = tx;
  me.n_separate.fetch_add(1, std::memory_order_relaxed);
  return tx;
}

// The last step of an instance, whose streams are closed.
void close_separate(ofi_instance& me) {
  while (me.separate != nullptr) {
    tx_endpoint* tx = me.separate;
    me.separate = tx->next;
    for (int reads = 0; tx->has_operations() && !is_broken(me) && reads < most_last_reads; ++reads) {
      send_waiting(*tx);
      if (read_completions(*tx) == 0) os::yield();
    }
    destroy(tx);
  }
  os::close_poll_set(me.poll_set.exchange(-1));
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

// Pairs with watch_streams(): a thread that stops watching finds the operation, or this call finds that it has stopped.
void note_begun(tx_endpoint& tx) {
  if (!tx.is_separate()) return;
  ofi_instance& me = *tx.home;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (me.is_watched.load(std::memory_order_relaxed) || me.is_watched.exchange(true)) return;
  if (me.how.request_wake != nullptr) me.how.request_wake(me.how.owner);
}

int advance_separate(ofi_instance& me) {
  if (!me.separate_lock.try_lock()) return 0;
  const std::uint64_t now = os::now_ns();
  const bool looks = now >= me.next_look_ns;
  if (looks) me.next_look_ns = now + look_ns;
  int events = 0;
  for (tx_endpoint* tx = me.separate; tx != nullptr; tx = tx->next) {
    if (!looks && !tx->is_handed_over.load(std::memory_order_acquire)) continue;
    if (!tx->reading.try_lock()) continue;
    if (looks) look_at(*tx);
    if (tx->is_handed_over.load(std::memory_order_relaxed)) events += send_waiting(*tx) + read_completions(*tx);
    tx->reading.unlock();
  }
  me.separate_lock.unlock();
  return events;
}

blocking may_block_separate(ofi_instance& me) {
  blocking all = blocking::until_readable;
  os::locked hold(me.separate_lock);
  for (tx_endpoint* tx = me.separate; tx != nullptr; tx = tx->next)
    if (tx->is_handed_over.load(std::memory_order_acquire)) all = std::max(all, may_block_on(*tx));
  return all;
}

int read_own_completions(tx_endpoint& tx) {
  tx.n_reads.fetch_add(1, std::memory_order_relaxed);
  const int events = send_waiting(tx);
  if (!tx.reading.try_lock()) return events;
  take_back(tx);
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

void stream_hand_over(stream* s) {
  tx_endpoint& tx = *own(s)->tx;
  if (!tx.is_separate()) return;
  os::locked hold(tx.reading);
  tx.calls_at_look = tx.calls();  // so that the next look does not take it back
  hand_over(tx);
  if (may_block_on(tx) != blocking::until_readable) read_completions(tx);
}

// A stream begins operations again and again. So one call that finds none does not end the watch.
bool watch_streams(instance* i) {
  ofi_instance& me = own(i);
  if (me.n_separate.load(std::memory_order_relaxed) == 0) return false;
  os::locked hold(me.separate_lock);
  if (!has_own_work(me)) {
    if (!me.is_watched.exchange(false)) return false;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!has_own_work(me)) return false;
  }
  me.is_watched.store(true);
  return true;
}

}  // namespace oshen::transport::ofi
