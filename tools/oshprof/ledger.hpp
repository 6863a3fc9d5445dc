// What one process has done: calls by place, and exchanges that come again.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "record.h"
#include "symbols.hpp"

namespace oshprof {

struct totals {
  std::uint64_t calls = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t nanoseconds = 0;
};

// Operations of one function between two waits of the process make a round. A function whose rounds look alike
// exchanges the same shape of data again and again: it could be set up once.
struct rounds {
  std::uint64_t last_wait = 0;  // that had been when the open round began
  std::uint64_t open_shape = 0;
  std::uint64_t open_messages = 0;
  std::uint64_t count = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::unordered_set<std::uint64_t> shapes;

  void operation(std::uint64_t pattern, std::uint64_t size, std::uint64_t waits);
  void close();
};

class ledger {
 public:
  void start(const char* interface, int process, int processes);
  void note(const oshprof_call& call, const void* caller, std::uint64_t nanoseconds, std::uint64_t bytes,
            std::uint64_t pattern);
  // The last one writes $OSHPROF_DIR/<interface>-<process>.json.
  void stop();

 private:
  struct place {
    const oshprof_call* call;
    const void* caller;
    bool operator==(const place&) const = default;
  };
  struct hash {
    std::size_t operator()(const place& p) const {
      return oshprof_mix(reinterpret_cast<std::uintptr_t>(p.call), reinterpret_cast<std::uintptr_t>(p.caller));
    }
  };
  const function& function_of(const void* caller);

  std::mutex mutex_;
  std::unordered_map<place, totals, hash> places_;
  symbols symbols_;
  std::unordered_map<const void*, function> functions_;  // of return addresses
  std::unordered_map<const void*, rounds> exchanges_;    // by start of the function
  std::uint64_t waits_ = 0;
  std::string interface_;
  int process_ = 0;
  int processes_ = 1;
  std::uint64_t began_ = 0;
  int open_ = 0;
  bool stopped_ = false;
};

}  // namespace oshprof
