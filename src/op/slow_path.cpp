#include "op/slow_path.hpp"

#include <shmem.h>

#include "op/copy.hpp"
#include "op/direct.hpp"
#include "op/general_way.hpp"
#include "op/order.hpp"
#include "op/remote.hpp"
#include "wait/backoff.hpp"
#include "world/performance.hpp"
#include "world/world.hpp"

namespace oshen::op {
namespace {

template <class T>
void move_one(void* to, const void* from) {
  T value;
  memcpy(&value, from, sizeof value);
  store_one(static_cast<T*>(to), value);
}

// One element is one store, as on the fast path.
void move(void* to, const void* from, std::size_t bytes) {
  switch (bytes) {
    case 1: return store_one(static_cast<std::uint8_t*>(to), *static_cast<const std::uint8_t*>(from));
    case 2: return move_one<std::uint16_t>(to, from);
    case 4: return move_one<std::uint32_t>(to, from);
    case 8: return move_one<std::uint64_t>(to, from);
    default: memcpy(to, from, bytes);
  }
}

// The bytes from the start of the first block to the end of the last, checked as one range. Steps are positive.
std::size_t extent_of(std::ptrdiff_t step, const block_layout& l) {
  return static_cast<std::size_t>(step) * (l.n_blocks - 1) + l.block_bytes;
}

transport::signal_op checked_op(call_site at, int sig_op) {
  if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD)
    bad_argument(at, "sig_op = %d: expected SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op);
  return sig_op == SHMEM_SIGNAL_SET ? transport::signal_op::set : transport::signal_op::add;
}

}  // namespace

void count_near(call_site at, counted kind, int world_pe, std::size_t bytes) {
  if (performance* p = at.ctx->home->counting.load(std::memory_order_relaxed); p != nullptr)
    p->count(kind, world_pe, bytes);
}

peer_location locate(call_site at, int pe) {
  const context& c = *at.ctx;
  if (static_cast<std::uint32_t>(pe) >= c.n_pes) bad_pe(at, pe);
  const world& w = *c.home;
  const int world_pe = c.members->world_pe(pe), slice = w.near.slice_of(world_pe);
  if (slice < 0) return {false, {}, world_pe};
  const auto stride = static_cast<std::ptrdiff_t>(w.segment.stride());
  const std::ptrdiff_t peer_offset = static_cast<std::ptrdiff_t>(slice - w.near.mine) * stride;
  return {true, {peer_offset, byte_offset(c.control, peer_offset)}, world_pe};
}

namespace {

// A put or get between this PE and PE `pe` of the team.
struct rma_call {
  call_site at;
  void* dest;
  const void* source;
  std::size_t bytes;
  int pe;
};

[[gnu::always_inline]] inline void put_near(const rma_call& t, const peer_location& to) {
  char* const target = object_of(t.at, to, "dest", t.dest, t.bytes);
  move(target, t.source, t.bytes);
  wake(to.mapped.wakeup(), target, t.bytes);
}
[[gnu::always_inline]] inline void get_near(const rma_call& t, const peer_location& from) {
  move(t.dest, object_of(t.at, from, "source", t.source, t.bytes), t.bytes);
}

// They find the PE again, so that operations that do not count keep no registers for the count.
[[gnu::noinline, gnu::cold]] void put_counted(const rma_call& t) {
  const peer_location to = locate(t.at, t.pe);
  count_near(t.at, counted::put, to.world_pe, t.bytes);
  put_near(t, to);
}
[[gnu::noinline, gnu::cold]] void get_counted(const rma_call& t) {
  const peer_location from = locate(t.at, t.pe);
  count_near(t.at, counted::get, from.world_pe, t.bytes);
  get_near(t, from);
}

[[gnu::noinline, gnu::cold]] void put_generally(const rma_call& t, completion_mode m) {
  const call_site at = t.at;
  const bool keeps_source = m == completion_mode::non_blocking, is_open = direct::path_of(*at.ctx) != nullptr;
  const auto go = [&] {
    return direct::put(at, t.dest, t.source, t.bytes, t.pe, keeps_source) ||
           direct::put<direct::area::data>(at, t.dest, t.source, t.bytes, t.pe, keeps_source);
  };
  if (is_open && t.bytes != 0 &&
      (direct::put<direct::area::data>(at, t.dest, t.source, t.bytes, t.pe, keeps_source) ||
       direct::goes_when_there_is_room(at, go)))
    return;
  const peer_location to = locate(at, t.pe);
  if (t.bytes == 0) return;  // both pointers may be null
  check_private(at, "source", t.source);
  if (!to.is_near)
    return remote::put(at, to.world_pe, remote::offset_in_slice(at, "dest", t.dest, t.bytes, to.world_pe), t.source,
                       t.bytes, m);
  if (t.at.ctx->is_counting) [[unlikely]]
    return put_counted(t);
  put_near(t, to);
}

[[gnu::noinline]] void get_generally(const rma_call& t, completion_mode m) {
  const call_site at = t.at;
  transport::direct_wait wait;
  transport::direct_wait* const awaited = m == completion_mode::blocking ? &wait : nullptr;
  const bool is_open = direct::path_of(*at.ctx) != nullptr;
  const auto go = [&] {
    return direct::get(at, t.dest, t.source, t.bytes, t.pe, awaited) ||
           direct::get<direct::area::data>(at, t.dest, t.source, t.bytes, t.pe, awaited);
  };
  if (is_open && t.bytes != 0 &&
      (direct::get<direct::area::data>(at, t.dest, t.source, t.bytes, t.pe, awaited) ||
       direct::goes_when_there_is_room(at, go)))
    return;
  const peer_location from = locate(at, t.pe);
  if (t.bytes == 0) return;
  check_private(at, "dest", t.dest);
  if (!from.is_near)
    return remote::get(at, from.world_pe, t.dest,
                       remote::offset_in_slice(at, "source", t.source, t.bytes, from.world_pe), t.bytes, m);
  if (t.at.ctx->is_counting) [[unlikely]]
    return get_counted(t);
  get_near(t, from);
}

}  // namespace

void put_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe) {
  rma_call t{at, dest, source, bytes, pe};
  keep_in_memory(t);
  if (!direct::put(at, dest, source, bytes, pe, false)) [[unlikely]]
    put_generally(t, completion_mode::blocking);
}

