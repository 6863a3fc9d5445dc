// What one process has done: calls by place, and exchanges that come again.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "record.h"
#include "symbols.hpp"
#include "timeline.hpp"

namespace oshprof {

struct totals {
  std::uint64_t calls = 0;
  std::uint64_t sent_messages = 0, sent_bytes = 0;
  std::uint64_t got_messages = 0, got_bytes = 0;
  std::uint64_t nanoseconds = 0;
};

// What went to one process, or came from there by a get.
struct flow {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// Operations of one function between two waits of the process make a round. A function whose rounds look alike
// exchanges the same shape of data again and again: it could be set up once.
struct rounds {
  std::uint64_t last_wait = 0;  // that had been when the open round began
  std::uint64_t open_shape = 0;
  std::uint64_t open_operations = 0;
  std::uint64_t count = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::unordered_set<std::uint64_t> shapes;

  void operation(const oshprof_traffic& moved, std::uint64_t waits);
  void close();
};

class ledger {
 public:
  void start(const char* interface, int process, int processes);
  void note(const oshprof_call& call, const oshprof_visit& visit, std::uint64_t ended, const oshprof_traffic& moved);
  void posted(std::uint64_t request, const oshprof_call& call, const void* caller, const oshprof_traffic& moved,
              bool persistent);
  oshprof_traffic started(std::uint64_t request, const oshprof_call& call, const void* caller);
  void over(std::uint64_t request, std::int64_t bytes);
  void forgotten(std::uint64_t request);
  // For the timeline, as in record.h.
  void left(std::uint64_t time, int process, std::uint64_t envelope);
  void came(int process, std::uint64_t envelope, std::uint64_t order);
  void carries(std::uint64_t request, int process, std::uint64_t envelope);
  void expects(std::uint64_t request, std::uint64_t communicator);
  void communicator_over(std::uint64_t communicator);
  std::pair<std::uint64_t, std::uint64_t> expected(std::uint64_t request);  // communicator, order
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
  struct posting {
    place at;  // which is told what has come
    oshprof_traffic moved;
    bool persistent, sends;
    int to = -1;  // what the timeline knows of a message
    std::uint64_t envelope = 0, communicator = 0, order = 0;
  };
  const function& function_of(const void* caller);
  void move(const oshprof_traffic& moved);
  nlohmann::json described(std::unordered_map<const void*, rounds>& by_function);
  nlohmann::json described_calls();

  std::mutex mutex_;
  std::unordered_map<place, totals, hash> places_;
  symbols symbols_;
  std::unordered_map<const void*, function> functions_;  // of return addresses
  std::unordered_map<const void*, rounds> exchanges_;    // by start of the function
  std::unordered_map<const void*, rounds> reductions_;   // which no exchange plan can do; each is a round
  std::unordered_map<std::uint64_t, posting> requests_;
  std::map<int, flow> sent_to_, got_from_;
  timeline timeline_;
  std::uint64_t waits_ = 0;
  std::string interface_;
  int process_ = 0;
  int processes_ = 1;
  std::uint64_t began_ = 0;
  int open_ = 0;
  bool stopped_ = false;
};

}  // namespace oshprof
