// The library's own data in the node segment: the node page, the control page at the beginning of each slice, and the
// annex at its end. All of it is zero before its first use. Peers access it like any symmetric object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "bootstrap/job_page.hpp"

namespace oshen {

// ---- waking a PE that sleeps (design/waiting.md) ------------------------------------------------------

// Shows if threads of this PE sleep, or are about to. Sleepers for the program's memory and sleepers for flags of the
// library are kept apart, so that a put does not wake a PE that waits in a barrier.
struct alignas(cache_line) wake_flag {
  // Bits of `flag_state`.
  static constexpr std::uint32_t awaited = 1;      // a thread sleeps for flags
  static constexpr std::uint32_t needs_fence = 2;  // a writer of a flag fences before it reads `flag_state`

  std::atomic<std::uint64_t> watched;  // the lines that sleepers watch (wait/watched_lines.hpp); 0: no line
  std::atomic<std::uint32_t> flag_state;
  std::atomic<std::uint32_t> wakes;  // advanced by each wake-up; sleepers wait on it with a futex
};

// ---- team slots --------------------------------------------------------------------------------------

inline constexpr int max_teams = 1024;        // teams a PE can be in at one time
inline constexpr int fewest_team_slots = 64;  // their number where the address space is limited (world::n_team_slots)
inline constexpr int resident_slots = 16;     // team slots in the control page; the others are in the annex
inline constexpr int sync_rounds = 32;        // ceil(log2(n)) of the largest team
inline constexpr int flag_slots = 16;         // collectives from one use of a flag slot to the next
inline constexpr std::size_t flag_payload = 112;

// A PE's announcement to its team in one collective: a pair of cache lines, which the owner writes and all PEs read.
// The first 48 bytes of the payload share a line with the sequence number.
struct alignas(2 * cache_line) flag_slot {
  std::atomic<std::uint64_t> sequence;  // the number of the collective and its signature (team::flag); written last
  std::uint64_t value;                  // an element count, or another number
  std::byte payload[flag_payload];      // small data
};

struct alignas(cache_line) sync_flag {
  std::atomic<std::uint64_t> count;  // the number of the last sync in which this round was signalled
};

// A line that the PEs of a small team share, in the slice of the team's PE 0: each PE counts its syncs in its own
// counter.
inline constexpr int most_sharers = 4;
struct alignas(cache_line) shared_line {
  std::atomic<std::uint64_t> count[most_sharers];
};

// ---- non-blocking collectives (coll/nonblocking) ---------------------------------------------------------------

inline constexpr int request_flag_count = 16;  // non-blocking collectives from one use of a request flag to the next
inline constexpr std::size_t request_payload = 112;

// A PE's announcement to its team in one non-blocking collective. The owner writes it and all PEs read it. The first 48
// bytes of the payload share a line with the numbers.
struct alignas(2 * cache_line) request_flag {
  std::atomic<std::uint64_t> entered;   // the number of the collective; written after the payload
  std::atomic<std::uint64_t> finished;  // the same number, once the owner no longer needs anything of other PEs
  std::byte payload[request_payload];
};

struct request_flags {
  alignas(cache_line) std::atomic<std::uint64_t> ended;  // all collectives up to this number have ended on the owner
  request_flag lines[request_flag_count];
};

// Work on one PE's data, divided into chunks: each idle PE takes the next chunk. The counters are on the PE that owns
// the data. That PE clears them before it posts its flag slot of the same collective.
struct alignas(cache_line) chunk_work {
  std::atomic<std::uint32_t> taken;
  std::atomic<std::uint32_t> done;
};

struct collective_sizes {
  std::uint64_t elements;
  std::uint64_t element_bytes;
  std::int32_t root;
};

// The arguments of a PE's call, which its team compares in the collective of the same number
// (coll/shared_memory/flag_slots.hpp).
inline constexpr int most_call_values = 3;
struct call_record {
  std::uint64_t number;           // of the collective
  std::uint64_t signature;        // equal for calls that match; under OSHEN_CHECK it includes the offset of dest
  std::ptrdiff_t routine_offset;  // the routine's name, as a distance within the library
  union {
    collective_sizes sizes;
    std::int64_t values[most_call_values];  // of a call without data, such as a split (coll/run/checked_sync.cpp)
  };
};

// Under OSHEN_CHECK: the call of the PE before this one in the team. That PE writes it when it enters a sync
// (coll/run/checked_sync.cpp).
struct alignas(cache_line) call_before {
  std::atomic<std::uint64_t> checked_sync;  // the number of that sync; written last
  call_record record;
};

// The numbers of one round of a call of the team heap (allocation/team_memory.cpp).
inline constexpr int ballot_words = 9;
inline constexpr std::size_t ballot_bytes = ballot_words * sizeof(std::uint64_t);

// The data of one team in the slice of each member. A team has the same slot number on every member.
struct team_slot {
  sync_flag round_flags[sync_rounds];
  alignas(cache_line) std::atomic<std::uint64_t> n_arrived;  // central sync, used on the team's PE 0
  alignas(cache_line) std::atomic<std::uint64_t> release;
  alignas(cache_line) std::atomic<std::uint64_t> arrived;  // hierarchical sync: this PE's arrival, read by its leader
  call_before calls_before[2];
  flag_slot flags[flag_slots];
  chunk_work work[flag_slots];
  shared_line meeting;
  request_flags nonblocking;
  call_record call_records[flag_slots];
  alignas(cache_line) std::uint64_t ballots[2][ballot_words];
};

// ---- workspaces ---------------------------------------------------------------------------------------------
// Memory for collectives of many steps. Each team slot has a workspace in each slice. The kernel allocates its pages on
// first use.

inline constexpr int resident_workspaces = 1;  // in the control page: the workspace of the world team
inline constexpr int collective_steps = 32;    // step slots of one collective

// Receives the messages of one peer in one step of one collective. The bits of `flag` from `flag_shift` on hold the
// number of the collective; the lower bits count the messages received in this step. At any time `flag` has one writer,
// the sender of that step.
inline constexpr int flag_shift = 24;
inline constexpr std::size_t step_payload = 432;
struct alignas(cache_line) step_slot {
  std::atomic<std::uint64_t> flag;
  alignas(16) std::byte payload[step_payload];  // the first message of the step, if it is small
  // The number of messages that the receiver of this PE has consumed in this step, encoded like `flag`. That receiver
  // writes it.
  alignas(cache_line) std::atomic<std::uint64_t> credit;
  // The number of deposits in all uses of this slot, which many PEs count. `deposits_seen` is private to the owner.
  std::atomic<std::uint64_t> deposits;
  std::uint64_t deposits_seen;
};

// The payload of a flag slot, if it is too long for the flag slot itself.
inline constexpr std::size_t long_payload_bytes = 2048;
inline constexpr std::size_t bounce_bytes = 64 * 1024;

// A table on the team's PE 0 with an entry for each PE, for nodes where hundreds of PEs share CPUs. Reading it touches
// a few pages instead of one page for each PE. Two tables are used in turn, so that no PE writes to a table that
// another PE still reads (coll/shared_memory/flag_slots.hpp).
inline constexpr std::size_t table_bytes = 32 * 1024;

// An eager message or a chunk of one (coll/protocol/matcher.hpp). `sequence` tells whether the sender or the receiver
// may use the slot.
inline constexpr int inbox_slots = 16;
inline constexpr std::size_t eager_payload = 4096;
struct alignas(cache_line) eager_slot {
  std::atomic<std::uint64_t> sequence;
  std::int32_t source_pe;  // in the team
  std::uint32_t tag;
  std::uint64_t total;          // bytes of the whole message
  std::uint64_t offset;         // of this chunk within the message
  std::uint64_t source_offset;  // of a rendezvous request: the offset of the bytes in the sender's slice
  std::uint32_t bytes;          // of this chunk
  std::int32_t finish;  // of a rendezvous request: index in the sender's `taken`; -1: the bytes are in the payload
  alignas(cache_line) std::byte payload[eager_payload];
};
inline constexpr int rendezvous_finishes = 32;

// Room in one collective for operands from other nodes that are too long for the step slots.
inline constexpr std::size_t far_payload_bytes = 8192;

struct inbox {
  alignas(cache_line) std::atomic<std::uint64_t> tail;  // tickets given to senders
  alignas(cache_line) std::uint64_t head;               // tickets consumed by the receiver
  alignas(cache_line) std::atomic<std::uint32_t> full;  // senders that wait for a slot
  // For the owner's rendezvous requests: 1 when the receiver has read the bytes.
  std::atomic<std::uint32_t> taken[rendezvous_finishes];
  eager_slot slots[inbox_slots];
};

struct alignas(4096) team_workspace {
  step_slot step_slots[flag_slots][collective_steps];
  alignas(cache_line) std::byte long_payloads[flag_slots][long_payload_bytes];
  alignas(cache_line) std::byte bounce[bounce_bytes];
  // A team on one node uses tables and messages; a team that spans nodes uses far payloads.
  union {
    struct {
      alignas(4096) std::byte tables[2][table_bytes];
      inbox messages;
    } near;
    std::byte far_payloads[flag_slots][far_payload_bytes];
  };
};
static_assert(sizeof(team_workspace::far_payloads) <= sizeof(team_workspace::near));

// ---- operands of rings between nodes (coll/protocol/operand_stream.hpp) --------------------------------------------

// The buffer into which the previous PE of the ring puts its operands. The counts continue from one collective of the
// team to the next. Over TCP a chunk costs about 35 us besides its bytes, so chunks are long: 512 KiB take 200 us.
inline constexpr int operand_chunks = 2;
inline constexpr std::size_t operand_chunk_bytes = std::size_t{512} << 10;
struct operand_buffer {
  alignas(cache_line) std::atomic<std::uint64_t> arrived;  // chunks from the previous PE, which writes this
  alignas(cache_line) std::atomic<std::uint64_t> taken;    // chunks that the next PE has read, which writes this
  alignas(cache_line) std::uint64_t sent;                  // private to the owner: chunks sent to the next PE
  std::uint64_t combined;                                  // private to the owner: chunks of the previous PE combined
  alignas(4096) std::byte chunks[operand_chunks][operand_chunk_bytes];
};

// ---- edges of graphs (coll/neighbor/graph.hpp) -------------------------------------------------------------------

// One end of an edge, in the slice of the PE at that end.
inline constexpr int max_edge_ends = 16384;
struct alignas(cache_line) edge_end {
  // Written by the peer.
  std::atomic<std::uint64_t> arrived[2];  // inward edge: the last even and odd run whose block has arrived (arrival)
  std::atomic<std::uint64_t> ready;       // outward edge: the last run whose block may be written
  std::atomic<std::uint64_t> closed;      // 1: the peer no longer writes here
  // Written by the owner, before the peer reads it.
  std::int32_t peer;  // PE of the team
  std::uint64_t elements;
  std::uint64_t first;
};

// ---- forming a team (coll/team/form.cpp) -------------------------------------------------------------------

// An offer by which the leader of a new team tells a member the slot of the team. `tag` identifies leader and members.
// Each PE has a line of offers for every leader, so that no leader waits for another.
struct slot_offer {
  std::atomic<std::uint64_t> tag;    // 0: free; written last by the leader, cleared by the member
  std::atomic<std::uint32_t> taken;  // 1 while in use
  std::atomic<std::int32_t> slot;    // -1: the team cannot be formed
};
inline constexpr int slot_offers_per_leader = 4;
struct alignas(cache_line) offer_line {
  slot_offer offers[slot_offers_per_leader];
};
static_assert(sizeof(offer_line) == 64);  // for each PE of the job, in each slice

// ---- calls of the heap (allocation/heap_call.hpp) --------------------------------------------------------------

// The arguments of a PE's call. The PE writes them before the barrier of the call, and other PEs read them after it.
struct alignas(cache_line) heap_call_record {
  std::uint64_t sync;    // the number of that barrier among the syncs of the world team
  std::uint64_t number;  // of the call
  std::uint64_t operation;
  std::uint64_t values[2];  // the arguments
  std::uint64_t missing;    // bytes of the block that no page backs yet
  std::uint64_t room;       // bytes that may still be allocated on the node; set by the first PE of the node only
  std::uint64_t unmatched;  // heap_history::unmatched before the call
};

// ---- the pages ---------------------------------------------------------------------------------------

struct control_page {
  wake_flag wakeup;
  alignas(cache_line) std::atomic<std::int32_t> pid;
  std::atomic<bootstrap::pe_state> state;
  std::atomic<std::uint32_t> has_liveness_lock;  // 1: the kernel releases a lock when this PE ends (wait/liveness.hpp)
  bootstrap::activity doing;
  // Detection of a deadlock (wait/quiescence.hpp). `answer`: the number of the probe that this PE has answered, and in
  // the low half the number of consecutive answers. On the first PE of a node: the number of the last probe, and the
  // answer of the node. Other nodes access them.
  std::atomic<std::uint64_t> answer;
  std::atomic<std::uint64_t> looked_ns;  // CLOCK_MONOTONIC of this host, at the last look of a thread that waits
  std::atomic<std::uint64_t> probe;
  std::atomic<std::uint64_t> node_answer;
  // The number of the heap call that another node has refused because it lacks memory (allocation/symmetric_heap.cpp).
  alignas(cache_line) std::atomic<std::uint64_t> refused_call;
  // Bytes of this PE in blocks of shmem_malloc, and in blocks of teams.
  std::atomic<std::uint64_t> heap_used;
  std::atomic<std::uint64_t> team_heap_used;
  alignas(cache_line) std::atomic<std::uint64_t> busy_slots[max_teams / 64];  // bit set: slot in use
  // Used in turn: a PE that is one barrier ahead does not overwrite a record that others still read.
  heap_call_record heap_calls[2];
  heap_call_record heap_calls_before[2];  // records of PE `pe - 1`, if that is on another node
  team_slot team_slots[resident_slots];
  // For each slot, the number of destroyed teams whose first member was this PE.
  std::atomic<std::uint64_t> endings[max_teams];
  team_workspace workspaces[resident_workspaces];

