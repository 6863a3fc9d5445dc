// Operations on PEs of other nodes, through the transport (design/transport.md). The loops that try again stand here:
// each makes progress, sees the end of the job, and says what it waits for like any other wait (world/idle.hpp).
#pragma once

#include "op/other_node.hpp"
#include "transport/transport.hpp"

namespace oshen::op::remote {

// Where a symmetric object lies in everybody's slice; checked as on the node.
std::uint64_t offset_in_slice(call_site at, const char* argument, const void* address, std::size_t bytes);

// `world_pe` is on another node. A blocking put returns when `from` may be reused, a get when the bytes are here.
void put(call_site at, int world_pe, std::uint64_t to, const void* from, std::size_t bytes, pace p);
void get(call_site at, int world_pe, void* to, std::uint64_t from, std::size_t bytes, pace p);

// Blocking puts or gets of one call, which are under way together: its end waits for all of them.
class batch {
 public:
  batch(call_site at, int world_pe);
  ~batch();
  batch(const batch&) = delete;
  batch& operator=(const batch&) = delete;
  void put(std::uint64_t to, const void* from, std::size_t bytes);
  void get(void* to, std::uint64_t from, std::size_t bytes);

 private:
  call_site at_;
  int world_pe_;
  transport::completion here_;
};

std::uint64_t change(call_site at, int world_pe, std::uint64_t object, const transport::change& what);
void put_signal(call_site at, int world_pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                const transport::change& what, pace p = pace::blocking);

// On the lane of collectives: `bytes` bytes, and behind them and all that went there before a change of the word.
void put_and_change(call_site at, int world_pe, std::uint64_t to, const void* from, std::size_t bytes,
                    std::uint64_t word, const transport::change& what, pace p = pace::blocking);

void fence(call_site at);
void quiet(call_site at);

// A lane for a new context on a team that spans nodes; without one of its own it shares that of the default context.
void open_lane(context& c, long options);
// The context has been quiet.
void close_lane(context& c);

}  // namespace oshen::op::remote
