// Separate workers, each of one stream (transport/separate.hpp). A worker of a stream carries its puts, gets and
// flushes. Messages and signals leave by the shared worker, and all messages of peers arrive there. A fence is a flush,
// so the order of a stream needs no common worker. Keys are requested by the shared worker, too.
#include <stdlib.h>

#include <new>

#include "transport/ucx/ucx.hpp"

namespace oshen::transport::ucx {
namespace {

constexpr int max_rounds = 8;  // of progress before arrived messages are handled

bool allocate(worker& w) {
  w.connections = static_cast<connection*>(calloc(static_cast<std::size_t>(w.home->how.n_pes), sizeof(connection)));
  w.ops = static_cast<pending_op*>(calloc(max_pending_separate_ops, sizeof(pending_op)));
  w.n_ops = max_pending_separate_ops;
  return w.connections != nullptr && w.ops != nullptr;
}

void destroy(worker* w) {
  close_objects(*w);
  free(w->connections);
  free(w->ops);
  w->~worker();
  free(w);
}

worker* open_separate(ucx_instance& me) {
  void* memory = aligned_alloc(cache_line, sizeof(worker));
  if (memory == nullptr) return nullptr;
  auto* w = new (memory) worker;
  w->home = &me;
  os::locked hold(me.opening);
  ucs_status_t status = UCS_OK;
  if (!allocate(*w) || open_objects(*w, status) != nullptr) {
    destroy(w);
    return nullptr;
  }
  return w;
}

}  // namespace

// Over a card each context would register the sources of puts for itself, and each worker would need a queue pair at
// every target. No test has a card on which UCX does that, so there all streams share.
worker* take_separate(ucx_instance& me) {
  if (!me.chosen.only_tcp) return nullptr;
  if (worker* unused = me.separate.take_unused(); unused != nullptr) return unused;
  worker* w = open_separate(me);
  if (w != nullptr) me.separate.add(w, me.shared.fd);
  return w;
}

// Streams were flushed, so no operation is in progress.
void close_separate(ucx_instance& me) {
  while (worker* w = me.separate.remove_one()) destroy(w);
  me.separate.close_poll_set();
}

int progress_worker(worker& w) {
  int events = 0;
  for (int round = 0; round < max_rounds; ++round) {
    const auto n = static_cast<int>(w.home->lib->progress(w.handle));
    if (n == 0) break;
    events += n;
  }
  return events;
}

int worker::advance() { return progress_worker(*this); }
blocking worker::may_block() { return home->lib->arm(handle) == UCS_OK ? blocking::until_readable : blocking::not_now; }

int stream_progress(stream* on) {
  ucx_stream& s = stream_of(on);
  worker& w = *s.rma;
  if (!w.is_separate()) return -1;
  int events = 0;
  w.n_reads.fetch_add(1, std::memory_order_relaxed);
  if (w.call_lock.try_lock()) {
    s.home->separate.take_back(w);
    events = progress_worker(w);
    w.call_lock.unlock();
  }
  return s.signals.is_idle() ? events : -1;
}

void stream_hand_over(stream* on) {
  const ucx_stream& s = stream_of(on);
  if (s.rma->is_separate()) s.home->separate.hand_over_by_thread(*s.rma);
}

bool watch_streams(instance* i) { return own(i).separate.watch(); }

}  // namespace oshen::transport::ucx
