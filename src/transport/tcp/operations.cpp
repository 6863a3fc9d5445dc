// The operations of streams, and their direct path.
#include <stdlib.h>

#include <new>

#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

outgoing put_of(tcp_stream& s, const put_signal_args& a, frame_kind kind, completion* local) {
  return {.preamble = {head_of(kind, a.bytes, a.to), {a.signal, a.value}},
          .payload = static_cast<const char*>(a.from),
          .local = local,
          .of = &s,
          .keeps_source = true};
}

outcome issue_put(tcp_stream& s, int pe, const put_signal_args& args, frame_kind kind, completion* local) {
  tcp_connection* c = connection_to(*s.via, pe);
  if (c == nullptr) return outcome::failed;
  os::locked hold(c->sending);
  outgoing o = put_of(s, args, kind, local);
  return note_begun(s, submit(*c, o));
}

frame_kind kind_of(signal_op op) { return op == signal_op::set ? frame_kind::put_and_set : frame_kind::put_and_add; }

// `request` is a get, or an atomic operation whose result goes to `to`.
outcome issue_get(tcp_connection& c, tcp_stream& s, void* to, const frame& request, completion* local) {
  os::locked hold(c.sending);
  if (c.n_gets >= most_gets) return outcome::would_block;
  auto* g = static_cast<pending_get*>(malloc(sizeof(pending_get)));
  if (g == nullptr) return outcome::failed;
  *g = {.next = nullptr,
        .to = static_cast<char*>(to),
        .bytes = request.head.bytes,
        .local = local,
        .of = &s,
        .epoch = s.operations->enter()};
  outgoing o{.preamble = request};
  const std::uint64_t requested = c.requested;
  c.requested = c.issued;  // the reply acknowledges
  const outcome done = note_begun(s, submit(c, o));
  if (done != outcome::done) {
    c.requested = requested;
    s.operations->leave(g->epoch);
    free(g);
    return done;
  }
  (c.last_get != nullptr ? c.last_get->next : c.first_get) = g;
  c.last_get = g;
  ++c.n_gets;
  c.home->owing.store(&c, std::memory_order_relaxed);
  return done;
}

}  // namespace

outcome put(stream* on, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local) {
  const put_signal_args args{.to = to, .from = from, .bytes = bytes, .signal = 0, .value = 0, .op = signal_op::set};
  return issue_put(*own(on), pe, args, frame_kind::put, local);
}

outcome put_signal(stream* on, int pe, const put_signal_args& args, completion* local) {
  return issue_put(*own(on), pe, args, kind_of(args.op), local);
}

outcome get(stream* on, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local) {
  tcp_connection* c = connection_to(*own(on)->via, pe);
  const frame request{head_of(frame_kind::get, bytes, from), {}};
  return c != nullptr ? issue_get(*c, *own(on), to, request, local) : outcome::failed;
}

namespace {

frame request_of(std::uint64_t at, const atomic_op& op, bool fetches) {
  frame f{head_of(fetches ? frame_kind::fetch : frame_kind::atomic, static_cast<std::size_t>(op.bytes), at),
          {op.compare, op.value}};
  f.head.code = static_cast<std::uint32_t>(op.op);
  return f;
}

outcome issue_atomic(tcp_connection& c, tcp_stream& s, const frame& request, completion* local) {
  os::locked hold(c.sending);
  outgoing o{.preamble = request, .local = local, .of = &s};
  return note_begun(s, submit(c, o));
}

}  // namespace

// Without a result, it is complete locally when it is sent.
outcome atomic(stream* on, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local) {
  tcp_connection* c = connection_to(*own(on)->via, pe);
  if (c == nullptr) return outcome::failed;
  const frame request = request_of(at, op, result != nullptr);
  return result != nullptr ? issue_get(*c, *own(on), result, request, local)
                           : issue_atomic(*c, *own(on), request, local);
}

// The reply of the peer comes by the shared connection, which it may be unable to make.
outcome send(instance* i, stream* on, int pe, const void* bytes, std::size_t n) {
  tcp_connection* c = connection_to(on != nullptr ? *own(on)->via : own(i).shared, pe);
  if (c == nullptr) return outcome::failed;
  if (on != nullptr && is_separate(*own(on))) {
    const tcp_connection* back = connection_to(own(i).shared, pe);
    if (back == nullptr) return outcome::failed;
    if (back->now.load(std::memory_order_acquire) == connection_state::connecting) return outcome::would_block;
  }
  outgoing o{.preamble = {head_of(frame_kind::message, n, 0), {}},
             .payload = static_cast<const char*>(bytes),
             .is_limited = on != nullptr};
  if (on == nullptr) return reply(*c, o);
  os::locked hold(c->sending);
  const outcome done = submit(*c, o);
  if (done == outcome::done) c->home->owing.store(c, std::memory_order_relaxed);
  return done;
}

// A connection keeps the order of its frames.
outcome fence(stream*, stream_point&) { return outcome::done; }