  // Slot offers follow the page: one line for each PE of the job.
  slot_offer* from_leader(int leader) { return reinterpret_cast<offer_line*>(this + 1)[leader].offers; }
  static constexpr std::size_t bytes_for(int n_pes) {
    return sizeof(control_page) + static_cast<std::size_t>(n_pes) * sizeof(offer_line);
  }
};
static_assert(control_page::bytes_for(4096) < std::size_t{1} << 20);

// Data that few jobs need. It lies behind the heap, so that the data that all jobs touch is close together. A job then
// needs fewer memory registrations, and one page of page tables for each peer.
struct alignas(4096) control_annex {
  team_slot team_slots[max_teams - resident_slots];
  edge_end edge_ends[max_edge_ends];

  // Behind it, for each of `slots` team slots: the workspaces that the control page does not have. If there are other
  // nodes, the operand buffers follow, and on the node's first PE the transport addresses of all PEs, of `each` bytes.
  team_workspace& workspace(int slot) {
    return reinterpret_cast<team_workspace*>(this + 1)[slot - resident_workspaces];
  }
  operand_buffer& operands(int slots, int slot) { return reinterpret_cast<operand_buffer*>(&workspace(slots))[slot]; }
  char* address_table(int slots) { return reinterpret_cast<char*>(&operands(slots, slots)); }
  static constexpr std::size_t bytes_for(int slots) {
    return sizeof(control_annex) + (static_cast<std::size_t>(slots) - resident_workspaces) * sizeof(team_workspace);
  }
  static constexpr std::size_t bytes_for(int slots, int n_pes, std::size_t each) {
    return bytes_for(slots) + static_cast<std::size_t>(slots) * sizeof(operand_buffer) +
           static_cast<std::size_t>(n_pes) * each;
  }
};
static_assert(alignof(team_workspace) <= alignof(control_annex) && alignof(operand_buffer) <= alignof(team_workspace));

struct node_page {
  std::uint64_t nonce;  // proves that a PE has mapped the right object
  // The number of PEs that sleep, or are about to, for flags of the library; counted only where PEs share CPUs.
  alignas(cache_line) std::atomic<std::uint32_t> asleep;
  // 1: a PE has printed the reason why the job is about to end; the others print nothing.
  alignas(cache_line) std::atomic<std::uint32_t> reported;
};

}  // namespace oshen
