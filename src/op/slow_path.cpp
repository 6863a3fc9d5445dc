#include "op/slow_path.hpp"

#include <shmem.h>

#include "op/copy.hpp"
#include "op/order.hpp"
#include "op/remote.hpp"
#include "wait/backoff.hpp"
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
char* object_of(call_site at, const peer& p, const char* argument, const void* address, std::size_t bytes) {
  const std::ptrdiff_t offset = check_symmetric(at, argument, address, bytes) + p.peer_offset;
  return byte_offset(static_cast<char*>(const_cast<void*>(address)), offset);
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

// The number in the job of a PE that may have an open pack; less than 0: it has none. A near PE never has one.
int packing_target(call_site at, int pe) {
  const context& c = *at.ctx;
  if (static_cast<std::uint32_t>(pe) >= c.n_pes || c.channel == nullptr || c.home->config.check) return -1;
  return c.members->world_pe(pe);
}

std::uint64_t offset_of(call_site at, const char* argument, const void* address, std::size_t bytes) {
  const std::ptrdiff_t shift = own_slice(at, argument, address, bytes);
  return static_cast<std::uint64_t>(byte_offset(static_cast<const char*>(address), shift) -
                                    reinterpret_cast<const char*>(at.ctx->control));
}

}  // namespace

void add_slow(call_site at, const void* object, transport::width width, std::uint64_t value, int pe) {
  const auto bytes = static_cast<std::size_t>(width);
  const int world_pe = packing_target(at, pe);
  if (world_pe >= 0 && (reinterpret_cast<std::uintptr_t>(object) & (bytes - 1)) == 0) {
    const transport::packed_op add =
        transport::packed_change(offset_of(at, "dest", object, bytes), transport::operation::add, width, false, value);
    if (add.is_small && transport::endpoint::add_quickly(*at.ctx->channel, world_pe, add)) return;
  }
  atomic_slow(at, "dest", object, {transport::operation::add, width, false, value, 0}, pe);
}

void get_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe) {
  const int world_pe = packing_target(at, pe);
  if (world_pe >= 0 && bytes - 1 < transport::most_packed_bytes) {
    const transport::packed_op get{.at = offset_of(at, "source", source, bytes),
                                   .op = transport::operation::fetch,
                                   .fetches = true,
                                   .bytes = bytes};
    if (transport::endpoint::get_quickly(*at.ctx->channel, world_pe, get, dest)) return;
  }
  get_slow(at, dest, source, bytes, pe, completion_mode::non_blocking);
}

void put_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe, completion_mode m) {
  const peer_location to = locate(at, pe);
  if (bytes == 0) return;  // both pointers may be null
  check_private(at, "source", source);
  if (!to.is_near)
    return remote::put(at, to.world_pe, remote::offset_in_slice(at, "dest", dest, bytes), source, bytes, m);
  char* const target = object_of(at, to.near_peer, "dest", dest, bytes);
  move(target, source, bytes);
  wake(to.near_peer.wakeup(), target, bytes);
}

void get_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe, completion_mode m) {
  const peer_location from = locate(at, pe);
  if (bytes == 0) return;
  check_private(at, "dest", dest);
  if (!from.is_near)
    return remote::get(at, from.world_pe, dest, remote::offset_in_slice(at, "source", source, bytes), bytes, m);
  move(dest, object_of(at, from.near_peer, "source", source, bytes), bytes);
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
      put_slow(at, next_dest, next_source, l.block_bytes, pe, completion_mode::blocking);
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
      get_slow(at, next_dest, next_source, l.block_bytes, pe, completion_mode::blocking);
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

std::uint64_t atomic_slow(call_site at, const char* argument, const void* object, transport::atomic_op op, int pe) {
  const peer_location to = locate(at, pe);
  const auto width = static_cast<std::size_t>(op.bytes);
  check_alignment(at, argument, object, width);
  if (!to.is_near) return remote::atomic(at, to.world_pe, remote::offset_in_slice(at, argument, object, width), op);
  char* target = object_of(at, to.near_peer, argument, object, width);
  const std::uint64_t before = transport::apply(target, op);
  if (op.op != transport::operation::fetch)
    wake(to.near_peer.wakeup(), target, width);
  else if (to.near_peer.peer_offset == 0)
    give_way_if_same(*at.ctx->home, object, before);  // programs wait by fetching their own object
  return before;
}

void atomic_nbi_slow(call_site at, void* fetch, named_object object, transport::atomic_op op, int pe) {
  const peer_location to = locate(at, pe);
  const auto width = static_cast<std::size_t>(op.bytes);
  if (to.is_near) {
    const std::uint64_t before = atomic_slow(at, object.argument, object.address, op, pe);
    memcpy(fetch, &before, width);
    return;
  }
  check_private(at, "fetch", fetch);
  check_alignment(at, object.argument, object.address, width);
  remote::atomic_nbi(at, to.world_pe, remote::offset_in_slice(at, object.argument, object.address, width), op, fetch);
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

void put_signal_slow(call_site at, void* dest, const void* source, std::size_t bytes, const signal_update& update,
                     int pe) {
  const peer_location to = locate(at, pe);
  const transport::signal_op op = checked_op(at, update.sig_op);
  check_alignment(at, "sig_addr", update.sig_addr, sizeof *update.sig_addr);
  if (!to.is_near) return remote::put_signal(at, to.world_pe, far_signal(at, dest, source, bytes, update));
  if (bytes != 0) put_slow(at, dest, source, bytes, pe, completion_mode::blocking);
  char* const signal = object_of(at, to.near_peer, "sig_addr", update.sig_addr, sizeof update.signal);
  const auto how = op == transport::signal_op::set ? transport::operation::set : transport::operation::add;
  transport::apply_to(*reinterpret_cast<std::uint64_t*>(signal), how, update.signal);
  wake(to.near_peer.wakeup(), signal, sizeof update.signal);
}

void put_signal_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, const signal_update& update,
                         int pe) {
  const peer_location to = locate(at, pe);
  if (to.is_near) return put_signal_slow(at, dest, source, bytes, update, pe);
  check_alignment(at, "sig_addr", update.sig_addr, sizeof *update.sig_addr);
  const transport::put_signal_args args = far_signal(at, dest, source, bytes, update);
  remote::put_signal(at, to.world_pe, args, completion_mode::non_blocking);
}

void fence_slow(call_site at) {
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  std::atomic_thread_fence(std::memory_order_release);
  remote::fence(at);
}

void quiet_slow(call_site at) {
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  drain_stores();
  remote::quiet(at);
}

void quiet_local_slow(call_site at) {
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  remote::quiet_local(at);
}

}  // namespace oshen::op