void put_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe) {
  rma_call t{at, dest, source, bytes, pe};
  keep_in_memory(t);
  if (!direct::put(at, dest, source, bytes, pe, true)) [[unlikely]]
    put_generally(t, completion_mode::non_blocking);
}

void get_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe) {
  rma_call t{at, dest, source, bytes, pe};
  transport::direct_wait wait;
  keep_in_memory(t);
  if (!direct::get(at, dest, source, bytes, pe, &wait)) [[unlikely]]
    get_generally(t, completion_mode::blocking);
}

namespace {

// A small non-blocking get of a session enters an open pack, if there is one.
[[gnu::noinline]] void get_in_session(call_site at, void* dest, const void* source, std::size_t bytes, int pe) {
  const int world_pe = packing_target(at, pe);
  if (world_pe >= 0 && bytes - 1 < transport::most_packed_bytes) {
    const transport::packed_op get{.at = offset_of(at, "source", source, bytes),
                                   .op = transport::operation::fetch,
                                   .fetches = true,
                                   .bytes = bytes};
    if (transport::session_packs::get_quickly(*at.ctx->channel, world_pe, get, dest)) return;
  }
  get_generally({at, dest, source, bytes, pe}, completion_mode::non_blocking);
}

}  // namespace

void get_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe) {
  if (at.ctx->is_packing) [[unlikely]]
    return get_in_session(at, dest, source, bytes, pe);
  rma_call t{at, dest, source, bytes, pe};
  keep_in_memory(t);
  if (!direct::get(at, dest, source, bytes, pe, nullptr)) [[unlikely]]
    get_generally(t, completion_mode::non_blocking);
}

