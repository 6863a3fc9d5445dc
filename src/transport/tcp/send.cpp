#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>

#include "transport/tcp/pieces.hpp"
#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr std::size_t most_in_one_piece = 512;  // payloads that are cheaper to copy than to send as a second piece

// Sends the rest of a record; false: some of it must wait, or the socket has failed.
bool send_record(tcp_connection& c, bool& has_failed) {
  record_writer& out = c.records->out;
  if (out.n_unsent() == 0) return true;
  iovec piece{const_cast<char*>(out.unsent()), out.n_unsent()};
  const ssize_t sent = send_bytes(c, &piece, 1);
  has_failed = sent < 0;
  if (sent > 0) out.note_sent(static_cast<std::size_t>(sent));
  return out.n_unsent() == 0;
}

// A record keeps a copy of its bytes, so they count as sent when it is made.
ssize_t send_in_records(tcp_connection& c, iovec* pieces, std::size_t n) {
  ssize_t taken = 0;
  bool has_failed = false;
  while (send_record(c, has_failed)) {
    for (; n != 0 && pieces->iov_len == 0; ++pieces) --n;
    if (n == 0) return taken;
    const std::size_t sealed = c.records->out.seal(pieces, n);
    taken += static_cast<ssize_t>(sealed);
    leave_out(pieces, sealed);
  }
  if (has_failed) return -1;
  note_queued(c);
  return taken;
}

// The number of bytes that have been taken; -1: the socket has failed.
ssize_t send_pieces(tcp_connection& c, iovec* pieces, std::size_t n) {
  return c.records == nullptr ? send_bytes(c, pieces, n) : send_in_records(c, pieces, n);
}

ssize_t send_now(tcp_connection& c, const frame& text, std::size_t head_bytes, const char* payload, std::size_t bytes) {
  if (bytes <= most_in_one_piece) {
    char all[sizeof(frame) + most_in_one_piece];
    memcpy(all, &text, head_bytes);
    if (bytes != 0) collect(all + head_bytes, payload, bytes);
    iovec piece{all, head_bytes + bytes};
    return send_pieces(c, &piece, 1);
  }
  iovec pieces[2] = {{const_cast<frame*>(&text), head_bytes}, {const_cast<char*>(payload), bytes}};
  return send_pieces(c, pieces, 2);
}

// ---- operations without acknowledgement ---------------------------------------------------------------------------

bool has_room_for_run(tcp_connection& c) {
  if (c.n_runs < c.runs_room) return true;
  const std::uint32_t room = std::max(2 * c.runs_room, 4u);
  auto* grown = static_cast<unacknowledged*>(malloc(room * sizeof(unacknowledged)));
  if (grown == nullptr) return false;
  for (std::uint32_t i = 0; i < c.n_runs; ++i) grown[i] = c.runs[(c.first_run + i) % c.runs_room];
  free(c.runs);
  c.runs = grown;
  c.runs_room = room;
  c.first_run = 0;
  return true;
}

// Counts the operation of number c.issued in its stream, until it is acknowledged.
void note_issued(tcp_connection& c, tcp_stream& of) {
  const std::uint32_t epoch = of.operations->enter();
  if (c.n_runs != 0) {
    unacknowledged& latest = c.runs[(c.first_run + c.n_runs - 1) % c.runs_room];
    if (latest.of == &of && latest.epoch == epoch && latest.end == c.issued) {
      ++latest.end;
      return;
    }
  }
  c.runs[(c.first_run + c.n_runs++) % c.runs_room] = {&of, c.issued, c.issued + 1, epoch};
}

// Gives an operation its number, and decides whether it asks for its acknowledgement.
void count_operation(tcp_connection& c, outgoing& o) {
  const bool awaits = o.of != nullptr && !o.of->is_ordered;
  if (awaits) note_issued(c, *o.of);
  ++c.issued;
  if (!awaits) return;
  o.preamble.head.wants_acknowledgement = c.forecast.is_due(c.home->n_flushes.load(std::memory_order_relaxed));
  if (o.preamble.head.wants_acknowledgement)
    c.requested = c.issued;
  else
    note_unasked(c);
}

// ---- the queue ----------------------------------------------------------------------------------------------------

void append(tcp_connection& c, queued_frame* q) {
  if (c.first == nullptr) note_queued(c);
  (c.last != nullptr ? c.last->next : c.first) = q;
  c.last = q;
  if (q->is_limited) ++c.n_limited;
}

queued_frame* new_queued(std::size_t copied) {
  auto* q = static_cast<queued_frame*>(malloc(sizeof(queued_frame) + copied));
  if (q != nullptr) *q = {};
  return q;
}

