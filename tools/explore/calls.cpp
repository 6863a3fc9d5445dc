// The routines of OpenSHMEM as entries of the log: puts, gets, atomics, waits, order and locks.
#include "calls.h"

#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "groups.hpp"
#include "pe.hpp"

namespace explore {
namespace {

std::uint64_t address_of(const volatile void* a) { return reinterpret_cast<std::uint64_t>(a); }

std::size_t extent(std::size_t bytes, std::size_t n, std::ptrdiff_t stride) {
  return n == 0 || bytes == 0 ? 0 : bytes + (n - 1) * static_cast<std::size_t>(stride);
}

// Contiguous transfers are one block.
explore_shape merged(explore_shape s) {
  const auto bytes = static_cast<std::ptrdiff_t>(s.bytes);
  if (s.to_stride == bytes && s.from_stride == bytes) s = {s.bytes * s.blocks, 1, 0, 0};
  return s;
}

entry transfer(step what, explore_call call, const context& ctx, void* to, const void* from, const explore_shape& s) {
  entry e;
  e.what = what;
  e.call = call;
  e.ctx = ctx.id;
  e.to = {address_of(to), s.bytes, s.blocks, s.to_stride};
  e.from = {address_of(from), s.bytes, s.blocks, s.from_stride};
  return e;
}

bool is_empty(const explore_shape& s) { return s.bytes == 0 || s.blocks == 0; }

void log_put(entry& e, const explore_shape& s, const void* source) {
  const auto* bytes = static_cast<const std::byte*>(source);
  if (s.blocks == 1) {
    const std::span<const std::byte> all(bytes, s.bytes);
    pe::here().log_with(e, {&all, 1});
    return;
  }
  std::vector<std::span<const std::byte>> parts;
  for (std::size_t i = 0; i < s.blocks; ++i)
    parts.emplace_back(bytes + static_cast<std::ptrdiff_t>(i) * s.from_stride, s.bytes);
  pe::here().log_with(e, parts);
}

// A put, with a signal or without.
void put(entry& e, const explore_shape& s, const void* source, bool late) {
  e.late = late;
  if (!late) return log_put(e, s, source);
  pe::here().log(e);
  pe::here().lend(e.ctx, source, extent(s.bytes, s.blocks, s.from_stride));
}

entry on_word(step what, explore_call call, const void* object, std::size_t bytes) {
  entry e;
  e.what = what;
  e.call = call;
  e.from = {address_of(object), bytes, 1, 0};
  pe::here().check(call, object, bytes, 0, 1);
  return e;
}

void add_signal(void* object, const void* operand) {
  std::uint64_t a, b;
  std::memcpy(&a, object, sizeof a);
  std::memcpy(&b, operand, sizeof b);
  a += b;
  std::memcpy(object, &a, sizeof a);
}

void set_signal(void* object, const void* operand) { std::memcpy(object, operand, sizeof(std::uint64_t)); }

std::size_t ask(step what, explore_call call, const explore_condition& c) {
  entry e;
  e.what = what;
  e.call = call;
  e.condition = c;
  pe::here().check(call, c.objects, c.n * c.bytes, 0, 1);
  e.from = {address_of(c.objects), c.n * c.bytes, 1, 0};
  // The values, then the status of each object.
  const std::size_t values = c.value_stride == 0 ? c.bytes : c.n * c.value_stride;
  std::vector<std::byte> payload(values + c.n * sizeof(int));
  std::memcpy(payload.data(), c.values, values);
  if (c.status != nullptr) std::memcpy(payload.data() + values, c.status, c.n * sizeof(int));
  return pe::here().request_with(e, payload);
}

}  // namespace
}  // namespace explore

using namespace explore;

void explore_not_modelled(explore_call call) {
  entry e;
  e.what = step::not_modelled;
  e.call = call;
  pe::here().stop_for_ever(e);
}

void explore_put(explore_call call, void* ctx, void* dest, const void* source, explore_shape shape, int number,
                 int late) {
  const context& on = *context_of(ctx);
  const explore_shape s = merged(shape);
  entry e = transfer(step::put, call, on, dest, source, s);
  e.pe = world_pe(call, on, number, dest, extent(s.bytes, s.blocks, s.to_stride));
  if (!is_empty(s)) put(e, s, source, late != 0);
}