// Towards another node all blocks are in progress at once, because a round trip for each would dominate the call.
void put_blocks_slow(call_site at, void* dest, const void* source, const block_layout& l, int pe) {
  const peer_location to = locate(at, pe);
  const std::size_t extent = extent_of(l.dest_step, l);
  auto* next_dest = static_cast<char*>(dest);
  auto* next_source = static_cast<const char*>(source);
  if (to.is_near) {
    check_object(at, "dest", dest, extent, to.world_pe);
    for (std::size_t i = 0; i < l.n_blocks; ++i, next_dest += l.dest_step, next_source += l.source_step)
      put_slow(at, next_dest, next_source, l.block_bytes, pe);
    return;
  }
  check_private(at, "source", source);
  std::uint64_t offset = remote::offset_in_slice(at, "dest", dest, extent, to.world_pe);
  remote::remote_call call(at, to.world_pe);
  for (std::size_t i = 0; i < l.n_blocks; ++i, next_source += l.source_step) {
    call.put(offset, next_source, l.block_bytes);
    offset += static_cast<std::uint64_t>(l.dest_step);
  }
}

void get_blocks_slow(call_site at, void* dest, const void* source, const block_layout& l, int pe) {
  const peer_location from = locate(at, pe);
  const std::size_t extent = extent_of(l.source_step, l);
  auto* next_dest = static_cast<char*>(dest);
  auto* next_source = static_cast<const char*>(source);
  if (from.is_near) {
    check_object(at, "source", source, extent, from.world_pe);
    for (std::size_t i = 0; i < l.n_blocks; ++i, next_dest += l.dest_step, next_source += l.source_step)
      get_slow(at, next_dest, next_source, l.block_bytes, pe);
    return;
  }
  check_private(at, "dest", dest);
  std::uint64_t offset = remote::offset_in_slice(at, "source", source, extent, from.world_pe);
  remote::remote_call call(at, from.world_pe);
  for (std::size_t i = 0; i < l.n_blocks; ++i, next_dest += l.dest_step) {
    call.get(next_dest, offset, l.block_bytes);
    offset += static_cast<std::uint64_t>(l.source_step);
  }
}

namespace {

transport::put_signal_args far_signal(call_site at, void* dest, const void* source, std::size_t bytes,
                                      const signal_update& update, int world_pe) {
  return {.to = bytes == 0 ? 0 : remote::offset_in_slice(at, "dest", dest, bytes, world_pe),
          .from = source,
          .bytes = bytes,
          .signal = remote::offset_in_slice(at, "sig_addr", update.sig_addr, sizeof update.signal, world_pe),
          .value = update.signal,
          .op = checked_op(at, update.sig_op),
          .by = is_in_card_heap(*at.ctx, update.sig_addr) ? transport::agent::card : transport::agent::cpu};
}

}  // namespace

namespace {

transport::operation operation_of(transport::signal_op op) {
  return op == transport::signal_op::set ? transport::operation::set : transport::operation::add;
}

[[gnu::noinline, gnu::cold]] void put_signal_far(const rma_call& t, const signal_update& update, int world_pe) {
  const auto go = [&] { return direct::put_signal(t.at, t.dest, t.source, t.bytes, update, t.pe, false); };
  if (!direct::goes_when_there_is_room(t.at, go))
    remote::put_signal(t.at, world_pe, far_signal(t.at, t.dest, t.source, t.bytes, update, world_pe));
}

[[gnu::noinline, gnu::cold]] void put_signal_generally(const rma_call& t, const signal_update& update) {
  const call_site at = t.at;
  const peer_location to = locate(at, t.pe);
  const transport::signal_op op = checked_op(at, update.sig_op);
  check_alignment(at, "sig_addr", update.sig_addr, sizeof *update.sig_addr);
  if (!to.is_near) return put_signal_far(t, update, to.world_pe);
  if (at.ctx->is_counting) [[unlikely]]
    count_near(at, counted::signal, to.world_pe, t.bytes);
  if (t.bytes != 0) {
    check_private(at, "source", t.source);
    put_near(t, to);
  }
  if (is_in_card_heap(*at.ctx, update.sig_addr)) [[unlikely]]
    return update_signal_slow(at, update.sig_addr, update.signal, update.sig_op, to.mapped.peer_offset);
  char* const signal = object_of(at, to, "sig_addr", update.sig_addr, sizeof update.signal);
  const auto how = operation_of(op);
  transport::apply_to(*reinterpret_cast<std::uint64_t*>(signal), how, update.signal);
  wake(to.mapped.wakeup(), signal, sizeof update.signal);
}

}  // namespace

