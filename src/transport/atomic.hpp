// Atomic operations as codes, so that they can be sent: operation and width. One table (apply) carries them out, for
// messages that come in and wherever the operation is not known at compile time. Signed and unsigned addition are the
// same bits, and a float is only fetched, set and swapped: so a width says all that must be known of a type.
#pragma once

#include <atomic>
#include <cstdint>

namespace oshen::transport {

enum class operation : std::uint8_t {
  fetch,
  set,
  swap,
  compare_swap,  // to `value` where the object is `compare`
  add,
  bit_and,
  bit_or,
  bit_xor,
};

enum class width : std::uint8_t { four = 4, eight = 8 };

struct change {
  operation op;
  width bytes;
  bool fetches;           // somebody wants to know the value before
  std::uint64_t value;    // the low bytes count
  std::uint64_t compare;
};

// Does it to the object by one instruction of this CPU, with acquire-release order; returns the value before. Where the
// operation is known at compile time, only that is left of it.
template <class T>
[[gnu::always_inline]] inline T apply_to(T& object, operation op, T value, T compare = T{}) {
  const std::atomic_ref<T> cell(object);
  constexpr auto both = std::memory_order_acq_rel;
  switch (op) {
    case operation::fetch: return cell.load(std::memory_order_acquire);
    case operation::set: return cell.store(value, std::memory_order_release), T{};
    case operation::swap: return cell.exchange(value, both);
    case operation::compare_swap:
      cell.compare_exchange_strong(compare, value, both, std::memory_order_acquire);
      return compare;
    case operation::add: return cell.fetch_add(value, both);
    case operation::bit_and: return cell.fetch_and(value, both);
    case operation::bit_or: return cell.fetch_or(value, both);
    case operation::bit_xor: return cell.fetch_xor(value, both);
  }
  return T{};
}

// The same to the object at `object`, which is a multiple of its width.
std::uint64_t apply(void* object, const change& what);

}  // namespace oshen::transport
