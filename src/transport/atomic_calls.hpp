// The atomic operations of a direct path: one function for each operation and width. So the operation is a constant in
// each of them, and none chooses among operations when it runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/atomic.hpp"

namespace oshen::transport {

struct direct_path;
struct direct_wait;

// Each is in the low bytes of its member.
struct atomic_operands {
  std::uint64_t value;
  std::uint64_t compare;  // of compare_swap
};

inline constexpr std::size_t n_operations = static_cast<std::size_t>(operation::bit_xor) + 1;

// `change` has no result, and is null for operations that always have one. The result of `fetch` arrives as the bytes
// of a get do. Operands may be reused when a change or a fetch without a wait returns; otherwise when the wait is over.
struct atomic_calls {
  using changing = bool (*)(direct_path&, int pe, std::uint64_t at, const std::uint64_t& value);
  using fetching = bool (*)(direct_path&, int pe, std::uint64_t at, const atomic_operands&, void* result, direct_wait*);
  struct of_width {
    changing change[n_operations];
    fetching fetch[n_operations];
  };
  of_width four, eight;

  template <class Word>
  const of_width& of() const {
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    return sizeof(Word) == 8 ? eight : four;
  }
};

constexpr bool has_form_without_result(operation op) {
  return op != operation::fetch && op != operation::swap && op != operation::compare_swap;
}

template <class Calls, width bytes, std::size_t i = 0>
constexpr void fill_in(atomic_calls::of_width& all) {
  if constexpr (i < n_operations) {
    constexpr auto op = static_cast<operation>(i);
    if constexpr (has_form_without_result(op)) all.change[i] = Calls::template change<op, bytes>;
    all.fetch[i] = Calls::template fetch<op, bytes>;
    fill_in<Calls, bytes, i + 1>(all);
  }
}

// The table of a transport that has `Calls::change<op, bytes>` and `Calls::fetch<op, bytes>`.
template <class Calls>
inline constexpr atomic_calls table_of = [] {
  atomic_calls all{};
  fill_in<Calls, width::four>(all.four);
  fill_in<Calls, width::eight>(all.eight);
  return all;
}();

}  // namespace oshen::transport
