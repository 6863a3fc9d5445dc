// A world: everything that one PE knows between shmem_init and the last shmem_finalize. There is no other
// state. The library has one (world/current.hpp); unit tests make one per thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "boot/boot.hpp"
#include "heap/allocator.hpp"
#include "heap/segment.hpp"
#include "heap/static_data.hpp"
#include "os/mutex.hpp"
#include "world/background.hpp"
#include "world/context.hpp"
#include "world/control.hpp"
#include "world/graph.hpp"
#include "world/handles.hpp"
#include "world/team.hpp"
#include "world/turns.hpp"
#include "world/wait_policy.hpp"

namespace oshen {

namespace coll {
struct preferences;
}

inline constexpr std::uint32_t max_contexts = 4096;

struct world {
  int pe = 0;
  int n_pes = 0;
  int thread_level = 0;
  boot::boot* launcher = nullptr;
  settings config;
  wait_policy waiting;
  int cpus = 1;  // that the PEs may use together
  // What was asked for and measured (coll/tuning_file.hpp), and a number that is the same on all PEs if that is.
  coll::preferences* preferences = nullptr;
  std::uint64_t preferences_digest = 0;

  heap::segment segment;
  heap::static_data statics;
  heap::allocator heap;
  std::uint64_t heap_calls = 0;
  std::size_t affordable = 0;  // bytes of heap per PE that the node's memory can back, judged at start-up

  context default_context;
  team team_world;
  team team_shared;
  coll::observer* watcher = nullptr;     // of all teams, where chaos is wanted; malloced
  handle_table<team, max_teams> teams;
  handle_table<context, max_contexts> contexts;
  handle_table<graph, max_graphs> graphs;
  end_list edge_ends;                    // of this PE's control page
  oshen::background background;          // non-blocking collectives
  thread_turns turns;                    // threads of this PE that want the same lock
  os::mutex speaking;                    // one thread at a time writes what this PE is doing

  world() = default;
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  control_page& control(int of_pe) const {
    return *reinterpret_cast<control_page*>(segment.slice(of_pe));
  }
  control_page& own_control() const { return control(pe); }
  node_page& node() const { return *reinterpret_cast<node_page*>(segment.node()); }
};

// ---- start-up and shutdown (world/startup.cpp, design/start-up.md) --------------------------------------

// Builds `w` over `launcher`. Collective over the launcher's PEs. On failure everything built is undone.
status open_world(world& w, boot::boot& launcher, const settings& config);

// Unit tests: the PEs are threads, `shared` was created by one of them, and there is no static data.
heap::layout plan_of(int n_pes, std::size_t data_bytes, std::size_t heap_bytes);
void furnish_world(world& w, boot::boot& launcher, const settings& config);

// Takes `w` apart, in the reverse order. Collective: ends with the launcher's barrier.
void close_world(world& w);

// ---- pieces that others build on -------------------------------------------------------------------------

// The address arithmetic for the PEs of `t`.
void aim(context& c, world& w, team& t);

// Gives back the private memory of a team; its slot and its handle are the caller's business.
void free_memory(team& t);

// Ends the whole job: the one line has been printed. Never returns.
[[noreturn]] void end_job(world* w, int exit_status, bool quiet);

}  // namespace oshen