void explore_put_signal(explore_call call, void* ctx, void* dest, const void* source, explore_shape shape,
                        uint64_t* signal_address, uint64_t signal, int signal_op, int number, int late) {
  const context& on = *context_of(ctx);
  const explore_shape s = merged(shape);
  entry e = transfer(step::put, call, on, dest, source, s);
  e.pe = world_pe(call, on, number, dest, s.bytes);
  world_pe(call, on, number, signal_address, sizeof signal);
  e.has_signal = true;
  e.object = address_of(signal_address);
  e.atomic = {sizeof signal, signal_op == 0 ? set_signal : add_signal, nullptr, sizeof signal, signal_op};
  std::memcpy(e.operand.data(), &signal, sizeof signal);
  put(e, s, source, late != 0);
}

void explore_get(explore_call call, void* ctx, void* dest, const void* source, explore_shape shape, int number,
                 int late) {
  const context& on = *context_of(ctx);
  const explore_shape s = merged(shape);
  entry e = transfer(late != 0 ? step::get_late : step::get, call, on, dest, source, s);
  e.pe = world_pe(call, on, number, source, extent(s.bytes, s.blocks, s.from_stride));
  if (is_empty(s)) return;
  if (late == 0) {
    pe::here().request(e);
    return;
  }
  pe::here().log(e);
  pe::here().lend(e.ctx, dest, extent(s.bytes, s.blocks, s.to_stride));
}

void explore_atomic(explore_call call, void* ctx, void* object, explore_update what, void* fetch, int number,
                    int late) {
  const context& on = *context_of(ctx);
  entry e;
  e.call = call;
  e.ctx = on.id;
  e.pe = world_pe(call, on, number, object, what.bytes);
  e.object = address_of(object);
  e.atomic = what;
  e.fetches = fetch != nullptr;
  e.to = {address_of(fetch), fetch != nullptr ? what.bytes : 0, 1, 0};
  if (what.operand != nullptr) std::memcpy(e.operand.data(), what.operand, what.operand_bytes);
  if (address_of(object) % what.bytes != 0) pe::here().wrong(call, "%p: expected an aligned object", object);
  if (fetch != nullptr && late == 0) {
    e.what = step::atomic;
    pe::here().request(e);
    return;
  }
  e.what = step::atomic_late;
  pe::here().log(e);
  if (fetch != nullptr) pe::here().lend(e.ctx, fetch, what.bytes);
}

void explore_fence(explore_call call, void* ctx) {
  pe::here().check(call, nullptr, 0, 0, 1);
  entry e;
  e.what = step::fence;
  e.call = call;
  e.ctx = context_of(ctx)->id;
  pe::here().log(e);
}

void explore_quiet(explore_call call, void* ctx, const int* pes, size_t n) {
  const context& on = *context_of(ctx);
  pe::here().check(call, nullptr, 0, 0, 1);
  entry e;
  e.what = step::quiet;
  e.call = call;
  e.ctx = on.id;
  if (pes != nullptr) {
    e.pes = 0;
    for (std::size_t i = 0; i < n; ++i) e.pes |= 1u << world_pe(call, on, pes[i], nullptr, 0);
  }
  pe::here().request(e);
  if (pes == nullptr) pe::here().take_back(e.ctx);
}

size_t explore_wait(explore_call call, const explore_condition* condition) { return ask(step::wait, call, *condition); }

size_t explore_test(explore_call call, const explore_condition* condition) { return ask(step::test, call, *condition); }

uint64_t explore_read_word(explore_call call, const uint64_t* word) {
  entry e = on_word(step::read_word, call, word, sizeof *word);
  return pe::here().request(e);
}

void explore_set_lock(explore_call call, long* lock) {
  entry e = on_word(step::set_lock, call, lock, sizeof *lock);
  pe::here().request(e);
}

int explore_test_lock(explore_call call, long* lock) {
  entry e = on_word(step::test_lock, call, lock, sizeof *lock);
  return static_cast<int>(pe::here().request(e));
}

void explore_clear_lock(explore_call call, long* lock) {
  explore_quiet(call, nullptr, nullptr, 0);
  entry e = on_word(step::clear_lock, call, lock, sizeof *lock);
  pe::here().request(e);
}
