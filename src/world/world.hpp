// A world: all data of one PE between shmem_init and the last shmem_finalize. The library has one (world/current.hpp);
// unit tests make one for each thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "bootstrap/launcher.hpp"
#include "heap/allocator.hpp"
#include "heap/block_index.hpp"
#include "heap/segment.hpp"
#include "heap/static_data.hpp"
#include "heap/team_blocks.hpp"
#include "os/mutex.hpp"
#include "os/program_symbols.hpp"
#include "world/context.hpp"
#include "world/control.hpp"
#include "world/graph.hpp"
#include "world/handles.hpp"
#include "world/locality.hpp"
#include "world/team.hpp"
#include "world/thread_tickets.hpp"
#include "world/waiting.hpp"

namespace oshen {

namespace coll {
struct tuning_rules;
}
struct network;
struct performance;

inline constexpr std::uint32_t max_contexts = 4096;

using context_table = handle_table<context, max_contexts>;

// State that the routines of the heap keep between calls.
struct heap_history {
  std::uint64_t n_calls = 0;
  std::uint64_t unmatched = 0;    // a hash of all calls without a barrier, which the next barrier of the heap compares
  std::size_t used_at_check = 0;  // bytes in use at the last check of the node's memory
  std::uint64_t n_refused = 0;
  std::size_t smallest_refused = SIZE_MAX;
  std::size_t largest_refused = 0;
  bool has_policies = false;    // blocks were allocated with hints about NUMA nodes
  bool has_huge_pages = false;  // or with huge pages
};

enum class team_heap_state : std::uint8_t { closed, opening, open };

struct world {
  int pe = 0;
  int n_pes = 0;
  int thread_level = 0;
  bootstrap::launcher* launcher = nullptr;
  settings config;
  wait_policy waiting;
  int pes_on_host = 1;
  int cpus = 1;               // CPUs that the PEs of one machine share
  locality near;              // the PEs of this node
  network* beyond = nullptr;  // the network to other nodes; null if all PEs are near
  // Settings and measurements that select algorithms (coll/select/tuning_file.hpp), and their hash, by which the PEs
  // compare them.
  coll::tuning_rules* tuning = nullptr;
  std::uint64_t tuning_digest = 0;
  std::uint64_t digest_with_machine = 0;  // the hash that includes the user's measurements of this machine
  bool machine_agrees = true;             // false: these measurements differ between PEs, so they are ignored

  heap::segment segment;
  heap::static_data statics;
  bool one_program = true;  // all PEs run one executable; otherwise no static data is symmetric
  heap::allocator heap;
  heap::allocator card_heap;               // of objects that belong to the network card (world/team_heap.hpp)
  std::size_t card_begin = heap::nowhere;  // its offset in the symmetric heap; nowhere: there is no such heap
  heap::block_index block_index;           // kept under OSHEN_CHECK only
  os::program_symbols symbols;             // kept under OSHEN_CHECK only
  oshen::heap_history heap_history;
  std::size_t affordable = 0;  // bytes of heap per PE that the node's memory could back at start-up

  heap::team_blocks team_blocks;
  std::atomic<team_heap_state> team_heap{team_heap_state::closed};  // whether contexts reach it (world/team_heap.hpp)
  os::mutex team_heap_lock;                                         // held while it is opened
  std::atomic<std::size_t> team_heap_unchecked{0};  // bytes of blocks since the last look at the node's memory

  context default_context;
  team team_world;
  team team_shared;
  coll::observer* watcher = nullptr;  // of all teams, if OSHEN_CHAOS is set; malloced
  handle_table<team, max_teams> teams;
  int n_team_slots = max_teams;  // the most teams at a time
  context_table contexts;
  handle_table<graph, max_graphs> graphs;
  edge_end_allocator edge_allocator;
  oshen::background background;  // non-blocking collectives
  thread_tickets tickets;        // threads of this PE that want the same lock
  os::mutex activity_lock;       // held while a thread writes this PE's activity
  sleepers sleeping;
  std::atomic<std::uint64_t> contested_until{0};  // this PE does not spin before this time: its CPU is contested
  quiescence_state quiescence;                    // of threads in long waits
  performance* performance_here = nullptr;        // from the first start_counting() on
  std::atomic<performance*> counting{nullptr};    // the same; null while nothing counts

  world() = default;
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  bool is_near(int of_pe) const { return near.slice_of(of_pe) >= 0; }
  // The control page of a PE of this node.
  control_page& control(int of_pe) const {
    return *reinterpret_cast<control_page*>(segment.slice(near.slice_of(of_pe)));
  }
  // The annex of a slice, by its number.
  control_annex& annex_of(int slice) const { return *reinterpret_cast<control_annex*>(segment.annex(slice)); }
  control_annex& own_annex() const { return annex_of(near.mine); }
  control_page& own_control() const { return *reinterpret_cast<control_page*>(segment.slice(near.mine)); }
  node_page& node() const { return *reinterpret_cast<node_page*>(segment.node()); }
};

// Sets the address arithmetic of `c` for the PEs of `t`.
void init_context(context& c, world& w, team& t);

// Makes sure that the team's own context has a list of the distances to its PEs.
void need_list(team& t);

// Gives team slot `slot` to the team.
void take_slot(team& t, world& w, int slot);

// Frees the private memory of a team, but neither its slot nor its handle.
void free_memory(team& t);

// Ends the whole job, after the error was printed. Never returns.
[[noreturn]] void end_job(world* w, int exit_status, bool quiet);

}  // namespace oshen
