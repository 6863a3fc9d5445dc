#include "op/other_node.hpp"

#include <shmem.h>

#include "op/copy.hpp"
#include "op/remote.hpp"
#include "op/order.hpp"
#include "world/idle.hpp"
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

// One element is one store, as on the short way.
void move(void* to, const void* from, std::size_t bytes) {
  switch (bytes) {
    case 1: return store_one(static_cast<std::uint8_t*>(to), *static_cast<const std::uint8_t*>(from));
    case 2: return move_one<std::uint16_t>(to, from);
    case 4: return move_one<std::uint32_t>(to, from);
    case 8: return move_one<std::uint64_t>(to, from);
    default: memcpy(to, from, bytes);
  }
}

// The peer's object, after a closer look.
char* object_of(call_site at, const peer& p, const char* argument, const void* address, std::size_t bytes) {
  const std::ptrdiff_t offset = look_closer(at, argument, address, bytes) + p.peer_offset;
  return byte_offset(static_cast<char*>(const_cast<void*>(address)), offset);
}

// From the first byte of `blocks` blocks to the last: checked together, for a line that tells of all. The steps are
// positive.
std::size_t extent_of(std::ptrdiff_t step, std::size_t bytes, std::size_t blocks) {
  return static_cast<std::size_t>(step) * (blocks - 1) + bytes;
}

template <class T>
T* step(T* p, std::ptrdiff_t bytes, std::size_t times) {
  return byte_offset(p, bytes * static_cast<std::ptrdiff_t>(times));
}

transport::change as_change(call_site at, int sig_op, std::uint64_t signal) {
  if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD)
    bad_argument(at, "sig_op = %d: expected SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op);
  return {.op = sig_op == SHMEM_SIGNAL_SET ? transport::operation::set : transport::operation::add,
          .bytes = transport::width::eight,
          .fetches = false,
          .value = signal,
          .compare = 0};
}

}  // namespace

whereabouts find(call_site at, int pe) {
  const context& c = *at.where;
  if (static_cast<std::uint32_t>(pe) >= c.n_pes) bad_pe(at, pe);
  const world& w = *c.home;
  const int world_pe = c.members->world_pe(pe), slice = w.near.slice_of(world_pe);
  if (slice < 0) return {false, {}, world_pe};
  const auto stride = static_cast<std::ptrdiff_t>(w.segment.stride());
  const std::ptrdiff_t peer_offset = static_cast<std::ptrdiff_t>(slice - w.near.mine) * stride;
  return {true, {peer_offset, byte_offset(c.control, peer_offset)}, world_pe};
}

void put_elsewhere(call_site at, void* dest, const void* source, std::size_t bytes, int pe, pace p) {
  const whereabouts to = find(at, pe);
  if (bytes == 0) return;  // both pointers may be null
  check_private(at, "source", source);
  if (!to.is_near)
    return remote::put(at, to.world_pe, remote::offset_in_slice(at, "dest", dest, bytes), source, bytes, p);
  char* const target = object_of(at, to.near, "dest", dest, bytes);
  move(target, source, bytes);
  wake(to.near.wakeup(), target, bytes);
}

void get_elsewhere(call_site at, void* dest, const void* source, std::size_t bytes, int pe, pace p) {
  const whereabouts from = find(at, pe);
  if (bytes == 0) return;
  check_private(at, "dest", dest);
  if (!from.is_near)
    return remote::get(at, from.world_pe, dest, remote::offset_in_slice(at, "source", source, bytes), bytes, p);
  move(dest, object_of(at, from.near, "source", source, bytes), bytes);
}

// On another node a round trip for each block would be most of the call.
void put_blocks_elsewhere(call_site at, void* dest, const void* source, apart steps, std::size_t bytes,
                          std::size_t blocks, int pe) {
  const whereabouts to = find(at, pe);
  const std::size_t extent = extent_of(steps.dest, bytes, blocks);
  const auto from = [&](std::size_t i) { return step(static_cast<const char*>(source), steps.source, i); };
  if (to.is_near) {
    look_closer(at, "dest", dest, extent);
    for (std::size_t i = 0; i < blocks; ++i)
      put_elsewhere(at, step(static_cast<char*>(dest), steps.dest, i), from(i), bytes, pe, pace::blocking);
    return;
  }
  check_private(at, "source", source);
  const std::uint64_t first = remote::offset_in_slice(at, "dest", dest, extent);
  remote::batch all(at, to.world_pe);
  for (std::size_t i = 0; i < blocks; ++i) all.put(first + static_cast<std::size_t>(steps.dest) * i, from(i), bytes);
}

void get_blocks_elsewhere(call_site at, void* dest, const void* source, apart steps, std::size_t bytes,
                          std::size_t blocks, int pe) {
  const whereabouts from = find(at, pe);
  const std::size_t extent = extent_of(steps.source, bytes, blocks);
  const auto to = [&](std::size_t i) { return step(static_cast<char*>(dest), steps.dest, i); };
  if (from.is_near) {
    look_closer(at, "source", source, extent);
    for (std::size_t i = 0; i < blocks; ++i)
      get_elsewhere(at, to(i), step(static_cast<const char*>(source), steps.source, i), bytes, pe, pace::blocking);
    return;
  }
  check_private(at, "dest", dest);
  const std::uint64_t first = remote::offset_in_slice(at, "source", source, extent);
  remote::batch all(at, from.world_pe);
  for (std::size_t i = 0; i < blocks; ++i) all.get(to(i), first + static_cast<std::size_t>(steps.source) * i, bytes);
}

std::uint64_t change_elsewhere(call_site at, const char* argument, const void* object, transport::change what, int pe) {
  const whereabouts to = find(at, pe);
  const auto width = static_cast<std::size_t>(what.bytes);
  check_alignment(at, argument, object, width);
  if (!to.is_near) return remote::change(at, to.world_pe, remote::offset_in_slice(at, argument, object, width), what);
  char* target = object_of(at, to.near, argument, object, width);
  const std::uint64_t before = transport::apply(target, what);
  if (what.op != transport::operation::fetch)
    wake(to.near.wakeup(), target, width);
  else if (to.near.peer_offset == 0)
    give_way_if_same(*at.where->home, object, before);  // programs wait for others by fetching their own word
  return before;
}

void put_signal_elsewhere(call_site at, void* dest, const void* source, std::size_t bytes, std::uint64_t* sig_addr,
                          std::uint64_t signal, int sig_op, int pe) {
  const whereabouts to = find(at, pe);
  const transport::change what = as_change(at, sig_op, signal);
  check_alignment(at, "sig_addr", sig_addr, sizeof *sig_addr);
  if (to.is_near) {
    if (bytes != 0) put_elsewhere(at, dest, source, bytes, pe, pace::blocking);
    char* const word = object_of(at, to.near, "sig_addr", sig_addr, sizeof *sig_addr);
    transport::apply(word, what);
    return wake(to.near.wakeup(), word, sizeof *sig_addr);
  }
  const std::uint64_t to_offset = bytes == 0 ? 0 : remote::offset_in_slice(at, "dest", dest, bytes);
  remote::put_signal(at, to.world_pe, to_offset, source, bytes,
                     remote::offset_in_slice(at, "sig_addr", sig_addr, sizeof *sig_addr), what);
}

void fence_elsewhere(call_site at) {
  if (at.where->n_pes == 0) bad_pe(at, 0);
  std::atomic_thread_fence(std::memory_order_release);
  remote::fence(at);
}

void quiet_elsewhere(call_site at) {
  if (at.where->n_pes == 0) bad_pe(at, 0);
  drain_stores();
  remote::quiet(at);
}

}  // namespace oshen::op
