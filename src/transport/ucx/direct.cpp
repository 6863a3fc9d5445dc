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
void count_one(std::atomic<Count>& count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

[[gnu::noinline]] void count_on_separate(worker& w) {
  count_one(w.n_direct);
  w.home->separate.note_begun();
}
[[gnu::always_inline]] inline void count_issued(ucx_stream& s) {
  count_one(s.direct_ops.issued);
  if (s.is_separate) [[unlikely]]
    count_on_separate(*s.rma);
}

// UCX has not completed a call. False: it was refused, and the general form learns why.
[[gnu::noinline]] bool begin(ucx_stream& s, int pe, ucs_status_ptr_t result, completion* local) {
  if (begin_spare(s, op_kind::transfer, pe, result, local) != outcome::done) return false;
  count_issued(s);
  return true;
}
[[gnu::noinline]] bool begin_lending(ucx_stream& s, int pe, ucs_status_ptr_t result) {
  completion* const lent = s.direct.sources->enter_until_complete();
  if (begin(s, pe, result, lent)) return true;
  lent->pending.fetch_sub(1, std::memory_order_release);
  return false;
}

// Handles the result of a call.
[[gnu::always_inline]] inline bool is_accepted(ucx_stream& s, int pe, ucs_status_ptr_t result, completion* local) {
  if (result != nullptr) [[unlikely]]
    return begin(s, pe, result, local);
  count_issued(s);
  return true;
}

// The source of an operation that UCX has not completed must stay as it is, so a put that returns its source copies it.
[[gnu::always_inline]] inline const void* copy_source(pending_op& op, const void* from, std::size_t bytes) {
  if (bytes == sizeof(std::uint64_t)) [[likely]]
    return memcpy(op.body, from, sizeof(std::uint64_t));
  return memcpy(op.body, from, bytes);
}

bool put(direct_path& d, const void* from, std::size_t bytes, int pe, std::uint64_t to, bool keeps_source) {
  ucx_stream& s = stream_of(d);
  worker& w = *s.rma;
  if (!keeps_source && bytes > body_bytes) return false;
  os::locked hold(w.lock);
  remote_end there;
  if (!find_end(w, pe, to, bytes, there) || !has_spare(w)) [[unlikely]]
    return false;
  w.spare_how.op_attr_mask = usual_fields;
  if (!keeps_source) from = copy_source(*w.spare, from, bytes);
  void* const begun = w.home->lib->put(there.endpoint, from, bytes, there.at, there.key, &w.spare_how);
  if (begun == nullptr) [[likely]]
    count_issued(s);
  else if (!(keeps_source ? begin_lending(s, pe, begun) : begin(s, pe, begun, nullptr)))
    return false;
  note_target(s, pe);
  return true;
}

bool get(direct_path& d, void* to, std::size_t bytes, int pe, std::uint64_t from, direct_wait* wait) {
  ucx_stream& s = stream_of(d);
  worker& w = *s.rma;
  os::locked hold(w.lock);
  remote_end there;
  if (!find_end(w, pe, from, bytes, there) || !has_spare(w)) [[unlikely]]
    return false;
  w.spare_how.op_attr_mask = usual_fields;
  void* const begun = w.home->lib->get(there.endpoint, to, bytes, there.at, there.key, &w.spare_how);
  completion* const until = wait != nullptr ? new (wait->of_transport) completion{begun != nullptr} : nullptr;
  return is_accepted(s, pe, begun, until);
}

struct direct_atomics {
  template <operation op, width bytes>
  static bool change(direct_path& d, int pe, std::uint64_t at, const std::uint64_t& value) {
    ucx_stream& s = stream_of(d);
    worker& w = *s.rma;
    os::locked hold(w.lock);
    remote_end there;
    if (!find_end(w, pe, at, static_cast<std::size_t>(bytes), there) || !has_spare(w)) [[unlikely]]
      return false;
    if (!is_accepted(s, pe, post_atomic(w, there, {op, bytes, false, value, 0}, nullptr), nullptr)) return false;
    note_target(s, pe);
    return true;
  }

  // An operation with a result is complete at the target when the result is here.
  template <operation op, width bytes>
  static bool fetch(direct_path& d, int pe, std::uint64_t at, const atomic_operands& with, void* result,
                    direct_wait* wait) {
    ucx_stream& s = stream_of(d);
    worker& w = *s.rma;
    os::locked hold(w.lock);
    remote_end there;
    if (!find_end(w, pe, at, static_cast<std::size_t>(bytes), there) || !has_spare(w)) [[unlikely]]
      return false;
    void* const begun = post_atomic(w, there, {op, bytes, true, with.value, with.compare}, result);
    completion* const until = wait != nullptr ? new (wait->of_transport) completion{begun != nullptr} : nullptr;
    return is_accepted(s, pe, begun, until);
  }
};

// One message by the shared worker. The general form sends those of separate streams and those with long bodies.
bool put_signal(direct_path& d, int pe, const put_signal_args& args, bool) {
  ucx_stream& s = stream_of(d);
  ucx_instance& me = *s.home;
  worker& w = me.shared;
  if (s.is_separate || args.bytes > body_bytes) return false;
  os::locked hold(w.lock);
  const connection& c = w.connections[pe];
  if (c.endpoint == nullptr || is_broken(me) || !has_spare(w)) [[unlikely]]
    return false;
  pending_op& op = *w.spare;
  op.head = {.token = me.peers[pe].token,
             .from_token = me.token,
             .from_stream = 0,
             .acknowledged = 0,
             .n_acknowledged = 0,
             .from_pe = me.how.pe,
             .kind = packet_kind::signal,
             .op = args.op,
             .unused = 0,
             .region = 0,
             .offset = args.to,
             .signal = args.signal,
             .value = args.value};
  take_due(me, op.head, pe);
  if (args.bytes != 0) copy_source(op, args.from, args.bytes);
  const std::uint32_t epoch = s.signals.enter();
  op.head.from_stream = ack_name(&s, epoch);
  w.spare_how.op_attr_mask = usual_fields | UCP_OP_ATTR_FIELD_FLAGS;
  w.spare_how.flags = UCP_AM_SEND_FLAG_EAGER | UCP_AM_SEND_FLAG_REPLY;
  void* const begun =
      me.lib->am_send(c.endpoint, message_id, &op.head, sizeof op.head, op.body, args.bytes, &w.spare_how);
  if (is_accepted(s, pe, begun, nullptr)) [[likely]]
    return true;
  s.signals.leave(epoch);
  return false;
}

bool is_over(direct_path&, direct_wait& wait) {
  return completion_of(wait).pending.load(std::memory_order_acquire) == 0;
}

// The caller holds the lock of the worker.
bool has_all_flushed(ucx_stream& s) {
  if (s.n_targets.load(std::memory_order_relaxed) != 0 || !s.in_progress.is_idle() || !s.signals.is_idle())
    return false;
  s.direct_ops.flushed.store(s.direct_ops.issued.load(std::memory_order_relaxed), std::memory_order_release);
  if (s.is_separate) s.rma->n_flushed.store(s.rma->n_direct.load());
  return true;
}

// The network may flush at once.
bool flush_directly(ucx_stream& s) {
  if (is_broken(*s.home)) [[unlikely]]
    return false;
  os::locked hold(s.rma->lock);
  return start_flushes(s) == outcome::done && has_all_flushed(s);
}

bool is_complete(direct_path& d) {
  ucx_stream& s = stream_of(d);
  return s.direct_ops.are_flushed() || flush_directly(s);
}

}  // namespace

void note_flushed(ucx_stream& s) {
  if (s.direct_ops.are_flushed()) return;
  os::locked hold(s.rma->lock);
  has_all_flushed(s);
}

void open_direct(ucx_stream& s) {
  const ucx_instance& me = *s.home;
  s.direct = {.put = put,
              .get = get,
              .amo_calls = me.card_atomics ? &table_of<direct_atomics> : nullptr,
              .put_signal = put_signal,
              .is_over = is_over,
              .is_complete = is_complete,
              .direct_ops = &s.direct_ops};
}

direct_path* direct(stream* on) {
  ucx_stream& s = ucx::stream_of(on);
  return s.home->how.uses_direct && !s.is_ordered ? &s.direct : nullptr;
}

}  // namespace oshen::transport::ucx
