#include "op/slow_path.hpp"

#include <shmem.h>

#include "op/copy.hpp"
#include "op/direct.hpp"
#include "op/order.hpp"
#include "op/remote.hpp"
#include "wait/backoff.hpp"
#include "world/performance.hpp"
#include "world/world.hpp"

namespace oshen::op {
namespace {

void check_alignment(call_site at, const char* argument, const void* object, std::size_t width) {
  if (reinterpret_cast<std::uintptr_t>(object) % width != 0) misaligned(at, argument, object, width);
}

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

// The peer's object; checks the address thoroughly.
[[gnu::always_inline]] inline char* object_of(call_site at, const near_peer& p, const char* argument,
                                              const void* address, std::size_t bytes) {
  const std::ptrdiff_t offset = check_symmetric(at, argument, address, bytes) + p.peer_offset;
  return byte_offset(static_cast<char*>(const_cast<void*>(address)), offset);
}

// The bytes from the start of the first block to the end of the last, checked as one range. Steps are positive.
std::size_t extent_of(std::ptrdiff_t step, const block_layout& l) {
  return static_cast<std::size_t>(step) * (l.n_blocks - 1) + l.block_bytes;
}

// Counts an operation on a PE of this node. Such operations come here only while their context counts, and if the near
// range does not cover the PE.
[[gnu::noinline, gnu::cold]] void count_near(call_site at, counted kind, int world_pe, std::size_t bytes) {
  if (performance* p = at.ctx->home->counting.load(std::memory_order_relaxed); p != nullptr)
    p->count(kind, world_pe, bytes);
}

transport::signal_op checked_op(call_site at, int sig_op) {
  if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD)
    bad_argument(at, "sig_op = %d: expected SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op);
  return sig_op == SHMEM_SIGNAL_SET ? transport::signal_op::set : transport::signal_op::add;
}

}  // namespace

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

std::uint64_t offset_of(call_site at, const char* argument, const void* address, std::size_t bytes) {
  const std::ptrdiff_t shift = own_slice(at, argument, address, bytes);
  return static_cast<std::uint64_t>(byte_offset(static_cast<const char*>(address), shift) -
                                    reinterpret_cast<const char*>(at.ctx->control));
}

// The number in the job of a PE that may have an open pack; less than 0: it has none. A near PE never has one.
int packing_target(call_site at, int pe) {
  const context& c = *at.ctx;
  if (static_cast<std::uint32_t>(pe) >= c.n_pes || c.channel == nullptr || c.home->config.check) return -1;
  return c.members->world_pe(pe);
}

}  // namespace

namespace {

// A put or get between this PE and PE `pe` of the team. An operation that goes directly keeps its arguments in memory
// for the general way, because saving them in registers across the call would cost more than the rest of the call.
struct rma_call {
  call_site at;
  void* dest;
  const void* source;
  std::size_t bytes;
  int pe;
};
[[gnu::always_inline]] inline void keep_in_memory(rma_call& t) { asm volatile("" : "+m"(t)); }

[[gnu::always_inline]] inline void put_near(const rma_call& t, const near_peer& to) {
  char* const target = object_of(t.at, to, "dest", t.dest, t.bytes);
  move(target, t.source, t.bytes);
  wake(to.wakeup(), target, t.bytes);
}
[[gnu::always_inline]] inline void get_near(const rma_call& t, const near_peer& from) {
  move(t.dest, object_of(t.at, from, "source", t.source, t.bytes), t.bytes);
}

// They find the PE again, so that operations that do not count keep no registers for the count.
[[gnu::noinline, gnu::cold]] void put_counted(const rma_call& t) {
  const peer_location to = locate(t.at, t.pe);
  count_near(t.at, counted::put, to.world_pe, t.bytes);
  put_near(t, to.mapped);
}
[[gnu::noinline, gnu::cold]] void get_counted(const rma_call& t) {
  const peer_location from = locate(t.at, t.pe);
  count_near(t.at, counted::get, from.world_pe, t.bytes);
  get_near(t, from.mapped);
}

[[gnu::noinline, gnu::cold]] void put_generally(const rma_call& t, completion_mode m) {
  const call_site at = t.at;
  const bool keeps_source = m == completion_mode::non_blocking, is_open = direct::path_of(*at.ctx) != nullptr;
  if (is_open && t.bytes != 0 && direct::put<direct::area::data>(at, t.dest, t.source, t.bytes, t.pe, keeps_source))
    return;
  const peer_location to = locate(at, t.pe);
  if (t.bytes == 0) return;  // both pointers may be null
  check_private(at, "source", t.source);
  if (!to.is_near)
    return remote::put(at, to.world_pe, remote::offset_in_slice(at, "dest", t.dest, t.bytes), t.source, t.bytes, m);
  if (t.at.ctx->is_counting) [[unlikely]]
    return put_counted(t);
  put_near(t, to.mapped);
}

[[gnu::noinline]] void get_generally(const rma_call& t, completion_mode m) {
  const call_site at = t.at;
  transport::direct_wait wait;
  transport::direct_wait* const awaited = m == completion_mode::blocking ? &wait : nullptr;
  const bool is_open = direct::path_of(*at.ctx) != nullptr;
  if (is_open && t.bytes != 0 && direct::get<direct::area::data>(at, t.dest, t.source, t.bytes, t.pe, awaited)) return;
  const peer_location from = locate(at, t.pe);
  if (t.bytes == 0) return;
  check_private(at, "dest", t.dest);
  if (!from.is_near)
    return remote::get(at, from.world_pe, t.dest, remote::offset_in_slice(at, "source", t.source, t.bytes), t.bytes, m);
  if (t.at.ctx->is_counting) [[unlikely]]
    return get_counted(t);
  get_near(t, from.mapped);
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
    if (transport::endpoint::get_quickly(*at.ctx->channel, world_pe, get, dest)) return;
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
    check_symmetric(at, "dest", dest, extent);
    for (std::size_t i = 0; i < l.n_blocks; ++i, next_dest += l.dest_step, next_source += l.source_step)
      put_slow(at, next_dest, next_source, l.block_bytes, pe);
    return;
  }
  check_private(at, "source", source);
  std::uint64_t offset = remote::offset_in_slice(at, "dest", dest, extent);
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
    check_symmetric(at, "source", source, extent);
    for (std::size_t i = 0; i < l.n_blocks; ++i, next_dest += l.dest_step, next_source += l.source_step)
      get_slow(at, next_dest, next_source, l.block_bytes, pe);
    return;
  }
  check_private(at, "dest", dest);
  std::uint64_t offset = remote::offset_in_slice(at, "source", source, extent);
  remote::remote_call call(at, from.world_pe);
  for (std::size_t i = 0; i < l.n_blocks; ++i, next_dest += l.dest_step) {
    call.get(next_dest, offset, l.block_bytes);
    offset += static_cast<std::uint64_t>(l.source_step);
  }
}