outcome flush(stream* on, stream_point& point) {
  tcp_stream& s = *own(on);
  if (is_complete(s)) return s.has_lost.load(std::memory_order_acquire) ? outcome::lost : outcome::done;
  const bool again = point.begun;
  if (!again) {
    point = {.begun = true, .epochs = {s.operations->now()}};
    s.via->n_flushes.fetch_add(1, std::memory_order_relaxed);
  }
  if (s.has_lost.load(std::memory_order_acquire)) return outcome::lost;
  if (s.operations->have_passed(point.epochs[0])) return outcome::done;
  ask_for_acknowledgements(*s.via, again);
  return outcome::would_block;
}

bool is_complete(tcp_stream& s) {
  const std::uint64_t issued = s.direct_ops.n_issued();
  if (!s.operations->is_idle()) return false;
  s.direct_ops.flushed.store(issued, std::memory_order_release);
  return true;
}

// ---- the direct path ------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t most_direct_copied = 64 * 1024;

tcp_stream& stream_of(direct_path& d) {
  return *reinterpret_cast<tcp_stream*>(reinterpret_cast<char*>(&d) - offsetof(tcp_stream, direct));
}

// The connection to the PE, if it is open.
tcp_connection* open_connection(tcp_stream& s, int pe) {
  tcp_connection* c = s.via->by_pe[pe].load(std::memory_order_acquire);
  return c != nullptr && c->now.load(std::memory_order_relaxed) == connection_state::open ? c : nullptr;
}

void count_direct(tcp_stream& s) { s.direct_ops.issued.fetch_add(1, std::memory_order_release); }

bool put_directly(tcp_stream& s, int pe, const put_signal_args& args, frame_kind kind, bool keeps_source) {
  tcp_connection* c = open_connection(s, pe);
  if (c == nullptr || (!keeps_source && args.bytes > most_direct_copied) || args.bytes > max_transfer_bytes)
    return false;
  completion* const lent =
      keeps_source && args.bytes > most_copied ? s.direct.sources->enter_until_complete() : nullptr;
  os::locked hold(c->sending);
  outgoing o = put_of(s, args, kind, lent);
  o.keeps_source = keeps_source;
  if (note_begun(s, submit(*c, o)) != outcome::done) {
    complete(lent);
    return false;
  }
  count_direct(s);
  return true;
}

bool direct_put(direct_path& d, const void* from, std::size_t bytes, int pe, std::uint64_t to, bool keeps_source) {
  const put_signal_args args{.to = to, .from = from, .bytes = bytes, .signal = 0, .value = 0, .op = signal_op::set};
  return put_directly(stream_of(d), pe, args, frame_kind::put, keeps_source);
}

bool direct_put_signal(direct_path& d, int pe, const put_signal_args& args, bool keeps_source) {
  return put_directly(stream_of(d), pe, args, kind_of(args.op), keeps_source);
}

// The completion of a blocking operation lies in its wait.
completion& completion_in(direct_wait& wait) { return *reinterpret_cast<completion*>(wait.of_transport); }

bool direct_get(direct_path& d, void* to, std::size_t bytes, int pe, std::uint64_t from, direct_wait* wait) {
  tcp_stream& s = stream_of(d);
  tcp_connection* c = open_connection(s, pe);
  if (c == nullptr || bytes > max_transfer_bytes) return false;
  completion* local = wait != nullptr ? new (wait->of_transport) completion{1} : nullptr;
  if (issue_get(*c, s, to, {head_of(frame_kind::get, bytes, from), {}}, local) != outcome::done) return false;
  count_direct(s);
  return true;
}

struct direct_atomics {
  template <operation op, width bytes>
  static bool change(direct_path& d, int pe, std::uint64_t at, const std::uint64_t& value) {
    tcp_stream& s = stream_of(d);
    tcp_connection* c = open_connection(s, pe);
    const atomic_op what{.op = op, .bytes = bytes, .fetches = false, .value = value, .compare = 0};
    if (c == nullptr || issue_atomic(*c, s, request_of(at, what, false), nullptr) != outcome::done) return false;
    count_direct(s);
    return true;
  }

  template <operation op, width bytes>
  static bool fetch(direct_path& d, int pe, std::uint64_t at, const atomic_operands& with, void* result,
                    direct_wait* wait) {
    tcp_stream& s = stream_of(d);
    tcp_connection* c = open_connection(s, pe);
    if (c == nullptr) return false;
    completion* local = wait != nullptr ? new (wait->of_transport) completion{1} : nullptr;
    const atomic_op what{.op = op, .bytes = bytes, .fetches = true, .value = with.value, .compare = with.compare};
    if (issue_get(*c, s, result, request_of(at, what, true), local) != outcome::done) return false;
    count_direct(s);
    return true;
  }
};

bool is_over(direct_path&, direct_wait& wait) {
  return completion_in(wait).pending.load(std::memory_order_acquire) == 0;
}

}  // namespace

void open_direct(tcp_stream& s) {
  s.direct = {.put = direct_put,
              .get = direct_get,
              .amo_calls = &table_of<direct_atomics>,
              .put_signal = direct_put_signal,
              .is_over = is_over,
              .is_complete = [](direct_path& d) { return is_complete(stream_of(d)); },
              .direct_ops = &s.direct_ops,
              .keeps_order = true};
}

}  // namespace oshen::transport::tcp
