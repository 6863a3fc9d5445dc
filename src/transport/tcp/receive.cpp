#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr int most_reads = 8;  // of one connection in one call

// ---- frames that are complete -------------------------------------------------------------------------------------

char* slice_at(const tcp_connection& c, std::uint64_t offset) { return c.home->home->memory.base + offset; }

void note_executed(tcp_connection& c, const frame_head& h) {
  c.executed.store(c.executed.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (h.wants_acknowledgement) c.wants_acknowledgement = true;
}

void finish_put(tcp_connection& c, const frame& f) {
  if (f.head.kind == frame_kind::put_and_set)
    deliver_signal(c.home->home->memory, f.extension.signal, signal_op::set, f.extension.value);
  if (f.head.kind == frame_kind::put_and_add)
    deliver_signal(c.home->home->memory, f.extension.signal, signal_op::add, f.extension.value);
  note_executed(c, f.head);
}

// The operation of a stream may be closed as soon as it is complete.
void finish_get(tcp_connection& c) {
  pending_get* g = nullptr;
  {
    os::locked hold(c.sending);
    g = c.first_get;
    c.first_get = g->next;
    if (c.first_get == nullptr) c.last_get = nullptr;
    --c.n_gets;
  }
  complete(g->local);
  g->of->operations->leave(g->epoch);
  free(g);
}

void handle_message(tcp_connection& c, const char* bytes, std::size_t n) {
  const open_params& how = c.home->home->how;
  how.on_message(how.owner, c.pe, bytes, n);
}

void answer_get(tcp_connection& c, const frame_head& h) {
  const char* from = slice_at(c, h.at);
  outgoing o{.preamble = {head_of(frame_kind::get_reply, h.bytes, 0), {}},
             .payload = from,
             .is_limited = false,
             .keeps_source = true};
  static_cast<void>(reply(c, o));
}

std::uint64_t apply_at(tcp_connection& c, const frame& f) {
  return apply(slice_at(c, f.head.at), {.op = static_cast<operation>(f.head.code),
                                        .bytes = static_cast<width>(f.head.bytes),
                                        .fetches = f.head.kind == frame_kind::fetch,
                                        .value = f.extension.value,
                                        .compare = f.extension.signal});
}

void answer_fetch(tcp_connection& c, const frame& f) {
  const std::uint64_t before = apply_at(c, f);
  outgoing o{.preamble = {head_of(frame_kind::get_reply, f.head.bytes, 0), {}},
             .payload = reinterpret_cast<const char*>(&before),
             .is_limited = false};
  static_cast<void>(reply(c, o));
}

// Frames without a payload, after their head.
void handle_short(tcp_connection& c, const frame& f) {
  switch (f.head.kind) {
    case frame_kind::get: return answer_get(c, f.head);
    case frame_kind::fetch: return answer_fetch(c, f);
    case frame_kind::atomic: static_cast<void>(apply_at(c, f)); return note_executed(c, f.head);
    case frame_kind::acknowledgement:
      if (f.head.wants_acknowledgement) c.wants_acknowledgement = true;
      return;
    case frame_kind::goodbye: return c.said_goodbye.store(true, std::memory_order_relaxed);
    case frame_kind::message: return handle_message(c, nullptr, 0);
    case frame_kind::put:
    case frame_kind::put_and_set:
    case frame_kind::put_and_add: return finish_put(c, f);
    default: return;
  }
}

void finish_payload(tcp_connection& c) {
  incoming& in = c.in;
  in.to = nullptr;
  if (in.preamble.head.kind == frame_kind::get_reply) return finish_get(c);
  if (in.preamble.head.kind != frame_kind::message) return finish_put(c, in.preamble);
  char* const message = in.assembled;
  in.assembled = nullptr;
  handle_message(c, message, in.preamble.head.bytes);
  free(message);
}

// ---- frames that arrive -------------------------------------------------------------------------------------------

// True if the frame can be meant for this PE; a wrong one ends the connection.
bool is_valid(tcp_connection& c, const frame& f) {
  const memory_regions& memory = c.home->home->memory;
  const frame_head& h = f.head;
  if (h.mark != frame_mark || h.kind < frame_kind::put || h.kind > frame_kind::last) return false;
  switch (h.kind) {
    case frame_kind::put_and_set:
    case frame_kind::put_and_add:
      if (!memory.contains(f.extension.signal, 8) || f.extension.signal % 8 != 0) return false;
      return h.bytes == 0 || memory.contains(h.at, h.bytes);
    case frame_kind::put:
    case frame_kind::get: return h.bytes != 0 && memory.contains(h.at, h.bytes);
    case frame_kind::atomic:
    case frame_kind::fetch:
      return (h.bytes == 4 || h.bytes == 8) && h.at % h.bytes == 0 && memory.contains(h.at, h.bytes) &&
             h.code <= static_cast<std::uint32_t>(operation::bit_xor);
    case frame_kind::get_reply: {
      os::locked hold(c.sending);
      return c.first_get != nullptr && c.first_get->bytes == h.bytes;
    }
    case frame_kind::message: return h.bytes <= message_bytes;
    default: return h.bytes == 0;
  }
}

// The memory for the payload of a frame; null: there is none.
char* destination_of(tcp_connection& c, const frame& f) {
  if (f.head.kind == frame_kind::message) return c.in.assembled = static_cast<char*>(malloc(f.head.bytes));
  if (f.head.kind != frame_kind::get_reply) return slice_at(c, f.head.at);
  os::locked hold(c.sending);
  return c.first_get->to;
}

// A payload that is here whole.
void take_payload(tcp_connection& c, const frame& f, const char* payload) {
  if (f.head.kind == frame_kind::message) return handle_message(c, payload, f.head.bytes);
  deliver(destination_of(c, f), payload, f.head.bytes);
  c.in.preamble = f;
  finish_payload(c);
}

enum class parsed : std::uint8_t { frame, incomplete, begun, invalid };

// Takes one frame from the `n` bytes, or the part of it that is here. `used`: the bytes that it took.
parsed take_frame(tcp_connection& c, const char* bytes, std::size_t n, std::size_t& used) {
  frame f{};
  if (n < sizeof(frame_head)) return parsed::incomplete;
  memcpy(&f.head, bytes, sizeof(frame_head));
  const std::size_t head_bytes = bytes_before_payload(f.head.kind);
  if (n < head_bytes) return parsed::incomplete;
  memcpy(&f, bytes, head_bytes);
  if (!is_valid(c, f)) return parsed::invalid;
  const std::size_t payload = has_payload(f.head.kind) ? f.head.bytes : 0, here = n - head_bytes;
  if (here < payload && payload <= most_stashed) return parsed::incomplete;
  confirm(c, f.head.executed);
  used = head_bytes + std::min(here, payload);
  c.in.was_long = payload >= least_long;
  if (payload == 0) {
    handle_short(c, f);
    return parsed::frame;
  }
  if (here >= payload) {
    take_payload(c, f, bytes + head_bytes);
    return parsed::frame;
  }
  char* const to = destination_of(c, f);
  if (to == nullptr) return parsed::invalid;
  memcpy(to, bytes + head_bytes, here);
  c.in.preamble = f;
  c.in.to = to + here;
  c.in.missing = payload - here;
  return parsed::begun;
}

// Returns the number of frames; less than 0: the peer does not keep to the protocol.
int take_frames(tcp_connection& c, const char* bytes, std::size_t n) {
  int frames = 0;
  while (n != 0) {
    std::size_t used = 0;
    const parsed p = take_frame(c, bytes, n, used);
    if (p == parsed::invalid) return -1;
    if (p == parsed::incomplete) break;
    bytes += used;
    n -= used;
    frames += p == parsed::frame ? 1 : 0;
  }
  memcpy(c.in.stash, bytes, n);
  c.in.stashed = n;
  return frames;
}

// ---- bytes --------------------------------------------------------------------------------------------------------

// Reads once, the rest of a payload straight to its place. After a long payload it reads only the head of the next
// frame with it, so that a next payload of that length is not copied. Returns what recv(2) does; `asked`: the most that
// it could.
ssize_t read_once(tcp_connection& c, std::size_t& asked) {
  engine& e = *c.home;
  tcp_instance& me = *e.home;
  incoming& in = c.in;
  iovec pieces[2] = {{in.to, in.missing}, {e.buffer + in.stashed, in.was_long ? sizeof(frame) : receive_room}};
  if (me.how.chaos_seed != 0) {
    pieces[0].iov_len = in.missing != 0 ? some_of(me, in.missing) : 0;
    pieces[1].iov_len = some_of(me, pieces[1].iov_len);
  }
  asked = pieces[0].iov_len + pieces[1].iov_len;
  for (;;) {
    ssize_t got = 0;
    if (in.missing == 0) {
      got = recv(c.fd, pieces[1].iov_base, pieces[1].iov_len, MSG_DONTWAIT);
    } else if (pieces[0].iov_len < in.missing) {
      asked = pieces[0].iov_len;
      got = recv(c.fd, in.to, asked, MSG_DONTWAIT);
    } else {
      msghdr m{};
      m.msg_iov = pieces;
      m.msg_iovlen = 2;
      got = recvmsg(c.fd, &m, MSG_DONTWAIT);
    }
    if (got >= 0 || errno != EINTR) return got;
  }
}

// Reads once into the record that arrives.
ssize_t read_record(tcp_connection& c, std::size_t& asked) {
  record_reader& in = c.records->in;
  tcp_instance& me = *c.home->home;
  asked = me.how.chaos_seed != 0 ? some_of(me, in.room()) : in.room();
  for (;;) {
    const ssize_t got = recv(c.fd, in.to(), asked, MSG_DONTWAIT);
    if (got >= 0 || errno != EINTR) return got;
  }
}

void end_connection(tcp_connection& c, const char* what, int code) {
  {
    os::locked hold(c.sending);
    lose(c, what, code);
  }
  close_descriptor(c);
}

// Returns the number of events; less than 0: the peer does not keep to the protocol.
int take_bytes(tcp_connection& c, std::size_t n) {
  incoming& in = c.in;
  int frames = 0;
  if (in.missing != 0) {
    const std::size_t of_payload = std::min(n, in.missing);
    in.to += of_payload;
    in.missing -= of_payload;
    n -= of_payload;
    if (in.missing != 0) return 1;  // the rest will follow soon
    finish_payload(c);
    frames = 1;
  }
  const std::size_t stashed = in.stashed;
  if (stashed != 0) memcpy(c.home->buffer, in.stash, stashed);
  const int more = take_frames(c, c.home->buffer, stashed + n);
  return more < 0 ? more : frames + more;
}

// Puts the bytes where read_once() would have put them.
int take_copied(tcp_connection& c, const char* bytes, std::size_t n) {
  const std::size_t of_payload = std::min(n, c.in.missing);
  if (of_payload != 0) memcpy(c.in.to, bytes, of_payload);
  memcpy(c.home->buffer + c.in.stashed, bytes + of_payload, n - of_payload);
  return take_bytes(c, n);
}

constexpr int is_forged = -2;

// The same for bytes that read_record() has read. `is_forged`: a record is not authentic.
int take_records(tcp_connection& c, std::size_t n) {
  record_reader& in = c.records->in;
  in.note_received(n);
  for (int frames = 0;;) {
    const char* payload = nullptr;
    std::size_t bytes = 0;
    switch (in.open(payload, bytes)) {
      case record_reader::result::incomplete: return frames;
      case record_reader::result::forged: return is_forged;
      case record_reader::result::opened: break;
    }
    const int more = take_copied(c, payload, bytes);
    if (more < 0) return more;
    frames += more;
  }
}

// Its socket stays open and is not read any more, so that only this PE reports what has happened.
void end_forged(tcp_connection& c) {
  epoll_ctl(c.home->fd, EPOLL_CTL_DEL, c.fd, nullptr);
  os::locked hold(c.sending);
  const int fd = std::exchange(c.fd, -1);
  lose(c, "the stream was changed on the way: a record is not authentic, is missing or came twice", 0);
  c.home->home->is_broken.store(true, std::memory_order_release);
  c.abandoned_fd = fd;
}

int end_wrong(tcp_connection& c, int why) {
  if (why == is_forged)
    end_forged(c);
  else
    end_connection(c, "the other end does not keep to the protocol", 0);
  return 1;
}

// Receives until nothing more is here; returns the number of events.
int receive_all(tcp_connection& c) {
  int events = 0;
  for (int reads = 0; reads < most_reads; ++reads) {
    std::size_t asked = 0;
    const ssize_t got = c.records == nullptr ? read_once(c, asked) : read_record(c, asked);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got < 0) return end_connection(c, "cannot receive", errno), events + 1;
    if (got == 0) return end_connection(c, "the PE there has closed the connection, or has ended", 0), events + 1;
    const auto n = static_cast<std::size_t>(got);
    const int frames = c.records == nullptr ? take_bytes(c, n) : take_records(c, n);
    if (frames < 0) return events + end_wrong(c, frames);
    events += frames;
    c.home->has_part.store(c.in.missing != 0, std::memory_order_relaxed);
    if (static_cast<std::size_t>(got) < asked) break;
  }
  return events;
}

}  // namespace

int receive(tcp_connection& c) {
  if (c.fd < 0) return 0;
  begin_replies(c);
  const int events = receive_all(c);
  end_replies(c);
  return events;
}

void close_descriptor(tcp_connection& c) {
  os::locked hold(c.sending);
  if (c.fd >= 0) close(c.fd);  // which removes it from the poll set
  c.fd = -1;
}

}  // namespace oshen::transport::tcp
