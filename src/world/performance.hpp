// The numbers of the performance variables (shmemx_pvar_read) that count. Nothing counts until shmemx_pvar_start():
// then the operations of all contexts take the way of op/slow_path.hpp, and the transport reports those towards other
// nodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "transport/traffic_hook.hpp"

namespace oshen {

struct world;
struct context;

enum class counted : std::uint8_t { put, get, signal, atomic, pack };
inline constexpr int counted_kinds = 5;

// Of the operations of this PE on another PE, or on itself.
struct alignas(cache_line) peer_counts {
  std::atomic<std::uint64_t> n_operations[counted_kinds];
  std::atomic<std::uint64_t> bytes[3];  // of puts, gets, and puts with signal
};

struct performance : transport::traffic_hook {
  peer_counts* counts_of;  // of each PE of the job
  std::atomic<std::uint64_t> waits, sleeps, retries;
  std::uint32_t polls_before;  // progress_state::program_advances at the start
  std::uint32_t polls;         // at the stop

  void count(counted kind, int world_pe, std::size_t bytes) {
    peer_counts& to = counts_of[world_pe];
    const auto i = static_cast<std::size_t>(kind);
    to.n_operations[i].fetch_add(1, std::memory_order_relaxed);
    if (i < 3) to.bytes[i].fetch_add(bytes, std::memory_order_relaxed);
  }
};

// Count from 0, and stop. The caller makes sure that no other thread of the PE is in a call, and that no operation is
// in progress. start_counting() returns false if there is no memory.
bool start_counting(world& w);
void stop_counting(world& w);
// Makes a new context count, if others do.
void count_context(context& c);
// The polls of the network by the program, while counting or until the stop.
std::uint64_t polls_counted(const world& w);
void free_performance(world& w);

}  // namespace oshen