std::uint64_t cpu_atomic(call_site at, const char* argument, const void* object, transport::atomic_op op, int pe) {
  const peer_location to = locate(at, pe);
  const auto width = static_cast<std::size_t>(op.bytes);
  check_alignment(at, argument, object, width);
  if (!to.is_near) return remote::atomic(at, to.world_pe, remote::offset_in_slice(at, argument, object, width), op);
  if (at.ctx->is_counting) [[unlikely]]
    count_near(at, counted::atomic, to.world_pe, width);
  char* target = object_of(at, to.mapped, argument, object, width);
  const std::uint64_t before = transport::apply(target, op);
  if (op.op != transport::operation::fetch)
    wake(to.mapped.wakeup(), target, width);
  else if (to.mapped.peer_offset == 0)
    give_way_if_same(*at.ctx->home, object, before);  // programs wait by fetching their own object
  return before;
}

namespace {

// A card executes operations on objects of this PE and its node, too.
std::uint64_t card_atomic(const change& c) {
  const peer_location to = locate(c.at, c.pe);
  const auto width = static_cast<std::size_t>(c.op.bytes);
  check_alignment(c.at, c.argument(), c.object, width);
  transport::atomic_op op = c.op;
  op.by = transport::agent::card;
  return remote::atomic(c.at, to.world_pe, remote::offset_in_slice(c.at, c.argument(), c.object, width), op);
}

[[gnu::noinline]] std::uint64_t change_generally(const change& c) {
  if (c.at.ctx->by_card) return card_atomic(c);
  return cpu_atomic(c.at, c.argument(), c.object, c.op, c.pe);
}

}  // namespace

void add_in_session(call_site at, const void* object, transport::width width, std::uint64_t value, int pe) {
  const auto bytes = static_cast<std::size_t>(width);
  const int world_pe = at.ctx->by_card ? -1 : packing_target(at, pe);
  if (world_pe >= 0 && (reinterpret_cast<std::uintptr_t>(object) & (bytes - 1)) == 0) {
    const transport::packed_op add =
        transport::packed_change(offset_of(at, "dest", object, bytes), transport::operation::add, width, false, value);
    if (add.is_small && transport::endpoint::add_quickly(*at.ctx->channel, world_pe, add)) return;
  }
  change_generally({at, object, pe, {transport::operation::add, width, false, value, 0}});
}

void change_slow(const change& c) {
  if (direct::path_of(*c.at.ctx) == nullptr) return static_cast<void>(change_generally(c));
  if (!direct::atomic(c) && !direct::atomic<direct::area::data>(c)) [[unlikely]]
    change_generally(c);
}