void put_signal_slow(call_site at, void* dest, const void* source, std::size_t bytes, const signal_update& update,
                     int pe) {
  if (!direct::put_signal(at, dest, source, bytes, update, pe, false)) [[unlikely]]
    put_signal_generally({at, dest, source, bytes, pe}, update);
}

// The bytes of the call come before the call of the network.
void update_signal_slow(call_site at, std::uint64_t* sig_addr, std::uint64_t signal, int sig_op,
                        std::ptrdiff_t peer_offset) {
  const transport::operation op = operation_of(checked_op(at, sig_op));
  check_alignment(at, "sig_addr", sig_addr, sizeof signal);
  const world& w = *at.ctx->home;
  const auto distance = static_cast<int>(peer_offset / static_cast<std::ptrdiff_t>(w.segment.stride()));
  const int pe = w.near.pe_at(w.near.mine + distance);
  const std::uint64_t offset = remote::offset_in_slice(at, "sig_addr", sig_addr, sizeof signal, pe);
  std::atomic_thread_fence(std::memory_order_release);
  remote::atomic(at, pe, offset, {op, transport::width::eight, false, signal, 0, transport::agent::card_here});
  remote::note_card_change_here(at);
}

void put_signal_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, const signal_update& update,
                         int pe) {
  const auto go = [&] { return direct::put_signal(at, dest, source, bytes, update, pe, true); };
  if (go() || direct::goes_when_there_is_room(at, go)) [[likely]]
    return;
  const peer_location to = locate(at, pe);
  if (to.is_near) return put_signal_generally({at, dest, source, bytes, pe}, update);
  check_alignment(at, "sig_addr", update.sig_addr, sizeof *update.sig_addr);
  const transport::put_signal_args args = far_signal(at, dest, source, bytes, update, to.world_pe);
  remote::put_signal(at, to.world_pe, args, completion_mode::non_blocking);
}

namespace {

// The library may not be initialised.
[[gnu::noinline]] void quiet_generally(call_site at) {
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  transport::channel& c = *at.ctx->channel;
  const std::uint64_t begun = c.n_general.load(std::memory_order_acquire);
  remote::quiet(at);
  c.n_quieted.store(begun, std::memory_order_release);
}

// By reference, so that quiet_path() has no registers to save.
[[gnu::noinline, gnu::cold]] void quiet_generally_at(const call_site& at) { quiet_generally(at); }

[[gnu::noinline]] void quiet_path(const call_site at, transport::direct_path& path) {
  if (!path.is_complete(path)) quiet_generally_at(at);
}

// No order of the network holds between an operation of the card on this node and the next store of this PE.
[[gnu::noinline]] void fence_generally(call_site at) {
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  const transport::channel* const c = at.ctx->channel;
  if (c != nullptr && c->has_card_changes_here()) return quiet_generally(at);
  remote::fence(at);
}

// True if a fence has nothing to wait for: the direct path keeps the order of puts, or nothing is open.
[[gnu::always_inline]] inline bool is_fenced(const transport::channel& c) {
  return c.keeps_order ? c.is_idle_generally() : c.is_quiet();
}

}  // namespace

void fence_slow(call_site at) {
  std::atomic_thread_fence(std::memory_order_release);
  const transport::channel* const c = at.ctx->channel;
  if (c == nullptr || !is_fenced(*c)) [[unlikely]]
    fence_generally(at);
}

void quiet_slow(call_site at) {
  drain_stores();
  const transport::channel* const c = at.ctx->channel;
  if (c == nullptr || !c->is_quiet_generally()) [[unlikely]]
    return quiet_generally(at);
  if (!c->direct_ops->are_flushed()) quiet_path(at, *c->direct);
}

void quiet_local_slow(call_site at) {
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  remote::quiet_local(at);
}

}  // namespace oshen::op
