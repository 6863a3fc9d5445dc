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
#include "heap/ledger.hpp"
#include "heap/segment.hpp"
#include "heap/static_data.hpp"
#include "os/mutex.hpp"
#include "world/background.hpp"
#include "world/context.hpp"
#include "world/control.hpp"
#include "world/graph.hpp"
#include "world/handles.hpp"
#include "world/locality.hpp"
#include "world/quiescence.hpp"
#include "world/team.hpp"
#include "world/thread_tickets.hpp"
#include "world/wait_policy.hpp"

namespace oshen {

namespace coll {
struct preferences;
}
struct network;

inline constexpr std::uint32_t max_contexts = 4096;

using context_table = handle_table<context, max_contexts>;

// What the heap's routines remember from call to call.
struct heap_record {
  std::uint64_t calls = 0;
  std::size_t judged = 0;  // bytes in use when the node's memory was looked at last
  std::uint64_t refused = 0;
  std::size_t least_refused = SIZE_MAX;
  std::size_t most_refused = 0;
};

// Threads of this PE of which the wake flag says what they watch (world/wake.hpp).
struct sleepers {
  os::mutex lock;
  int count = 0;
  bool for_flags = false;  // the node page counts this PE
};

struct world {
  int pe = 0;
  int n_pes = 0;
  int thread_level = 0;
  boot::boot* launcher = nullptr;
  settings config;
  wait_policy waiting;
  int pes_on_host = 1;
  int cpus = 1;  // that the PEs of one machine may use together
  locality near;                  // which PEs are on this node
  network* beyond = nullptr;      // the way to the others; null where all are near
  // What was asked for and measured (coll/choosing/tuning_file.hpp), and a number that is the same on all PEs if that
  // is.
  coll::preferences* preferences = nullptr;
  std::uint64_t preferences_digest = 0;
  std::uint64_t digest_with_machine = 0;  // the same with what the user keeps for this machine ...
  bool machine_agrees = true;             // ... which is left out if it is not the same on all PEs

  heap::segment segment;
  heap::static_data statics;
  bool one_program = true;     // else no static data is symmetric
  heap::allocator heap;
  heap::ledger blocks;         // what was asked for, byte by byte; kept under OSHEN_CHECK only
  heap_record heap_calls;
  std::size_t affordable = 0;  // bytes of heap per PE that the node's memory can back, judged at start-up

  context default_context;
  team team_world;
  team team_shared;
  coll::observer* watcher = nullptr;     // of all teams, where chaos is wanted; malloced
  handle_table<team, max_teams> teams;
  context_table contexts;
  handle_table<graph, max_graphs> graphs;
  end_list edge_ends;                    // of this PE's annex
  oshen::background background;          // non-blocking collectives
  thread_tickets tickets;                // threads of this PE that want the same lock
  os::mutex speaking;                    // one thread at a time writes what this PE is doing
  sleepers sleeping;
  std::atomic<std::uint64_t> contested_until{0};  // somebody else has run on this PE's CPU: until then it does not spin
  quiescence_state quiescence;           // its threads that wait long

  world() = default;
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  bool is_near(int of_pe) const { return near.slice_of(of_pe) >= 0; }
  // Of a PE of this node.
  control_page& control(int of_pe) const {
    return *reinterpret_cast<control_page*>(segment.slice(near.slice_of(of_pe)));
  }
  // By the number of its slice.
  control_annex& annex_of(int slice) const { return *reinterpret_cast<control_annex*>(segment.annex(slice)); }
  control_annex& own_annex() const { return annex_of(near.mine); }
  control_page& own_control() const { return *reinterpret_cast<control_page*>(segment.slice(near.mine)); }
  node_page& node() const { return *reinterpret_cast<node_page*>(segment.node()); }
};

// ---- start-up and shutdown (world/startup.cpp, design/start-up.md) --------------------------------------

// Builds `w` over `launcher`. Collective over the launcher's PEs. On failure everything built is undone.
status open_world(world& w, boot::boot& launcher, const settings& config);

// Unit tests: the PEs are threads, `shared` was created by one of them, and there is no static data.
std::size_t annex_bytes(int n_pes, int n_slices);
heap::layout plan_of(int n_pes, int n_slices, std::size_t data_bytes, std::size_t heap_bytes);
void furnish_world(world& w, boot::boot& launcher, const settings& config);

// Takes `w` apart, in the reverse order. Collective: ends with the launcher's barrier.
void close_world(world& w);

// ---- pieces that others build on -------------------------------------------------------------------------

// The address arithmetic for the PEs of `t`.
void init_context(context& c, world& w, team& t);

// The team's slot from now on, and where it lies.
void take_slot(team& t, world& w, int slot);

// Gives back the private memory of a team; its slot and its handle are the caller's business.
void free_memory(team& t);

// Ends the whole job: the one line has been printed. Never returns.
[[noreturn]] void end_job(world* w, int exit_status, bool quiet);

}  // namespace oshen
