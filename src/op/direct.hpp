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

// The number in the job of a PE of the context's team; less than 0: there is no such PE. If a near PE comes here,
// because the near range does not cover it, the transport has no route to it and refuses.
[[gnu::always_inline]] inline int world_pe_of(const context& c, int pe) {
  if (static_cast<std::uint32_t>(pe) >= c.n_pes) [[unlikely]]
    return -1;
  const team& t = *c.members;
  if (t.list == nullptr) [[likely]]
    return t.start + pe * t.stride;
  return t.list[pe];
}

// Where the symmetric object of an operation is. Operations on the heap are tried first, without a thought for the
// other area, and those on static data by the general way's first step.
enum class area { heap, data };

// The offset of a symmetric object in the slice of every PE; `elsewhere`: it is not in this area.
inline constexpr std::uint64_t elsewhere = UINT64_MAX;
template <area of>
[[gnu::always_inline]] inline std::uint64_t offset_of(const context& c, const void* address, std::size_t bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const auto control = reinterpret_cast<std::uintptr_t>(c.control);
  if constexpr (of == area::heap) return fits(a - c.heap_start, bytes, c.heap_bytes) ? a - control : elsewhere;
  const std::uintptr_t in_slice = a + static_cast<std::uintptr_t>(c.data_to_slice);
  return fits(a - c.data_start, bytes, c.data_bytes) ? in_slice - control : elsewhere;
}

// At least one byte.
template <area of = area::heap>
[[gnu::always_inline]] inline bool put(call_site at, void* dest, const void* source, std::size_t bytes, int pe,
                                       bool keeps_source) {
  transport::direct_path* const path = path_of(*at.ctx);
  const int world_pe = path != nullptr ? world_pe_of(*at.ctx, pe) : -1;
  const std::uint64_t to = offset_of<of>(*at.ctx, dest, bytes);
  if (world_pe < 0 || to == elsewhere) [[unlikely]]
    return false;
  return path->put(*path, world_pe, to, source, bytes, keeps_source);
}

// At least one byte. Without `wait`, the bytes are in `dest` after quiet.
template <area of = area::heap>
[[gnu::always_inline]] inline bool get(call_site at, void* dest, const void* source, std::size_t bytes, int pe,
                                       transport::direct_wait* wait) {
  transport::direct_path* const path = path_of(*at.ctx);
  const int world_pe = path != nullptr ? world_pe_of(*at.ctx, pe) : -1;
  const std::uint64_t from = offset_of<of>(*at.ctx, source, bytes);
  if (world_pe < 0 || from == elsewhere) [[unlikely]]
    return false;
  if (!path->get(*path, world_pe, dest, from, bytes, wait)) [[unlikely]]
    return false;
  if (wait != nullptr && !path->is_over(*path, *wait)) remote::await(at, pe, *path, *wait);
  return true;
}

// By the card, on a PE of this node too: without a result, and with one, which is there after quiet if `wait` is null.
template <area of = area::heap>
[[gnu::always_inline]] inline bool atomic(const change& c) {
  transport::direct_path* const path = path_of(*c.at.ctx);
  const auto bytes = static_cast<std::size_t>(c.op.bytes);
  const int world_pe = path != nullptr && path->atomic != nullptr ? world_pe_of(*c.at.ctx, c.pe) : -1;
  const std::uint64_t at = offset_of<of>(*c.at.ctx, c.object, bytes);
  if (world_pe < 0 || (at & (bytes - 1)) != 0) [[unlikely]]  // `elsewhere` is odd
    return false;
  return path->atomic(*path, world_pe, at, c.op);
}
template <area of = area::heap>
[[gnu::always_inline]] inline bool fetch(const change& c, void* result, transport::direct_wait* wait) {
  transport::direct_path* const path = path_of(*c.at.ctx);
  const auto bytes = static_cast<std::size_t>(c.op.bytes);
  const int world_pe = path != nullptr && path->fetch != nullptr ? world_pe_of(*c.at.ctx, c.pe) : -1;
  const std::uint64_t at = offset_of<of>(*c.at.ctx, c.object, bytes);
  if (world_pe < 0 || (at & (bytes - 1)) != 0) [[unlikely]]
    return false;
  if (!path->fetch(*path, world_pe, at, c.op, result, wait)) [[unlikely]]
    return false;
  if (wait != nullptr && !path->is_over(*path, *wait)) remote::await(c.at, c.pe, *path, *wait);
  return true;
}

template <area of = area::heap>
[[gnu::always_inline]] inline bool put_signal(call_site at, void* dest, const void* source, std::size_t bytes,
                                              const signal_update& update, int pe, bool keeps_source) {
  transport::direct_path* const path = path_of(*at.ctx);
  if (path == nullptr || path->put_signal == nullptr || update.sig_op != SHMEM_SIGNAL_SET) [[unlikely]]
    return false;
  const int world_pe = world_pe_of(*at.ctx, pe);
  const std::uint64_t to = bytes == 0 ? 0 : offset_of<of>(*at.ctx, dest, bytes);
  const std::uint64_t signal = offset_of<of>(*at.ctx, update.sig_addr, sizeof update.signal);
  if (world_pe < 0 || to == elsewhere || (signal & 7) != 0) [[unlikely]]
    return false;
  const transport::put_signal_args args{.to = to,
                                        .from = source,
                                        .bytes = bytes,
                                        .signal = signal,
                                        .value = update.signal,
                                        .op = transport::signal_op::set};
  return path->put_signal(*path, world_pe, args, keeps_source);
}

// The direct path, if all that is open of the context towards other nodes has gone by it; otherwise null.
[[gnu::always_inline]] inline transport::direct_path* only_path_of(const context& c) {
  const transport::channel* const channel = c.channel;
  if (channel == nullptr) [[unlikely]]
    return nullptr;
  return transport::endpoint::is_general_idle(*channel) ? channel->direct : nullptr;
}

// True if nothing of the context is open towards other nodes.
[[gnu::always_inline]] inline bool is_quiet(const context& c) {
  const transport::channel* const channel = c.channel;
  return channel != nullptr && channel->direct != nullptr && transport::endpoint::is_general_idle(*channel) &&
         channel->direct->is_complete(*channel->direct);
}

// True if all operations of the context towards other nodes are in order without a fence.
[[gnu::always_inline]] inline bool is_fenced(const context& c) {
  const transport::channel* const channel = c.channel;
  return channel != nullptr && channel->direct != nullptr && transport::endpoint::is_general_idle(*channel) &&
         channel->direct->keeps_order;
}

}  // namespace oshen::op::direct