// Queues the part of a frame that was not sent. A short payload is copied, and its source is free at once.
bool queue_rest(tcp_connection& c, outgoing& o, std::size_t head_bytes, std::size_t bytes, std::size_t sent) {
  const bool copies = !o.keeps_source || bytes <= most_copied;
  queued_frame* q = new_queued(copies ? bytes : 0);
  if (q == nullptr) return false;
  q->preamble = o.preamble;
  q->head_bytes = head_bytes;
  q->payload = o.payload;
  q->payload_bytes = bytes;
  q->sent = sent;
  q->is_limited = o.is_limited;
  if (copies) {
    char* copy = reinterpret_cast<char*>(q + 1);
    if (bytes != 0) collect(copy, o.payload, bytes);
    q->payload = copy;
    complete(o.local);
  } else {
    q->local = o.local;
    if (o.of != nullptr && o.of->is_ordered) {
      q->of = o.of;
      q->epoch = o.of->operations->enter();
    }
  }
  append(c, q);
  return true;
}

void finish_first(tcp_connection& c) {
  queued_frame* q = c.first;
  c.first = q->next;
  if (c.first == nullptr) c.last = nullptr;
  if (q->is_limited) --c.n_limited;
  complete(q->local);
  if (q->of != nullptr) q->of->operations->leave(q->epoch);
  free(q);
}

// The pieces of the first frames in the queue; returns their number.
std::size_t list_pieces(const tcp_connection& c, iovec (&pieces)[most_pieces]) {
  std::size_t n = 0;
  for (queued_frame* q = c.first; q != nullptr && n + 2 <= most_pieces; q = q->next) {
    if (q->sent < q->head_bytes)
      pieces[n++] = {reinterpret_cast<char*>(&q->preamble) + q->sent, q->head_bytes - q->sent};
    const std::size_t of_payload = q->sent > q->head_bytes ? q->sent - q->head_bytes : 0;
    if (of_payload < q->payload_bytes)
      pieces[n++] = {const_cast<char*>(q->payload) + of_payload, q->payload_bytes - of_payload};
  }
  return n;
}

}  // namespace

frame_head head_of(frame_kind kind, std::size_t bytes, std::uint64_t at) {
  return {.bytes = static_cast<std::uint32_t>(bytes),
          .executed = 0,
          .kind = kind,
          .wants_acknowledgement = false,
          .mark = frame_mark,
          .code = 0,
          .at = at};
}

void acknowledge_in(tcp_connection& c, frame_head& head) {
  const std::uint64_t executed = c.executed.load(std::memory_order_acquire);
  c.told.store(executed, std::memory_order_relaxed);
  head.executed = static_cast<std::uint32_t>(executed);
}

outcome submit(tcp_connection& c, outgoing& o) {
  const connection_state now = c.now.load(std::memory_order_relaxed);
  if (now == connection_state::lost) return outcome::lost;
  if (o.is_limited && (now == connection_state::connecting || c.n_limited >= most_queued)) return outcome::would_block;
  const bool is_counted = is_operation(o.preamble.head.kind);
  if (is_counted && !has_room_for_run(c)) return outcome::failed;
  acknowledge_in(c, o.preamble.head);
  const frame_head& head = o.preamble.head;
  const std::size_t head_bytes = bytes_before_payload(head.kind), bytes = has_payload(head.kind) ? head.bytes : 0;
  if (is_counted) count_operation(c, o);
  ssize_t sent = 0;
  if (now == connection_state::open && c.first == nullptr) sent = send_now(c, o.preamble, head_bytes, o.payload, bytes);
  if (sent < 0) {
    lose(c, "cannot send", errno);
    return outcome::lost;
  }
  if (static_cast<std::size_t>(sent) == head_bytes + bytes) {
    complete(o.local);
    return outcome::done;
  }
  if (queue_rest(c, o, head_bytes, bytes, static_cast<std::size_t>(sent))) return outcome::done;
  lose(c, "no memory", 0);
  return outcome::lost;
}

void submit_batch(tcp_connection& c, const char* frames, std::size_t bytes) {
  ssize_t sent = 0;
  if (c.now.load(std::memory_order_relaxed) == connection_state::lost) return;
  if (c.first == nullptr) {
    iovec piece{const_cast<char*>(frames), bytes};
    sent = send_pieces(c, &piece, 1);
  }
  if (sent < 0) return lose(c, "cannot send", errno);
  if (static_cast<std::size_t>(sent) == bytes) return;
  const std::size_t rest = bytes - static_cast<std::size_t>(sent);
  queued_frame* q = new_queued(rest);
  if (q == nullptr) return lose(c, "no memory", 0);
  memcpy(q + 1, frames + sent, rest);
  q->payload = reinterpret_cast<const char*>(q + 1);
  q->payload_bytes = rest;
  append(c, q);
}

int send_queued(tcp_connection& c) {
  int events = 0;
  while (has_unsent(c) && c.now.load(std::memory_order_relaxed) == connection_state::open) {
    iovec pieces[most_pieces];
    const std::size_t n = list_pieces(c, pieces);
    const std::size_t offered = length_of(pieces, n);
    ssize_t sent = send_pieces(c, pieces, n);
    if (sent < 0) return lose(c, "cannot send", errno), events + 1;
    const bool is_all = static_cast<std::size_t>(sent) == offered && !has_unsent_record(c);
    if (sent != 0) ++events;
    for (queued_frame* q = c.first; q != nullptr; q = c.first) {
      const std::size_t rest = q->head_bytes + q->payload_bytes - q->sent;
      if (static_cast<std::size_t>(sent) < rest) {
        q->sent += static_cast<std::size_t>(sent);
        break;
      }
      sent -= static_cast<ssize_t>(rest);
      finish_first(c);
    }
    if (!is_all) break;
  }
  return events;
}

