// Atomic operations in a form that can be sent: an operation code, a width and operands. apply() executes them, both
// for messages that arrive and wherever the operation is not known at compile time. A width describes the type
// completely: signed and unsigned addition produce the same bits, and floats are only fetched, set and swapped.
#pragma once

#include <atomic>
#include <cstdint>

namespace oshen::transport {

enum class operation : std::uint8_t {
  fetch,
  set,
  swap,
  compare_swap,  // stores `value` if the object equals `compare`
  add,
  bit_and,
  bit_or,
  bit_xor,
};

enum class width : std::uint8_t { four = 4, eight = 8 };

// The agent of the operations on an object: CPUs of its node, or the network card. Most cards are not atomic with CPUs,
// so all operations on one object have the same agent, those of near PEs too.
// `card_here`: the card, on an object of the caller's node; the operation takes the general form only.
enum class agent : std::uint8_t { cpu, card, card_here };

struct atomic_op {
  operation op;
  width bytes;
  bool fetches;         // the caller needs the value before the operation
  std::uint64_t value;  // in the low `bytes` bytes
  std::uint64_t compare;
  agent by = agent::cpu;
};

// Applies the operation with one instruction of this CPU, in acquire-release order, and returns the value before. If
// `op` is a compile-time constant, the compiler keeps only that case.
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

// Applies `op` to the naturally aligned `object`; returns the value before.
std::uint64_t apply(void* object, const atomic_op& op);

}  // namespace oshen::transport
