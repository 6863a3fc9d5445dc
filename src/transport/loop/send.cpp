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

// Datagrams that a peer has not read fill the buffer of the socket that sent them, and then no peer gets any more. So a
// peer whose datagram is refused gets a socket of its own, once. Datagrams keep their order: they are in the queue of
// the peer when they have been sent. False: there is none to be had.
bool open_own_socket(peer& to) {
  if (to.has_own_fd) return false;
  to.own_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  to.has_own_fd = to.own_fd >= 0;
  return to.has_own_fd;
}

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
  const kernel_handover datagram(to.key, data, bytes);
  for (;;) {
    if (sendmsg(to.has_own_fd ? to.own_fd : me.fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return outcome::done;
    if (errno == EINTR) continue;
    const bool is_full = errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM;
    if (is_full && open_own_socket(to)) continue;
    if (is_full) return outcome::would_block;
    to.lost = true;
    me.last_error = errno;
    return outcome::lost;
  }
}

bool has_payload(const packet_head& head) {
  return head.kind == packet_kind::put || head.kind == packet_kind::get_reply || head.kind == packet_kind::message;
}

// Under chaos puts go in small chunks, each of which is delayed separately. Chunks of up to 8 bytes stay whole.
std::size_t chunk_of(loop_instance& me, const operation_packets& p) {
  const std::size_t n = std::min(p.left, packet_bytes);
  const bool split = me.how.chaos_seed != 0 && p.head.kind != packet_kind::message && n > 8;
  return split ? std::min(n, 8 + random_of(me) % 4096 / 8 * 8) : n;
}

// Sends the datagrams that the peer's socket takes, and removes them from `p`. Done: none is left.
outcome post_chunks(loop_instance& me, peer& to, operation_packets& p) {
  if (!has_payload(p.head)) return post(me, to, p.head, nullptr, 0);
  for (;;) {
    const std::size_t n = chunk_of(me, p);
    p.head.bytes = static_cast<std::uint32_t>(n);
    if (p.of != nullptr) p.of->operations.add(p.head.counted_in, 1);
    const outcome o = post(me, to, p.head, p.data, n);
    if (o != outcome::done) {
      if (p.of != nullptr) p.of->operations.leave(p.head.counted_in);
      return o;
    }
    p.data += n;
    p.left -= n;
    p.head.offset += n;
    if (p.left == 0) return outcome::done;
  }
}

queued* new_queued(const operation_packets& packets, bool copies) {
  auto* q = static_cast<queued*>(malloc(sizeof(queued) + (copies ? packets.left : 0)));
  if (q == nullptr) return nullptr;
  *q = {.next = nullptr, .packets = packets};
  if (copies && packets.left != 0) {
    memcpy(q + 1, packets.data, packets.left);
    q->packets.data = reinterpret_cast<const char*>(q + 1);
  }
  return q;
}

void complete(completion* local) {
  if (local != nullptr) local->pending.fetch_sub(1, std::memory_order_release);
}

// A put counts as one more datagram until all of it has been sent, so that no flush succeeds before.
void begin_put(operation_packets& p) {
  if (p.of != nullptr) p.head.counted_in = p.of->operations.enter() & 1;
}
void end_put(const operation_packets& p) {
  if (p.of != nullptr) p.of->operations.leave(p.head.counted_in);
}

void drop_first(loop_instance& me, peer& to) {
  queued* done = to.first;
  to.first = done->next;
  if (to.first == nullptr) to.last = nullptr;
  end_put(done->packets);
  free(done);
  me.n_queued.fetch_sub(1, std::memory_order_relaxed);
}

// Sends the queue of one peer, up to the datagram that its socket does not take; returns how many operations advanced.
int send_queue_of(loop_instance& me, peer& to) {
  int advanced = 0;
  while (to.first != nullptr) {
    operation_packets& p = to.first->packets;
    const std::size_t before = p.left;
    const outcome o = to.lost ? outcome::lost : post_chunks(me, to, p);
    advanced += p.left != before || o != outcome::would_block;
    if (o == outcome::would_block) break;
    if (o == outcome::done) complete(p.local);
    drop_first(me, to);
  }
  return advanced;
}

}  // namespace

// The abstract name space leaves nothing in a file system.
socklen_t write_name(sockaddr_un& name, std::uint64_t number) {
  name.sun_family = AF_UNIX;
  name.sun_path[0] = '\0';
  const int length = snprintf(name.sun_path + 1, 48, "oshen-loop-%016llx", static_cast<unsigned long long>(number));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
}

void learn_address(loop_instance& me, int pe, std::uint64_t number, std::uint64_t key) {
  peer& p = me.peers[pe];
  if (p.name_bytes != 0) return;
  p.key = key;
  // Stored last: the receiving thread reads it without the lock.
  std::atomic_ref<socklen_t>(p.name_bytes).store(write_name(p.name, number), std::memory_order_release);
}

outcome send_packets(loop_instance& me, int pe, operation_packets packets, if_full then) {
  os::locked hold(me.sending);
  peer& to = me.peers[pe];
  if (to.lost) return outcome::lost;
  const std::size_t bytes = packets.left;
  begin_put(packets);
  const outcome o = to.first == nullptr ? post_chunks(me, to, packets) : outcome::would_block;
  const bool refuses = o == outcome::would_block && packets.left == bytes && then == if_full::refuse;
  if (o == outcome::done) complete(packets.local);
  if (o != outcome::would_block || refuses) {
    end_put(packets);
    return o;
  }
  queued* q = new_queued(packets, then == if_full::queue_copy);
  if (q == nullptr) {
    end_put(packets);
    return outcome::failed;
  }
  me.n_queued.fetch_add(1, std::memory_order_relaxed);
  if (to.first == nullptr) {
    to.next = me.queueing;
    me.queueing = &to;
  }
  (to.last != nullptr ? to.last->next : to.first) = q;
  to.last = q;
  return outcome::done;
}

int send_queued(loop_instance& me) {
  if (me.n_queued.load(std::memory_order_relaxed) == 0) return 0;
  os::locked hold(me.sending);
  int advanced = 0;
  for (peer** at = &me.queueing; *at != nullptr;) {
    peer& to = **at;
    advanced += send_queue_of(me, to);
    if (to.first == nullptr)
      *at = to.next;
    else
      at = &to.next;
  }
  return advanced;
}

void drop_queued(loop_instance& me) {
  for (; me.queueing != nullptr; me.queueing = me.queueing->next)
    while (me.queueing->first != nullptr) drop_first(me, *me.queueing);
}

}  // namespace oshen::transport