// ---- acknowledgements -----------------------------------------------------------------------------------------------

// Only this function writes c.confirmed, and one thread at a time calls it.
void confirm(tcp_connection& c, std::uint32_t executed) {
  const auto more = static_cast<std::int32_t>(executed - static_cast<std::uint32_t>(c.confirmed));
  if (more <= 0) return;
  os::locked hold(c.sending);
  c.confirmed += static_cast<std::uint64_t>(more);
  while (c.n_runs != 0) {
    unacknowledged& r = c.runs[c.first_run];
    const std::uint64_t end = std::min(c.confirmed, r.end);
    if (end <= r.begin) break;
    const auto n = static_cast<std::uint32_t>(end - r.begin);
    tcp_stream* const of = r.of;
    const std::uint32_t epoch = r.epoch;
    r.begin = end;
    const bool is_over = end == r.end;
    if (is_over) {
      c.first_run = (c.first_run + 1) % c.runs_room;
      --c.n_runs;
    }
    if (of != nullptr) of->operations->leave(epoch, n);  // last: after it a flush may close the stream
    if (!is_over) break;
  }
}

namespace {

void ask(tcp_connection& c, bool again) {
  os::locked hold(c.sending);
  c.is_unasked = false;
  if (c.requested == c.issued || c.now.load(std::memory_order_relaxed) != connection_state::open) return;
  if (again && c.confirmed < c.requested) return note_unasked(c);
  c.forecast.was_missed();
  c.requested = c.issued;
  outgoing o{.preamble = {head_of(frame_kind::acknowledgement, 0, 0), {}}, .is_limited = false};
  o.preamble.head.wants_acknowledgement = true;
  static_cast<void>(submit(c, o));
  c.home->owing.store(&c, std::memory_order_relaxed);
}

}  // namespace

void ask_for_acknowledgements(engine& e, bool again) {
  if (e.unasked.load(std::memory_order_acquire) == nullptr) return;
  tcp_connection* list = nullptr;
  {
    os::locked hold(e.listing);
    list = e.unasked.exchange(nullptr);
  }
  while (list != nullptr) {
    tcp_connection& c = *list;
    list = c.next_unasked;  // first: afterwards another thread may put it into the list
    ask(c, again);
  }
}

// ---- the end --------------------------------------------------------------------------------------------------------

void drop_queue(tcp_connection& c) {
  while (c.first != nullptr) {
    queued_frame* q = c.first;
    c.first = q->next;
    if (q->of != nullptr) q->of->has_lost.store(true, std::memory_order_release);
    free(q);
  }
  c.last = nullptr;
  c.n_limited = 0;
  if (c.records != nullptr) c.records->out.drop();
  for (; c.n_runs != 0; --c.n_runs, c.first_run = (c.first_run + 1) % c.runs_room)
    if (tcp_stream* of = c.runs[c.first_run].of; of != nullptr) of->has_lost.store(true, std::memory_order_release);
  while (c.first_get != nullptr) {
    pending_get* g = c.first_get;
    c.first_get = g->next;
    g->of->has_lost.store(true, std::memory_order_release);
    free(g);
  }
  c.last_get = nullptr;
  c.n_gets = 0;
}

void forget(tcp_instance& me, tcp_stream& s) {
  if (s.operations->is_idle()) return;
  os::locked hold_connections(me.connecting);
  for (tcp_connection* c = me.all_connections; c != nullptr; c = c->next) {
    os::locked hold(c->sending);
    for (std::uint32_t i = 0; i < c->n_runs; ++i) {
      unacknowledged& r = c->runs[(c->first_run + i) % c->runs_room];
      if (r.of != &s) continue;
      s.operations->leave(r.epoch, static_cast<std::uint32_t>(r.end - r.begin));
      r.of = nullptr;
    }
  }
}

// Its operations stay incomplete, which a flush of their streams reports.
void lose(tcp_connection& c, const char* what, int code) {
  if (c.now.exchange(connection_state::lost) == connection_state::lost) return;
  tcp_instance& me = *c.home->home;
  {
    os::locked hold(me.explaining);
    if (me.reason[0] == '\0')
      snprintf(me.reason, sizeof me.reason, "%s%s%s", what, code != 0 ? ": " : "", code != 0 ? strerror(code) : "");
  }
  const bool owes = c.issued != c.confirmed || c.first != nullptr || c.first_get != nullptr;
  drop_queue(c);
  if (c.fd >= 0) shutdown(c.fd, SHUT_RDWR);  // the thread that receives closes it
  if (owes && !c.said_goodbye.load(std::memory_order_relaxed)) me.is_broken.store(true, std::memory_order_release);
}

}  // namespace oshen::transport::tcp
