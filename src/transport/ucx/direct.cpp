// The direct path: a put, get or atomic operation is one call of UCX, with parameters that are ready. UCX completes
// most puts and atomic operations at once, as far as this PE is concerned. Otherwise the spare operation of the worker
// takes part in the call, and is counted in the stream like those of the general form. All of them are complete at the
// target after a flush. So the direct path is complete when a flush has covered as many operations as were issued.
//
// The lock of the worker guards the calls, as UCX demands. So any number of threads may issue on a direct path.
#include <string.h>

#include <new>

#include "transport/ucx/atomics.hpp"

namespace oshen::transport::ucx {
namespace {

static_assert(sizeof(completion) <= sizeof(direct_wait::of_transport));

ucx_stream& stream_of(direct_path& d) { return reinterpret_cast<ucx_stream&>(d); }
completion& completion_of(direct_wait& w) { return *std::launder(reinterpret_cast<completion*>(w.of_transport)); }

// The caller holds the lock that guards the count.
template <class Count>
[[gnu::always_inline]] inline void count_one(std::atomic<Count>& count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// ---- the lock ------------------------------------------------------------------------------------------------------
//
// An operation that meets nothing unusual saves few registers: everything else is a call at its end. So the functions
// called `..._now` begin with the lock and a spare operation, and each of their ends gives the lock back.

[[gnu::always_inline]] inline bool give_back(worker& w, bool result) {
  w.call_lock.unlock();
  return result;
}
[[gnu::noinline, gnu::cold]] bool refuse(worker& w) { return give_back(w, false); }

struct issuer {
  ucx_stream& s;
  worker& w;
};

template <auto now, bool has_lock, class... Arguments>
[[gnu::noinline, gnu::cold]] bool begin_later(direct_path& d, Arguments... arguments) {
  worker& w = *stream_of(d).rma;
  if constexpr (!has_lock) w.call_lock.lock();
  return has_spare(w) ? now(issuer{stream_of(d), w}, arguments...) : give_back(w, false);
}
template <auto now, class... Arguments>
[[gnu::always_inline]] inline bool begin(direct_path& d, Arguments... arguments) {
  worker& w = *stream_of(d).rma;
  if (!w.call_lock.try_lock()) [[unlikely]]
    return begin_later<now, false>(d, arguments...);
  if (w.spare == nullptr) [[unlikely]]
    return begin_later<now, true>(d, arguments...);
  return now(issuer{stream_of(d), w}, arguments...);
}

// The same for atomic operations, of which there are many: their general form waits for the lock.
template <auto now, class... Arguments>
[[gnu::always_inline]] inline bool begin_at_once(direct_path& d, Arguments... arguments) {
  worker& w = *stream_of(d).rma;
  if (!w.call_lock.try_lock()) [[unlikely]]
    return false;
  if (w.spare == nullptr) [[unlikely]]
    return refuse(w);
  return now(issuer{stream_of(d), w}, arguments...);
}

// ---- the ends of an operation --------------------------------------------------------------------------------------

void count_issued(ucx_stream& s) {
  count_one(s.direct_ops.issued);
  if (!s.is_separate) return;
  count_one(s.rma->n_direct);
  s.home->separate.note_begun();
}

[[gnu::noinline]] bool end_read_slowly(ucx_stream& s) {
  count_issued(s);
  return give_back(*s.rma, true);
}
[[gnu::noinline]] bool end_change_slowly(ucx_stream& s, int pe) {
  note_target(s, pe);
  return end_read_slowly(s);
}

// UCX has completed a get, or an operation with a result.
template <bool is_separate>
[[gnu::always_inline]] inline bool end_read(ucx_stream& s) {
  if constexpr (is_separate) return end_read_slowly(s);
  count_one(s.direct_ops.issued);
  return give_back(*s.rma, true);
}
// UCX has completed a put or an operation without a result here, and a flush completes it at the target.
template <bool is_separate>
[[gnu::always_inline]] inline bool end_change(ucx_stream& s, int pe) {
  const int n = s.n_targets.load(std::memory_order_relaxed);
  if (is_separate || (n != 0 && s.targets[0] != pe)) [[unlikely]]
    return end_change_slowly(s, pe);
  if (n == 0) {
    s.targets[0] = pe;
    s.n_targets.store(1, std::memory_order_release);
  }
  return end_read<false>(s);
}

// UCX has not completed a call. False: it was refused, and the general form learns why.
bool is_begun(ucx_stream& s, int pe, ucs_status_ptr_t result, completion* local) {
  if (begin_spare(s, op_kind::transfer, pe, result, local) != outcome::done) return false;
  static_cast<void>(find_spare(*s.rma, if_full::refuse));  // for the next call
  return true;
}
[[gnu::noinline]] bool end_read_begun(ucx_stream& s, int pe, ucs_status_ptr_t result, direct_wait* wait) {
  completion* const until = wait != nullptr ? new (wait->of_transport) completion{1} : nullptr;
  return is_begun(s, pe, result, until) ? end_read_slowly(s) : give_back(*s.rma, false);
}
[[gnu::noinline]] bool end_change_begun(ucx_stream& s, int pe, ucs_status_ptr_t result, bool lends) {
  completion* const lent = lends ? s.direct.sources->enter_until_complete() : nullptr;
  if (is_begun(s, pe, result, lent)) return end_change_slowly(s, pe);
  if (lent != nullptr) lent->pending.fetch_sub(1, std::memory_order_release);
  return give_back(*s.rma, false);
}
[[gnu::noinline]] bool end_signal_begun(ucx_stream& s, int pe, ucs_status_ptr_t result, std::uint32_t epoch) {
  if (is_begun(s, pe, result, nullptr)) return end_read_slowly(s);
  s.signals.leave(epoch);
  return give_back(*s.rma, false);
}

// ---- the operations ------------------------------------------------------------------------------------------------

// The source of an operation that UCX has not completed must stay as it is, so a put that returns its source copies it.
enum class put_source { kept, word, copied };

template <bool is_separate, put_source from_where>
[[gnu::always_inline]] inline bool put_now(issuer by, const void* from, std::size_t bytes, int pe, std::uint64_t to) {
  const auto [s, w] = by;
  remote_end there;
  if (!find_end(w, pe, to, bytes, there)) [[unlikely]]
    return refuse(w);
  if constexpr (from_where == put_source::word) from = memcpy(w.spare->body, from, sizeof(std::uint64_t));
  if constexpr (from_where == put_source::copied) from = memcpy(w.spare->body, from, bytes);
  void* const begun = w.lib->put(there.endpoint, from, bytes, there.at, there.key, &w.spare_how);
  if (begun != nullptr) [[unlikely]]
    return end_change_begun(s, pe, begun, from_where == put_source::kept);
  return end_change<is_separate>(s, pe);
}
template <bool is_separate, put_source from_where>
[[gnu::noinline]] bool put_from(direct_path& d, const void* from, std::size_t bytes, int pe, std::uint64_t to) {
  return begin<put_now<is_separate, from_where>>(d, from, bytes, pe, to);
}
template <bool is_separate>
bool put(direct_path& d, const void* from, std::size_t bytes, int pe, std::uint64_t to, bool keeps_source) {
  if (keeps_source) return put_from<is_separate, put_source::kept>(d, from, bytes, pe, to);
  if (bytes == sizeof(std::uint64_t)) [[likely]]
    return put_from<is_separate, put_source::word>(d, from, bytes, pe, to);
  return bytes <= body_bytes && put_from<is_separate, put_source::copied>(d, from, bytes, pe, to);
}

template <bool is_separate>
[[gnu::always_inline]] inline bool get_now(issuer by, void* to, std::size_t bytes, int pe, std::uint64_t from,
                                           direct_wait* wait) {
  const auto [s, w] = by;
  remote_end there;
  if (!find_end(w, pe, from, bytes, there)) [[unlikely]]
    return refuse(w);
  void* const begun = w.lib->get(there.endpoint, to, bytes, there.at, there.key, &w.spare_how);
  if (begun != nullptr) [[unlikely]]
    return end_read_begun(s, pe, begun, wait);
  if (wait != nullptr) new (wait->of_transport) completion{0};
  return end_read<is_separate>(s);
}
template <bool is_separate>
bool get(direct_path& d, void* to, std::size_t bytes, int pe, std::uint64_t from, direct_wait* wait) {
  return begin<get_now<is_separate>>(d, to, bytes, pe, from, wait);
}

// The shared worker executes them: over a card no worker is separate.
struct direct_atomics {
  template <operation op, width bytes>
  [[gnu::always_inline]] static bool change_now(issuer by, int pe, std::uint64_t at, const std::uint64_t* value) {
    const auto [s, w] = by;
    remote_end there;
    if (!find_end(w, pe, at, static_cast<std::size_t>(bytes), there)) [[unlikely]]
      return refuse(w);
    void* const begun = post_atomic(w, there, {op, bytes, false, *value, 0}, nullptr);
    if (begun != nullptr) [[unlikely]]
      return end_change_begun(s, pe, begun, false);
    return end_change<false>(s, pe);
  }
  template <operation op, width bytes>
  static bool change(direct_path& d, int pe, std::uint64_t at, const std::uint64_t& value) {
    return begin_at_once<change_now<op, bytes>>(d, pe, at, &value);
  }

  // An operation with a result is complete at the target when the result is here.
  template <operation op, width bytes>
  [[gnu::always_inline]] static bool fetch_now(issuer by, int pe, std::uint64_t at, const atomic_operands* with,
                                               void* result, direct_wait* wait) {
    const auto [s, w] = by;
    remote_end there;
    if (!find_end(w, pe, at, static_cast<std::size_t>(bytes), there)) [[unlikely]]
      return refuse(w);
    void* const begun = post_atomic(w, there, {op, bytes, true, with->value, with->compare}, result);
    if (begun != nullptr) [[unlikely]]
      return end_read_begun(s, pe, begun, wait);
    if (wait != nullptr) new (wait->of_transport) completion{0};
    return end_read<false>(s);
  }
  template <operation op, width bytes>
  static bool fetch(direct_path& d, int pe, std::uint64_t at, const atomic_operands& with, void* result,
                    direct_wait* wait) {
    return begin_at_once<fetch_now<op, bytes>>(d, pe, at, &with, result, wait);
  }
};

// One message by the shared worker.
[[gnu::always_inline]] inline bool put_signal_now(issuer by, int pe, const put_signal_args* args) {
  const auto [s, w] = by;
  ucx_instance& me = *s.home;
  const connection& c = w.connections[pe];
  if (c.endpoint == nullptr || is_broken(me)) [[unlikely]]
    return refuse(w);
  pending_op& op = *w.spare;
  op.head = {.token = me.peers[pe].token,
             .from_token = me.token,
             .from_stream = 0,
             .acknowledged = 0,
             .n_acknowledged = 0,
             .from_pe = me.how.pe,
             .kind = packet_kind::signal,
             .op = args->op,
             .unused = 0,
             .region = 0,
             .offset = args->to,
             .signal = args->signal,
             .value = args->value};
  take_due(me, op.head, pe);
  if (args->bytes != 0) memcpy(op.body, args->from, args->bytes);
  const std::uint32_t epoch = s.signals.enter();
  op.head.from_stream = ack_name(&s, epoch);
  void* const begun =
      w.lib->am_send(c.endpoint, message_id, &op.head, sizeof op.head, op.body, args->bytes, &w.signal_how);
  if (begun != nullptr) [[unlikely]]
    return end_signal_begun(s, pe, begun, epoch);
  return end_read<false>(s);
}
// The general form sends those of separate streams and those with long bodies.
bool put_signal(direct_path& d, int pe, const put_signal_args& args, bool) {
  if (stream_of(d).is_separate || args.bytes > body_bytes) return false;
  return begin<put_signal_now>(d, pe, &args);
}

bool is_over(direct_path&, direct_wait& wait) {
  return completion_of(wait).pending.load(std::memory_order_acquire) == 0;
}

// ---- flush ---------------------------------------------------------------------------------------------------------

// The caller holds the lock of the worker.
template <bool is_separate>
[[gnu::always_inline]] inline bool has_all_flushed(ucx_stream& s) {
  if (!s.in_progress.is_idle() || !s.signals.is_idle()) return false;
  s.direct_ops.flushed.store(s.direct_ops.issued.load(std::memory_order_relaxed), std::memory_order_release);
  if constexpr (is_separate) s.rma->n_flushed.store(s.rma->n_direct.load());
  return true;
}

// The stream has several targets or none, or no operation is spare.
template <bool is_separate>
[[gnu::noinline]] bool flush_all(ucx_stream& s) {
  const bool all = !is_broken(*s.home) && start_flushes(s) == outcome::done && has_all_flushed<is_separate>(s);
  return give_back(*s.rma, all);
}
// UCX has not completed the flush of the only target.
[[gnu::noinline]] bool end_flush_begun(ucx_stream& s, ucs_status_ptr_t result) {
  if (begin_spare(s, op_kind::flush, s.targets[0], result, nullptr) == outcome::done)
    s.n_targets.store(0, std::memory_order_release);
  return give_back(*s.rma, false);
}

template <bool is_separate>
[[gnu::always_inline]] inline bool flush_now(issuer by) {
  const auto [s, w] = by;
  if (s.n_targets.load(std::memory_order_relaxed) != 1) [[unlikely]]
    return flush_all<is_separate>(s);
  void* const begun = w.lib->ep_flush(w.connections[s.targets[0]].endpoint, &w.spare_how);
  if (begun != nullptr) [[unlikely]]
    return end_flush_begun(s, begun);
  s.n_targets.store(0, std::memory_order_release);
  return has_all_flushed<is_separate>(s) ? give_back(*s.rma, true) : refuse(*s.rma);
}
// The network may flush at once. A stream whose operation has failed has too many targets for flush_now().
template <bool is_separate>
bool is_complete(direct_path& d) {
  return begin<flush_now<is_separate>>(d);
}

}  // namespace

void note_flushed(ucx_stream& s) {
  if (s.direct_ops.are_flushed()) return;
  os::inline_locked hold(s.rma->call_lock);
  if (s.n_targets.load(std::memory_order_relaxed) != 0) return;
  static_cast<void>(s.is_separate ? has_all_flushed<true>(s) : has_all_flushed<false>(s));
}

namespace {

template <bool is_separate>
direct_path path_of(ucx_stream& s) {
  return {.put = put<is_separate>,
          .get = get<is_separate>,
          .amo_calls = !is_separate && s.home->card_atomics ? &table_of<direct_atomics> : nullptr,
          .put_signal = put_signal,
          .is_over = is_over,
          .is_complete = is_complete<is_separate>,
          .direct_ops = &s.direct_ops};
}

}  // namespace

void open_direct(ucx_stream& s) { s.direct = s.is_separate ? path_of<true>(s) : path_of<false>(s); }

direct_path* direct(stream* on) {
  ucx_stream& s = ucx::stream_of(on);
  return s.home->how.uses_direct && !s.is_ordered ? &s.direct : nullptr;
}

}  // namespace oshen::transport::ucx
