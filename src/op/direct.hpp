// The direct way to a PE of another node: one call of the network and one count (transport::direct_path). Each function
// returns false without effect if that is not possible now; the caller then takes the general way (op/remote.hpp),
// which connects, asks for keys, splits, packs, defers and retries.
#pragma once

#include <shmem.h>

#include "op/call_site.hpp"
#include "op/remote.hpp"
#include "transport/endpoint.hpp"
#include "world/team.hpp"

namespace oshen::op::direct {

// The direct path of a context while operations may take it; null: they take the general way.
[[gnu::always_inline]] inline transport::direct_path* path_of(const context& c) {
  if (c.channel == nullptr) [[unlikely]]
    return nullptr;
  transport::direct_path* const path = c.channel->open_direct.load(std::memory_order_acquire);
  if (path == nullptr || path->detours->load(std::memory_order_acquire) != 0) [[unlikely]]
    return nullptr;
  return path;
}

// The number in the job of a PE of the context's team. If a near PE comes here, because the near range does not cover
// it, the transport has no route to it and refuses.
[[gnu::always_inline]] inline int world_pe_of(const context& c, int pe) {
  const team& t = *c.members;
  if (t.list == nullptr) [[likely]]
    return t.start + pe * t.stride;
  return t.list[pe];
}

// Where the symmetric object of an operation is. Operations on the heap are tried first, without a thought for the
// other area, and those on static data by the general way's first step. `cpu_heap`: the part of the heap without the
// objects of cards. `atomics`: the part with the objects whose atomic operations the path executes.
enum class area { heap, cpu_heap, atomics, data };

// The offset of a symmetric object in the slice of every PE. False: it is not in this area.
template <area of>
[[gnu::always_inline]] inline bool find_offset(const context& c, const void* address, std::size_t bytes,
                                               std::uint64_t& offset) {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const auto control = reinterpret_cast<std::uintptr_t>(c.control);
  if constexpr (of != area::data) {
    offset = a - control;
    if constexpr (of == area::atomics) return fits(a - c.direct_start, bytes, c.direct_bytes);
    return fits(a - c.heap_start, bytes, of == area::heap ? c.heap_bytes : c.cpu_bytes);
  }
  offset = a + static_cast<std::uintptr_t>(c.data_to_slice) - control;
  return fits(a - c.data_start, bytes, c.data_bytes);
}

// The target of an operation.
struct target {
  transport::direct_path* path;
  int world_pe;
  std::uint64_t at;
};
// False: the operation takes the general way.
template <area of>
[[gnu::always_inline]] inline bool find_target(const context& c, int pe, const void* object, std::size_t bytes,
                                               target& t) {
  t.path = path_of(c);
  if (t.path == nullptr || static_cast<std::uint32_t>(pe) >= c.n_pes) [[unlikely]]
    return false;
  t.world_pe = world_pe_of(c, pe);
  return find_offset<of>(c, object, bytes, t.at);
}
// The same for an atomic operation.
template <area of, class Word>
[[gnu::always_inline]] inline bool find_object(const context& c, int pe, const void* object, target& t) {
  return find_target<of>(c, pe, object, sizeof(Word), t) && t.path->amo_calls != nullptr && t.at % sizeof(Word) == 0;
}

inline constexpr unsigned most_waits_for_room = 64;  // some microseconds; then the target may have stopped

// For an operation that did not go directly; `go` tries again. If the network had no room for it, a card has some again
// soon, and to defer the operation would take longer.
template <class Go>
bool goes_when_there_is_room(call_site at, Go go) {
  for (unsigned i = 0; i < most_waits_for_room; ++i) {
    const transport::direct_path* const path = path_of(*at.ctx);
    if (path == nullptr) return false;
    const std::uint64_t n_full = path->direct_ops->n_full.load(std::memory_order_relaxed);
    if (n_full == 0) [[likely]]
      return false;
    if (go()) return true;
    if (path->direct_ops->n_full.load(std::memory_order_relaxed) == n_full) return false;  // there is another reason
    remote::make_progress(at);
  }
  return false;
}

// At least one byte.
template <area of = area::heap>
[[gnu::always_inline]] inline bool put(call_site at, void* dest, const void* source, std::size_t bytes, int pe,
                                       bool keeps_source) {
  target t;
  if (!find_target<of>(*at.ctx, pe, dest, bytes, t)) [[unlikely]]
    return false;
  return t.path->put(*t.path, source, bytes, t.world_pe, t.at, keeps_source);
}

// At least one byte. Without `wait`, the bytes are in `dest` after quiet.
template <area of = area::heap>
[[gnu::always_inline]] inline bool get(call_site at, void* dest, const void* source, std::size_t bytes, int pe,
                                       transport::direct_wait* wait) {
  target t;
  if (!find_target<of>(*at.ctx, pe, source, bytes, t)) [[unlikely]]
    return false;
  if (!t.path->get(*t.path, dest, bytes, t.world_pe, t.at, wait)) [[unlikely]]
    return false;
  if (wait != nullptr && !t.path->is_over(*t.path, *wait)) remote::await(at, pe, *t.path, *wait);
  return true;
}

// Atomic operations without a result, and with one, which is there after quiet if `wait` is null.
template <class Word, area of = area::atomics>
[[gnu::always_inline]] inline bool change(call_site at, const void* object, const std::uint64_t& value, int pe,
                                          transport::operation op) {
  target t;
  if (!find_object<of, Word>(*at.ctx, pe, object, t)) [[unlikely]]
    return false;
  const auto call = t.path->amo_calls->of<Word>().change[static_cast<std::size_t>(op)];
  return call(*t.path, t.world_pe, t.at, value);
}
template <class Word, area of = area::atomics>
[[gnu::always_inline]] inline bool fetch(call_site at, const void* object, const transport::atomic_operands& with,
                                         int pe, transport::operation op, void* result, transport::direct_wait* wait) {
  target t;
  if (!find_object<of, Word>(*at.ctx, pe, object, t)) [[unlikely]]
    return false;
  const auto call = t.path->amo_calls->of<Word>().fetch[static_cast<std::size_t>(op)];
  if (!call(*t.path, t.world_pe, t.at, with, result, wait)) [[unlikely]]
    return false;
  if (wait != nullptr && !t.path->is_over(*t.path, *wait)) remote::await(at, pe, *t.path, *wait);
  return true;
}

// A signal that is set is a write, which is atomic with the CPUs, but not with the atomic operations of a card.
[[gnu::always_inline]] inline bool put_signal(call_site at, void* dest, const void* source, std::size_t bytes,
                                              const signal_update& update, int pe, bool keeps_source) {
  target t;  // of the signal
  if (!find_target<area::cpu_heap>(*at.ctx, pe, update.sig_addr, sizeof update.signal, t) ||
      t.path->put_signal == nullptr || update.sig_op != SHMEM_SIGNAL_SET || t.at % sizeof update.signal != 0)
      [[unlikely]]
    return false;
  std::uint64_t to = 0;
  if (bytes != 0 && !find_offset<area::heap>(*at.ctx, dest, bytes, to)) [[unlikely]]
    return false;
  const transport::put_signal_args args{.to = to,
                                        .from = source,
                                        .bytes = bytes,
                                        .signal = t.at,
                                        .value = update.signal,
                                        .op = transport::signal_op::set};
  return t.path->put_signal(*t.path, t.world_pe, args, keeps_source);
}

}  // namespace oshen::op::direct
