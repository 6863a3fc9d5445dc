// The private buffers of non-blocking operations, each in use until a quiet. Private memory has no shadow.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>

#include "operation.hpp"

namespace races {

struct loan {
  std::uintptr_t start;
  std::size_t bytes;
  operation what;
  std::uint32_t clock;
};

class loans {
 public:
  // Any thread may call it; all else needs a lock of the caller.
  bool empty() const { return n_.load(std::memory_order_relaxed) == 0; }
  void add(const loan& one);
  // A loan that shares bytes with this range, if one of both is written; else null.
  const loan* conflict(std::uintptr_t start, std::size_t bytes, bool writes) const;
  // Removes the loans for which `ends` is true.
  template <class Ends>
  void end(Ends ends) {
    for (auto& some : by_length_)
      n_.fetch_sub(std::erase_if(some, [&](const auto& one) { return ends(one.second); }), std::memory_order_relaxed);
  }

 private:
  // Start, length, and what distinguishes operations. Loans that agree in all are one loan.
  using key = std::tuple<std::uintptr_t, std::size_t, std::uint32_t, std::uint32_t, channel, bool>;
  // By the bits of their lengths. A program may have millions of loans, and loans of one such class that share bytes
  // with a range start close to it.
  std::map<key, loan> by_length_[std::numeric_limits<std::size_t>::digits + 1];
  std::atomic<std::size_t> n_{0};
};

}  // namespace races
