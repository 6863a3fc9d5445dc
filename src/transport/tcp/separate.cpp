// Engines: the one that streams share, and those of separate streams (transport/separate.hpp). A separate stream has a
// connection of its own to each PE, on which its operations leave and their replies arrive.
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <new>

#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {

bool open_engine(engine& e, tcp_instance& me) {
  const auto n_pes = static_cast<std::size_t>(me.how.n_pes);
  e.home = &me;
  e.by_pe = static_cast<std::atomic<tcp_connection*>*>(calloc(n_pes, sizeof(std::atomic<tcp_connection*>)));
  e.fd = epoll_create1(EPOLL_CLOEXEC);
  return e.by_pe != nullptr && e.fd >= 0;
}

void close_engine(engine& e) {
  if (e.fd >= 0) close(e.fd);
  free(e.by_pe);
}

engine* take_separate(tcp_instance& me) {
  if (engine* unused = me.separate.take_unused(); unused != nullptr) return unused;
  void* memory = aligned_alloc(alignof(engine), (sizeof(engine) + alignof(engine) - 1) & ~(alignof(engine) - 1));
  if (memory == nullptr) return nullptr;
  auto* e = new (memory) engine;
  if (open_engine(*e, me)) {
    me.separate.add(e, me.shared.fd);
    return e;
  }
  close_engine(*e);
  e->~engine();
  free(memory);
  return nullptr;
}

// Streams are closed, and so are all connections.
void close_separate(tcp_instance& me) {
  while (engine* e = me.separate.remove_one()) {
    close_engine(*e);
    e->~engine();
    free(e);
  }
  me.separate.close_poll_set();
}

int stream_progress(stream* on) {
  tcp_stream& s = *own(on);
  if (!is_separate(s)) return -1;
  engine& e = *s.via;
  e.n_calls.fetch_add(1, std::memory_order_relaxed);
  if (!e.receiving.try_lock()) return 0;
  s.home->separate.take_back(e);
  const int events = e.advance();
  e.receiving.unlock();
  return events;
}

void stream_hand_over(stream* on) {
  const tcp_stream& s = *own(on);
  if (is_separate(s)) s.home->separate.hand_over_by_thread(*s.via);
}

bool watch_streams(instance* i) { return own(i).separate.watch(); }

}  // namespace oshen::transport::tcp
