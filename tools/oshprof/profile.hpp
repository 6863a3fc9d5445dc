// The profile of one process: its calls by call site, and its repeated exchanges.
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

// Data sent to one process, or fetched from it.
struct flow {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// The operations of one function between two waits of the process form a round. A function whose rounds have the same
// shape repeats one exchange, which could be set up once.
struct rounds {
  std::uint64_t last_wait = 0;  // number of waits before the open round began
  std::uint64_t open_shape = 0;
  std::uint64_t open_operations = 0;
  std::uint64_t count = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::unordered_set<std::uint64_t> shapes;

  void operation(const oshprof_traffic& moved, std::uint64_t waits);
  void close();
};

class profile {
 public:
  void start(const char* interface, int process, int processes);
  void add_call(const oshprof_call& call, const oshprof_visit& visit, std::uint64_t ended,
                const oshprof_traffic& moved);
  void request_posted(std::uint64_t request, const oshprof_call& call, const void* caller, const oshprof_traffic& moved,
                      bool persistent);
  oshprof_traffic request_started(std::uint64_t request, const oshprof_call& call, const oshprof_visit& visit);
  void request_completed(std::uint64_t request, std::int64_t bytes);
  void request_freed(std::uint64_t request);
  // For the timeline, as in record.h.
  void message_sent(std::uint64_t time, int process, std::uint64_t envelope);
  void message_received(int process, std::uint64_t envelope, std::uint64_t order);
  void request_sends_to(std::uint64_t request, int process, std::uint64_t envelope);
  void request_receives_from(std::uint64_t request, std::uint64_t communicator);
  void communicator_freed(std::uint64_t communicator);
  std::pair<std::uint64_t, std::uint64_t> request_origin(std::uint64_t request);  // communicator, order
  // The last call writes $OSHPROF_DIR/<interface>-<process>.json.
  void stop();

 private:
  struct call_site {
    const oshprof_call* call;
    const void* caller;
    bool operator==(const call_site&) const = default;
  };
  struct hash {
    std::size_t operator()(const call_site& p) const {
      return oshprof_mix(reinterpret_cast<std::uintptr_t>(p.call), reinterpret_cast<std::uintptr_t>(p.caller));
    }
  };
  struct pending_request {
    call_site at;  // received data counts here
    oshprof_traffic moved;
    bool persistent, sends;
    int to = -1;  // for the timeline
    std::uint64_t envelope = 0, communicator = 0, order = 0;
  };
  const function& function_of(const void* caller);
  void add_flow(const oshprof_traffic& moved);
  nlohmann::json as_json(std::unordered_map<const void*, rounds>& by_function);
  nlohmann::json calls_to_json();

  std::mutex mutex_;
  std::unordered_map<call_site, totals, hash> call_sites_;
  symbols symbols_;
  std::unordered_map<const void*, function> functions_;  // by return address
  std::unordered_map<const void*, rounds> exchanges_;    // by start of the function
  std::unordered_map<const void*, rounds> reductions_;   // exchange plans do not replace them; each is a round
  std::unordered_map<std::uint64_t, pending_request> requests_;
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
