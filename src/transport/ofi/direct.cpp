// The direct path: a put, get or atomic operation is one call of the provider. Nothing is allocated for it and no
// completion comes back: the provider's counters tell how many operations are complete. They count the operations of
// all paths of an endpoint, so the direct path is complete when as many operations are complete as were ever issued.
//
// A path has one issuer at a time if it is that of a private or serialized context with an endpoint of its own, or of a
// job below SHMEM_THREAD_MULTIPLE. On all others any number of threads issue. The numbers may
// then never meet while others go on, so a flush that has waited for a while holds up all operations until they do.
// The counters do not tell contexts apart either. So one context of an endpoint has the direct path, and the quiet of
// another one does not wait for its operations.
#include <stdlib.h>
#include <string.h>

#include <new>

#include "transport/ofi/atomics.hpp"
#include "transport/ofi/providers.hpp"

namespace oshen::transport::ofi {
namespace {

// A blocking operation asks for a completion, which names it.
struct direct_target : completion_target {
  direct_wait* blocked;
};
static_assert(sizeof(direct_target) <= sizeof(direct_wait::of_transport));

ofi_stream& stream_of(direct_path& d) { return reinterpret_cast<ofi_stream&>(d); }
const ofi_stream& stream_of(const direct_path& d) { return reinterpret_cast<const ofi_stream&>(d); }

// One thread at a time writes the count.
[[gnu::always_inline]] inline void count_one(std::atomic<std::uint64_t>& count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// What the functions of a path know when they are compiled.
struct path_kind {
  bool is_whole;         // the slice of each PE is one region
  bool has_short_calls;  // calls without flags complete at delivery
  bool has_one_issuer;
};

// With several issuers, operations count before the call, because the provider may have counted them when it returns.
// An operation that was refused after that is withdrawn. Both numbers only grow.
template <path_kind k>
[[gnu::always_inline]] inline void announce(tx_endpoint& tx, std::uint64_t n = 1) {
  if constexpr (!k.has_one_issuer) tx.direct_ops.issued.fetch_add(n);
}
template <path_kind k>
[[gnu::always_inline]] inline void withdraw(tx_endpoint& tx, std::uint64_t n = 1) {
  if constexpr (!k.has_one_issuer) tx.n_withdrawn.fetch_add(n);
}
// With one, they count when the provider has accepted them.
template <path_kind k>
[[gnu::always_inline]] inline void accept_write(tx_endpoint& tx) {
  if constexpr (k.has_one_issuer) count_one(tx.direct_ops.issued);
}
// In this order: the number of writes never seems smaller than it is.
template <path_kind k>
[[gnu::always_inline]] inline void accept_read(tx_endpoint& tx) {
  if constexpr (!k.has_one_issuer) return;
  count_one(tx.direct_ops.issued);
  count_one(tx.direct_reads);
}

// The provider has accepted a put whose source it may read until the put is complete. The count of the operation comes
// first, so that a flush that sees this number covers the put.
template <path_kind k>
[[gnu::always_inline]] inline void note_lent(direct_counts& counts) {
  if constexpr (k.has_one_issuer)
    counts.n_lent.store(counts.issued.load(std::memory_order_relaxed), std::memory_order_release);
  else
    counts.n_lent.fetch_add(1);
}

// The other end of an operation.
struct remote_end {
  std::uint64_t key, origin;
  fi_addr_t address;
};

// False: the peer is not ready for the operation. `is_whole`: the slice of each PE is one region.
template <bool is_whole>
[[gnu::always_inline]] inline bool find_end(const tx_endpoint& tx, int pe, std::uint64_t offset, std::size_t bytes,
                                            remote_end& found) {
  const direct_route& r = tx.routes[pe];
  const remote_key* const keys = r.keys.load(std::memory_order_acquire);
  if (keys == nullptr) [[unlikely]]
    return false;
  if constexpr (is_whole) {
    found = {r.key, r.origin, r.address};
    return true;
  }
  const std::uint64_t region = offset >> tx.region_shift;
  const remote_key& k = keys[region];
  found = {k.key, k.origin, r.address};
  return (offset + bytes - 1) >> tx.region_shift == region && k.is_here.load(std::memory_order_acquire);
}

template <path_kind k>
[[gnu::always_inline]] inline bool find_end(const tx_endpoint& tx, int pe, std::uint64_t offset, std::size_t bytes,
                                            remote_end& found) {
  if constexpr (!k.has_one_issuer)
    if (tx.n_holding.load(std::memory_order_relaxed) != 0) [[unlikely]]
      return false;
  return find_end<k.is_whole>(tx, pe, offset, bytes, found);
}

[[gnu::noinline]] void* name_in_completion(direct_wait* wait) {
  wait->expected = 0;
  auto* target = new (wait->of_transport) direct_target;
  target->kind = op_kind::direct;
  target->blocked = wait;
  return target;
}

// A read without a wait, or the only one in progress of the only issuer, is counted; `wait` then has the count of its
// end. Other reads ask for a completion, which names the wait. Returns its target, or null.
template <path_kind k>
[[gnu::always_inline]] inline void* target_of(tx_endpoint& tx, direct_wait* wait) {
  if (wait == nullptr) return nullptr;
  if constexpr (!k.has_one_issuer) return name_in_completion(wait);
  const std::uint64_t issued =
      tx.direct_reads.load(std::memory_order_relaxed) + tx.posted_reads.load(std::memory_order_relaxed);
  wait->expected = issued + 1;
  if (issued == tx.reads_seen) [[likely]]
    return nullptr;
  tx.reads_seen = fi_cntr_read(tx.reads_done);
  if (issued == tx.reads_seen) return nullptr;
  return name_in_completion(wait);
}

bool is_over(direct_path& d, direct_wait& wait) {
  if (wait.expected == 0) return wait.is_over.load(std::memory_order_acquire);
  tx_endpoint& tx = *stream_of(d).tx;
  if (fi_cntr_read(tx.reads_done) < wait.expected) return false;
  tx.reads_seen = wait.expected;
  return true;
}

// Some providers claim remote CQ data and refuse it at the first use.
[[gnu::noinline, gnu::cold]] bool refused(tx_endpoint& tx, ssize_t code) {
  if (code == -FI_EAGAIN) tx.direct_ops.n_full.fetch_add(1, std::memory_order_relaxed);
  if (code == -FI_EBADFLAGS || code == -FI_ENOSYS) tx.tells_target.store(false, std::memory_order_relaxed);
  return false;
}

// Calls without flags should complete as tx_attr->op_flags says: at delivery. In ofi_rxm they complete when the source
// may be reused, so there a call names its flags, which costs a message.
template <bool has_short_calls>
[[gnu::always_inline]] inline ssize_t write(const tx_endpoint& tx, const remote_end& there, std::uint64_t to,
                                            const void* from, std::size_t bytes, bool lends) {
  const fi_ops_rma& calls = *tx.endpoint->rma;
  const bool is_copied = !lends, tells_target = tx.tells_target.load(std::memory_order_relaxed);
  if constexpr (!has_short_calls) {
    const iovec here{const_cast<void*>(from), bytes};
    const fi_rma_iov target{there.origin + to, bytes, there.key};
    const fi_msg_rma what{&here, nullptr, 1, there.address, &target, 1, nullptr, 0};
    return calls.writemsg(tx.endpoint, &what,
                          FI_DELIVERY_COMPLETE | (is_copied ? FI_INJECT : 0) | (tells_target ? FI_REMOTE_CQ_DATA : 0));
  }
  if (is_copied) {
    if (tells_target) return calls.injectdata(tx.endpoint, from, bytes, 0, there.address, there.origin + to, there.key);
    return calls.inject(tx.endpoint, from, bytes, there.address, there.origin + to, there.key);
  }
  if (tells_target)
    return calls.writedata(tx.endpoint, from, bytes, nullptr, 0, there.address, there.origin + to, there.key, nullptr);
  return calls.write(tx.endpoint, from, bytes, nullptr, there.address, there.origin + to, there.key, nullptr);
}

template <path_kind k>
bool put(direct_path& d, const void* from, std::size_t bytes, int pe, std::uint64_t to, bool keeps_source) {
  tx_endpoint& tx = *stream_of(d).tx;
  remote_end there;
  if (!find_end<k>(tx, pe, to, bytes, there)) [[unlikely]]
    return false;
  const bool lends = bytes > tx.copied_by_provider;
  if (lends && (!keeps_source || bytes > tx.longest_direct)) return false;
  announce<k>(tx);
  if (const ssize_t code = write<k.has_short_calls>(tx, there, to, from, bytes, lends); code != 0) [[unlikely]] {
    withdraw<k>(tx);
    return refused(tx, code);
  }
  accept_write<k>(tx);
  if (lends) note_lent<k>(tx.direct_ops);
  note_begun(tx);
  return true;
}

template <path_kind k>
bool get(direct_path& d, void* to, std::size_t bytes, int pe, std::uint64_t from, direct_wait* wait) {
  tx_endpoint& tx = *stream_of(d).tx;
  remote_end there;
  if (!find_end<k>(tx, pe, from, bytes, there) || bytes > tx.longest_direct) [[unlikely]]
    return false;
  void* const target = target_of<k>(tx, wait);
  ssize_t code = 0;
  announce<k>(tx);
  if (target == nullptr) [[likely]] {
    code =
        tx.endpoint->rma->read(tx.endpoint, to, bytes, nullptr, there.address, there.origin + from, there.key, nullptr);
  } else {
    const iovec here{to, bytes};
    const fi_rma_iov source{there.origin + from, bytes, there.key};
    const fi_msg_rma what{&here, nullptr, 1, there.address, &source, 1, target, 0};
    code = tx.endpoint->rma->readmsg(tx.endpoint, &what, FI_COMPLETION);
  }
  if (code != 0) [[unlikely]] {
    withdraw<k>(tx);
    return refused(tx, code);
  }
  accept_read<k>(tx);
  note_begun(tx);
  return true;
}

template <path_kind k>
struct direct_atomics {
  template <operation op, width bytes>
  static bool change(direct_path& d, int pe, std::uint64_t at, const std::uint64_t& value) {
    tx_endpoint& tx = *stream_of(d).tx;
    remote_end there;
    if (!find_end<k>(tx, pe, at, static_cast<std::size_t>(bytes), there)) [[unlikely]]
      return false;
    ssize_t code = 0;
    announce<k>(tx);
    if constexpr (k.has_short_calls)
      code = tx.endpoint->atomic->inject(tx.endpoint, &value, 1, there.address, there.origin + at, there.key,
                                         type_of(bytes), op_of(op));
    else
      code = post_atomic_message(tx, {there.address, there.origin + at, there.key}, {op, bytes, false, value, 0},
                                 nullptr, nullptr);
    if (code != 0) [[unlikely]] {
      withdraw<k>(tx);
      return refused(tx, code);
    }
    accept_write<k>(tx);
    note_begun(tx);
    return true;
  }

  // The operands of a blocked operation stay until its end; the provider copies those of others.
  template <operation op, width bytes>
  static bool fetch(direct_path& d, int pe, std::uint64_t at, const atomic_operands& with, void* result,
                    direct_wait* wait) {
    tx_endpoint& tx = *stream_of(d).tx;
    remote_end there;
    if (!find_end<k>(tx, pe, at, static_cast<std::size_t>(bytes), there)) [[unlikely]]
      return false;
    void* const target = target_of<k>(tx, wait);
    const std::uint64_t object = there.origin + at;
    const fi_ops_atomic& calls = *tx.endpoint->atomic;
    ssize_t code = 0;
    announce<k>(tx);
    if (wait == nullptr || target != nullptr) [[unlikely]]
      code = post_atomic_message(tx, {there.address, object, there.key}, {op, bytes, true, with.value, with.compare},
                                 result, target);
    else if constexpr (op == operation::compare_swap)
      code = calls.compwrite(tx.endpoint, &with.value, 1, nullptr, &with.compare, nullptr, result, nullptr,
                             there.address, object, there.key, type_of(bytes), op_of(op), nullptr);
    else
      code = calls.readwrite(tx.endpoint, &with.value, 1, nullptr, result, nullptr, there.address, object, there.key,
                             type_of(bytes), op_of(op), nullptr);
    if (code != 0) [[unlikely]] {
      withdraw<k>(tx);
      return refused(tx, code);
    }
    accept_read<k>(tx);
    note_begun(tx);
    return true;
  }
};

// The provider keeps the order of both writes. If it accepts the first one only, the general form writes the same bytes
// again.
template <path_kind k>
bool put_signal(direct_path& d, int pe, const put_signal_args& args, bool keeps_source) {
  tx_endpoint& tx = *stream_of(d).tx;
  remote_end there, of_signal;
  if (!find_end<k>(tx, pe, args.signal, sizeof args.value, of_signal)) [[unlikely]]
    return false;
  if (args.bytes != 0) {
    if (!find_end<k>(tx, pe, args.to, args.bytes, there)) return false;
    const bool lends = args.bytes > tx.copied_by_provider;
    if (lends && (!keeps_source || args.bytes > tx.longest_direct)) return false;
    announce<k>(tx, 2);
    const ssize_t code = write<k.has_short_calls>(tx, there, args.to, args.from, args.bytes, lends);
    if (code != 0) [[unlikely]] {
      withdraw<k>(tx, 2);
      return refused(tx, code);
    }
    accept_write<k>(tx);
    if (lends) note_lent<k>(tx.direct_ops);
  } else {
    announce<k>(tx);
  }
  if (const ssize_t code = write<k.has_short_calls>(tx, of_signal, args.signal, &args.value, sizeof args.value, false);
      code != 0) [[unlikely]] {
    withdraw<k>(tx);
    return refused(tx, code);
  }
  accept_write<k>(tx);
  note_begun(tx);
  return true;
}

// ---- ordered streams -----------------------------------------------------------------------------------------------
//
// Any number of threads issue on them. So their operations count like those of the general form, and only those whose
// source is copied go directly: these are complete locally when the call returns.

// An operation must not overtake earlier ones that wait for room.
template <bool is_whole>
[[gnu::always_inline]] inline bool may_inject(const tx_endpoint& tx, int pe, std::uint64_t to, std::size_t bytes,
                                              remote_end& found) {
  return bytes <= tx.copied_by_provider && !has_waiting(tx) && tx.n_holding.load(std::memory_order_relaxed) == 0 &&
         find_end<is_whole>(tx, pe, to, bytes, found);
}

// Operations count before the call, because they may be complete when it returns. These were not accepted.
[[gnu::noinline, gnu::cold]] bool uncount(tx_endpoint& tx, std::uint64_t n, ssize_t code) {
  tx.n_refused.fetch_add(n, std::memory_order_relaxed);
  tx.posted_writes.fetch_sub(n, std::memory_order_relaxed);
  return refused(tx, code);
}

[[gnu::always_inline]] inline ssize_t inject(const tx_endpoint& tx, const remote_end& there, std::uint64_t to,
                                             const void* from, std::size_t bytes, bool tells_target) {
  const fi_ops_rma& calls = *tx.endpoint->rma;
  if (tells_target) return calls.injectdata(tx.endpoint, from, bytes, 0, there.address, there.origin + to, there.key);
  return calls.inject(tx.endpoint, from, bytes, there.address, there.origin + to, there.key);
}

// Nothing waits for this put, so the target need not learn of it.
template <bool is_whole>
bool put_in_order(direct_path& d, const void* from, std::size_t bytes, int pe, std::uint64_t to, bool) {
  tx_endpoint& tx = *stream_of(d).tx;
  remote_end there;
  if (!may_inject<is_whole>(tx, pe, to, bytes, there)) return false;
  tx.posted_writes.fetch_add(1, std::memory_order_relaxed);
  const ssize_t code = inject(tx, there, to, from, bytes, false);
  return code == 0 || uncount(tx, 1, code);
}

// For bytes that the provider does not copy: an operation of the pool does, and its completion releases it. The signal
// behind it tells the target.
ssize_t write_copy(ofi_stream& s, const remote_end& there, std::uint64_t to, const void* from, std::size_t bytes) {
  tx_endpoint& tx = *s.tx;
  pending_op* const op = take_op(tx);
  if (op == nullptr) return -FI_EAGAIN;
  op->on = &s;
  const std::uint32_t epoch = op->epoch = s.transfers.enter();
  op->local_done = nullptr;
  op->kind = op_kind::put;
  op->then_signal = nullptr;
  memcpy(op->buffer, from, bytes);
  const iovec here{op->buffer, bytes};
  const fi_rma_iov target{there.origin + to, bytes, there.key};
  const fi_msg_rma what{&here, nullptr, 1, there.address, &target, 1, &op->context, 0};
  const ssize_t code = fi_writemsg(tx.endpoint, &what, FI_COMPLETION);
  if (code == 0) [[likely]]
    return 0;
  s.transfers.leave(epoch);
  release_op(tx, op);
  static_cast<void>(outcome_of(*s.home, code));
  return code;
}

template <bool is_whole>
bool put_signal_in_order(direct_path& d, int pe, const put_signal_args& args, bool) {
  ofi_stream& s = stream_of(d);
  tx_endpoint& tx = *s.tx;
  remote_end of_signal;
  if (!may_inject<is_whole>(tx, pe, args.signal, sizeof args.value, of_signal)) [[unlikely]]
    return false;
  if (args.bytes == 0) {
    tx.posted_writes.fetch_add(1, std::memory_order_relaxed);
  } else {
    remote_end of_data = of_signal;
    if constexpr (!is_whole)
      if (!find_end<is_whole>(tx, pe, args.to, args.bytes, of_data)) return false;
    const bool is_copied = args.bytes <= tx.copied_by_provider;
    if (!is_copied && args.bytes > eager_bytes) return false;
    tx.posted_writes.fetch_add(2, std::memory_order_relaxed);
    const ssize_t code = is_copied ? inject(tx, of_data, args.to, args.from, args.bytes, false)
                                   : write_copy(s, of_data, args.to, args.from, args.bytes);
    if (code != 0) [[unlikely]]
      return uncount(tx, 2, code);
  }
  const ssize_t code = inject(tx, of_signal, args.signal, &args.value, sizeof args.value,
                              tx.tells_target.load(std::memory_order_relaxed));
  return code == 0 || uncount(tx, 1, code);
}

// Counts that go back leave a trace, so that two equal results mean that nothing was issued in between.
std::uint64_t n_posted(const direct_path& d) {
  const tx_endpoint& tx = *stream_of(d).tx;
  return tx.posted_writes.load(std::memory_order_acquire) + 2 * tx.n_refused.load(std::memory_order_acquire);
}

template <bool is_whole>
direct_path ordered_path() {
  return {.put = put_in_order<is_whole>,
          .get = nullptr,
          .amo_calls = nullptr,
          .put_signal = put_signal_in_order<is_whole>,
          .is_over = nullptr,
          .is_complete = [](direct_path&) { return true; },
          .n_issued = n_posted,
          .keeps_order = true};
}

}  // namespace

// A provider that keeps its state of an operation in memory of the caller needs other operations.
void open_routes(tx_endpoint& tx) {
  ofi_instance& me = *tx.home;
  if (tx.reads_done == nullptr || (me.info->mode & (FI_CONTEXT | FI_CONTEXT2)) != 0) return;
  tx.region_shift = me.memory.region_shift;
  tx.longest_direct = me.memory.max_chunk;
  tx.copied_by_provider = me.info->tx_attr->inject_size;
  tx.tells_target = me.announces.load(std::memory_order_relaxed);
  tx.has_one_issuer = me.how.one_issuer;
  tx.routes = static_cast<direct_route*>(calloc(static_cast<std::size_t>(me.how.n_pes), sizeof(direct_route)));
}

namespace {

bool sets_signals_by_writes(const ofi_instance& me) {
  return me.signals_by_writes && me.info->tx_attr->inject_size >= sizeof(std::uint64_t);
}

template <path_kind k>
direct_path path_for(const ofi_instance& me) {
  return {.put = put<k>,
          .get = get<k>,
          .amo_calls = me.card_atomics ? &table_of<direct_atomics<k>> : nullptr,
          .put_signal = sets_signals_by_writes(me) ? put_signal<k> : nullptr,
          .is_over = is_over,
          .is_complete = k.has_one_issuer ? has_met_by_counts : has_met_by_sums,
          .has_several_issuers = !k.has_one_issuer,
          .keeps_order = me.in_order};
}

template <bool is_whole, bool has_short_calls>
direct_path path_of(const ofi_stream& s) {
  return s.tx->has_one_issuer ? path_for<path_kind{is_whole, has_short_calls, true}>(*s.home)
                              : path_for<path_kind{is_whole, has_short_calls, false}>(*s.home);
}

}  // namespace

void open_direct(ofi_stream& s, unsigned options) {
  const ofi_instance& me = *s.home;
  tx_endpoint& tx = *s.tx;
  const bool is_possible = me.how.uses_direct && tx.routes != nullptr;
  const bool is_whole = tx.region_shift == memory_regions::whole;
  const bool wants_order = (options & ordered) != 0;  // of a provider that keeps none: no direct path
  s.has_direct =
      is_possible && (wants_order ? s.is_ordered && sets_signals_by_writes(me) : !tx.has_direct_stream.exchange(true));
  if (tx.is_separate() && tx.routes != nullptr) count_for(tx, me.how.one_issuer || (options & one_thread) != 0);
  if (s.is_ordered)
    s.direct = is_whole ? ordered_path<true>() : ordered_path<false>();
  else if (completes_short_calls_at_delivery(*me.info))
    s.direct = is_whole ? path_of<true, true>(s) : path_of<false, true>(s);
  else
    s.direct = is_whole ? path_of<true, false>(s) : path_of<false, false>(s);
  if (!s.is_ordered) s.direct.direct_ops = &tx.direct_ops;
}

void close_direct(ofi_stream& s) {
  if (s.has_direct && !s.is_ordered) s.tx->has_direct_stream.store(false);
}

direct_path* direct(stream* s) { return own(s)->has_direct ? &own(s)->direct : nullptr; }

void note_route(tx_endpoint& tx, int pe) {
  if (tx.routes == nullptr || tx.routes[pe].keys.load(std::memory_order_relaxed) != nullptr) return;
  os::locked hold(tx.home->peers_lock);
  direct_route& r = tx.routes[pe];
  const peer& p = tx.home->peers[pe];
  r.address = address_of(tx, pe);
  r.key = p.keys[0].key;
  r.origin = p.keys[0].origin;
  r.keys.store(p.keys, std::memory_order_release);
}

void finish_direct(completion_target* of_wait) {
  static_cast<direct_target*>(of_wait)->blocked->is_over.store(true, std::memory_order_release);
}

}  // namespace oshen::transport::ofi