std::uint64_t fetch_slow(const change& c) {
  std::uint64_t before = 0;
  transport::direct_wait wait;
  if (!direct::fetch(c, &before, &wait) && !direct::fetch<direct::area::data>(c, &before, &wait)) [[unlikely]]
    return change_generally(c);
  return before;
}

void change_nbi_slow(const change& c, void* fetch) {
  if (direct::fetch(c, fetch, nullptr) || direct::fetch<direct::area::data>(c, fetch, nullptr)) return;
  const peer_location to = locate(c.at, c.pe);
  const auto width = static_cast<std::size_t>(c.op.bytes);
  transport::atomic_op op = c.op;
  if (c.at.ctx->by_card) {
    op.by = transport::agent::card;
  } else if (to.is_near) {
    const std::uint64_t before = cpu_atomic(c.at, c.argument(), c.object, op, c.pe);
    memcpy(fetch, &before, width);
    return;
  }
  check_private(c.at, "fetch", fetch);
  check_alignment(c.at, c.argument(), c.object, width);
  remote::atomic_nbi(c.at, to.world_pe, remote::offset_in_slice(c.at, c.argument(), c.object, width), op, fetch);
}

namespace {

transport::put_signal_args far_signal(call_site at, void* dest, const void* source, std::size_t bytes,
                                      const signal_update& update) {
  return {.to = bytes == 0 ? 0 : remote::offset_in_slice(at, "dest", dest, bytes),
          .from = source,
          .bytes = bytes,
          .signal = remote::offset_in_slice(at, "sig_addr", update.sig_addr, sizeof update.signal),
          .value = update.signal,
          .op = checked_op(at, update.sig_op)};
}

}  // namespace

namespace {

[[gnu::noinline, gnu::cold]] void put_signal_generally(const rma_call& t, const signal_update& update) {
  const call_site at = t.at;
  void* const dest = t.dest;
  const void* const source = t.source;
  const std::size_t bytes = t.bytes;
  const int pe = t.pe;
  const peer_location to = locate(at, pe);
  const transport::signal_op op = checked_op(at, update.sig_op);
  check_alignment(at, "sig_addr", update.sig_addr, sizeof *update.sig_addr);
  if (!to.is_near) return remote::put_signal(at, to.world_pe, far_signal(at, dest, source, bytes, update));
  if (at.ctx->is_counting) [[unlikely]]
    count_near(at, counted::signal, to.world_pe, bytes);
  if (bytes != 0) {
    check_private(at, "source", source);
    put_near(t, to.mapped);
  }
  char* const signal = object_of(at, to.mapped, "sig_addr", update.sig_addr, sizeof update.signal);
  const auto how = op == transport::signal_op::set ? transport::operation::set : transport::operation::add;
  transport::apply_to(*reinterpret_cast<std::uint64_t*>(signal), how, update.signal);
  wake(to.mapped.wakeup(), signal, sizeof update.signal);
}

}  // namespace

void put_signal_slow(call_site at, void* dest, const void* source, std::size_t bytes, const signal_update& update,
                     int pe) {
  if (!direct::put_signal(at, dest, source, bytes, update, pe, false)) [[unlikely]]
    put_signal_generally({at, dest, source, bytes, pe}, update);
}

void put_signal_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, const signal_update& update,
                         int pe) {
  if (direct::put_signal(at, dest, source, bytes, update, pe, true)) [[likely]]
    return;
  const peer_location to = locate(at, pe);
  if (to.is_near) return put_signal_generally({at, dest, source, bytes, pe}, update);
  check_alignment(at, "sig_addr", update.sig_addr, sizeof *update.sig_addr);
  const transport::put_signal_args args = far_signal(at, dest, source, bytes, update);
  remote::put_signal(at, to.world_pe, args, completion_mode::non_blocking);
}

namespace {

// A network that keeps no order has nothing to wait for if nothing is open.
// The library may not be initialised.
[[gnu::noinline]] void fence_generally(call_site at) {
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  if (!direct::is_quiet(*at.ctx)) remote::fence(at);
}

[[gnu::noinline]] void quiet_generally(call_site at) {
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  if (!direct::is_quiet(*at.ctx)) remote::quiet(at);
}

[[gnu::noinline]] void quiet_path(call_site at, transport::direct_path& path) {
  if (!path.is_complete(path)) remote::quiet(at);
}

}  // namespace

void fence_slow(call_site at) {
  std::atomic_thread_fence(std::memory_order_release);
  if (!direct::is_fenced(*at.ctx)) fence_generally(at);
}

void quiet_slow(call_site at) {
  drain_stores();
  transport::direct_path* const path = direct::only_path_of(*at.ctx);
  if (path == nullptr) return quiet_generally(at);
  if (path->direct_ops == nullptr || !path->direct_ops->are_flushed()) quiet_path(at, *path);
}

void quiet_local_slow(call_site at) {
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  remote::quiet_local(at);
}

}  // namespace oshen::op
