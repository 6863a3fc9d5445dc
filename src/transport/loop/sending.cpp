#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include <algorithm>

#include "transport/loop/loop.hpp"

namespace oshen::transport {
namespace {

// One datagram.
outcome post(loop_instance& me, peer& to, packet_head head, const void* data, std::size_t bytes) {
  head.key = to.key;
  head.from_pe = me.how.pe;
  head.from_key = me.key;
  head.from_number = me.number;
  iovec parts[2] = {{&head, sizeof head}, {const_cast<void*>(data), bytes}};
  msghdr m{};
  m.msg_name = &to.name;
  m.msg_namelen = to.name_bytes;
  m.msg_iov = parts;
  m.msg_iovlen = bytes == 0 ? 1 : 2;
  const handing_over datagram(to.key, data, bytes);
  for (;;) {
    if (sendmsg(me.fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return outcome::done;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM) return outcome::again;
    to.lost = true;
    me.last_error = errno;
    return outcome::lost;
  }
}

bool carries(const packet_head& head) {
  return head.kind == packet_kind::put || head.kind == packet_kind::bytes || head.kind == packet_kind::message;
}

// Posts what the peer takes; moves `head`, `data` and `left` on. `whole`: nothing is left.
outcome post_some(loop_instance& me, peer& to, packet_head& head, const char*& data, std::size_t& left,
                  loop_stream* of) {
  if (!carries(head)) return post(me, to, head, nullptr, 0);
  for (;;) {
    std::size_t part = std::min(left, packet_bytes);
    // Chaos: in small pieces, which are then late each on its own. What fits a word stays whole.
    if (me.how.chaos_seed != 0 && head.kind != packet_kind::message && part > 8)
      part = std::min(part, 8 + random_of(me) % 4096 / 8 * 8);
    head.bytes = static_cast<std::uint32_t>(part);
    if (of != nullptr) of->uncounted.fetch_add(1, std::memory_order_relaxed);
    const outcome o = post(me, to, head, data, part);
    if (o != outcome::done) {
      if (of != nullptr) of->uncounted.fetch_sub(1, std::memory_order_relaxed);
      return o;
    }
    data += part;
    left -= part;
    head.place += part;
    if (left == 0) return outcome::done;
  }
}

work* new_work(const packet_head& head, const char* data, std::size_t left, loop_stream* of, completion* completes,
               bool copies) {
  auto* w = static_cast<work*>(malloc(sizeof(work) + (copies ? left : 0)));
  if (w == nullptr) return nullptr;
  *w = {.next = nullptr, .head = head, .data = data, .left = left, .of = of, .completes = completes};
  if (copies && left != 0) {
    memcpy(w + 1, data, left);
    w->data = reinterpret_cast<const char*>(w + 1);
  }
  return w;
}

void finish(completion* completes) {
  if (completes != nullptr) completes->left.fetch_sub(1, std::memory_order_release);
}

void drop_first(loop_instance& me, peer& to) {
  work* done = to.first;
  to.first = done->next;
  if (to.first == nullptr) to.last = nullptr;
  if (done->of != nullptr) done->of->uncounted.fetch_sub(1, std::memory_order_release);
  free(done);
  me.works.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

// In the abstract name space: nothing is left in a file system.
socklen_t write_name(sockaddr_un& name, std::uint64_t number) {
  name.sun_family = AF_UNIX;
  name.sun_path[0] = '\0';
  const int length = snprintf(name.sun_path + 1, 48, "oshen-loop-%016llx", static_cast<unsigned long long>(number));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
}

void know(loop_instance& me, int pe, std::uint64_t number, std::uint64_t key) {
  peer& p = me.peers[pe];
  if (p.name_bytes != 0) return;
  p.key = key;
  // Published last: who hears looks at it without the lock.
  std::atomic_ref<socklen_t>(p.name_bytes).store(write_name(p.name, number), std::memory_order_release);
}

// A put that is split stays counted as one more datagram until all of it has left, so that no flush ends between.
outcome send_packets(loop_instance& me, int pe, packet_head head, const void* data, std::size_t bytes, loop_stream* of,
                     completion* completes, if_full then) {
  os::locked hold(me.sending);
  peer& to = me.peers[pe];
  if (to.lost) return outcome::lost;
  const auto* from = static_cast<const char*>(data);
  std::size_t left = bytes;
  outcome o = outcome::again;
  if (to.first == nullptr) o = post_some(me, to, head, from, left, of);
  if (o == outcome::lost) return o;
  if (o == outcome::done) {
    finish(completes);
    return o;
  }
  const bool begun = left != bytes;
  if (!begun && then == if_full::say_again) return outcome::again;
  work* w = new_work(head, from, left, of, completes, then == if_full::keep_copy);
  if (w == nullptr) return outcome::failed;
  if (of != nullptr) of->uncounted.fetch_add(1, std::memory_order_relaxed);
  me.works.fetch_add(1, std::memory_order_relaxed);
  (to.last != nullptr ? to.last->next : to.first) = w;
  to.last = w;
  return outcome::done;
}

int send_work(loop_instance& me) {
  if (me.works.load(std::memory_order_relaxed) == 0) return 0;
  os::locked hold(me.sending);
  int done = 0;
  for (int pe = 0; pe < me.how.n_pes; ++pe) {
    peer& to = me.peers[pe];
    while (to.first != nullptr) {
      work& w = *to.first;
      const std::size_t before = w.left;
      const outcome o = to.lost ? outcome::lost : post_some(me, to, w.head, w.data, w.left, w.of);
      done += w.left != before || o != outcome::again;
      if (o == outcome::again) break;
      if (o == outcome::done) finish(w.completes);
      drop_first(me, to);
    }
  }
  return done;
}

void drop_work(loop_instance& me) {
  for (int pe = 0; pe < me.how.n_pes; ++pe)
    while (me.peers[pe].first != nullptr) drop_first(me, me.peers[pe]);
}

}  // namespace oshen::transport
