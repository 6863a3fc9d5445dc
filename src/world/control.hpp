// The shared book-keeping of the node segment: the node page, the control page that opens each slice, and the annex
// that ends it. Everything here is zero before its first use, and is reached by peers like any symmetric object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "boot/job_page.hpp"

namespace oshen {

// ---- waking a PE that sleeps (design/waiting.md) ------------------------------------------------------

// Who of this PE sleeps, or is about to. Memory of the program and flags of the library stand apart, so that puts do
// not meet a PE that waits in a barrier.
struct alignas(cache_line) wake_flag {
  static constexpr std::uint32_t awaited = 1;       // of `flags`: somebody sleeps for flags
  static constexpr std::uint32_t needs_fence = 2;   // of `flags`: who writes one must fence before he looks

  std::atomic<std::uint64_t> memory;  // what is watched (world/watch.hpp); 0: nobody sleeps for memory
  std::atomic<std::uint32_t> flags;
  std::atomic<std::uint32_t> wakes;   // the futex word: advanced by each wake
};

// ---- team slots --------------------------------------------------------------------------------------

inline constexpr int max_teams = 1024;        // teams a PE can be in at one time
inline constexpr int resident_slots = 16;     // of these the control page has the slots, the annex those of the others
inline constexpr int sync_rounds = 32;        // ceil(log2(n)) of the largest team
inline constexpr int flag_slots = 16;         // collectives from one use of a flag slot to the next
inline constexpr std::size_t flag_payload = 112;

// What a PE tells the others about one collective: a pair of cache lines, written by its owner, read by all.
// The first 48 bytes of the payload travel with the sequence number in one line.
struct alignas(2 * cache_line) flag_slot {
  std::atomic<std::uint64_t> sequence;  // the number of the collective and its signature (team::flag); written last
  std::uint64_t word;                   // a count
  std::byte payload[flag_payload];      // small data
};

struct alignas(cache_line) sync_flag {
  std::atomic<std::uint64_t> count;  // the number of the last sync that this round has seen
};

// A line that the PEs of a small team share, in the slice of the team's PE 0: each counts its syncs in its word.
inline constexpr int most_sharers = 4;
struct alignas(cache_line) shared_line {
  std::atomic<std::uint64_t> count[most_sharers];
};

// ---- non-blocking collectives (coll/async) ---------------------------------------------------------------

inline constexpr int request_flag_count = 16;  // non-blocking collectives from one use of a request flag to the next
inline constexpr std::size_t request_payload = 112;

// What a PE tells its team about one non-blocking collective; written by its owner, read by all. The first 48 bytes of
// the payload travel with the numbers in one line.
struct alignas(2 * cache_line) request_flag {
  std::atomic<std::uint64_t> entered;   // the number of the collective; written after the payload
  std::atomic<std::uint64_t> finished;  // the same, when the owner needs nothing of the others any more
  std::byte payload[request_payload];
};

struct request_flags {
  alignas(cache_line) std::atomic<std::uint64_t> ended;  // all collectives up to this number have ended on the owner
  request_flag lines[request_flag_count];
};

// Work on one PE's data that the team shares out in pieces: whoever is there takes the next one. On the PE whose data
// it is, which clears both before it posts its flag slot of the same collective.
struct alignas(cache_line) piece_work {
  std::atomic<std::uint32_t> taken;
  std::atomic<std::uint32_t> done;
};

// What a PE calls, said to its team beside the collective of the same number (coll/protocol/signature.hpp).
struct call_record {
  std::uint64_t number;               // of the collective
  std::uint64_t signature;            // the same for calls that fit each other
  std::ptrdiff_t routine;             // the name, as a distance within the library
  std::uint64_t elements;
  std::uint64_t element_bytes;
  std::int32_t root;
};

// One team's place in the slice of each member. The same slot number on every member.
struct team_slot {
  sync_flag rounds[sync_rounds];
  alignas(cache_line) std::atomic<std::uint64_t> arrivals;  // central sync, used on the team's PE 0
  alignas(cache_line) std::atomic<std::uint64_t> release;
  alignas(cache_line) std::atomic<std::uint64_t> arrived;  // hierarchical sync: what this PE tells its leader
  flag_slot flags[flag_slots];
  piece_work work[flag_slots];
  shared_line meeting;
  request_flags open;
  call_record calls[flag_slots];
};

// ---- workspaces ---------------------------------------------------------------------------------------------
// What collectives of many steps need. The first `max_workspaces` team slots have one in each slice; teams in later
// slots run the algorithms that need none. Pages are touched only when used.

inline constexpr int max_workspaces = 64;
inline constexpr int resident_workspaces = 1;  // in the control page: that of all PEs
inline constexpr int collective_steps = 32;  // cells of one collective

// Where one PE hears another in one step of one collective. `flag` counts what has come: the number of the collective
// above `flag_shift`, the messages of this step below. One writer at a time: the sender of that step.
inline constexpr int flag_shift = 24;
inline constexpr std::size_t cell_payload = 432;
struct alignas(cache_line) cell {
  std::atomic<std::uint64_t> flag;
  alignas(16) std::byte payload[cell_payload];  // of the first message of the step, when it is small
  // Written by whom we send to in this step: what it has taken, counted like `flag`.
  alignas(cache_line) std::atomic<std::uint64_t> credit;
  // Written by many: how many deposits have come in all uses of this cell. `deposits_seen` is the owner's own.
  std::atomic<std::uint64_t> deposits;
  std::uint64_t deposits_seen;
};

// payload of a flag slot that is too long for the flag slot itself
inline constexpr std::size_t long_payload_bytes = 2048;
inline constexpr std::size_t bounce_bytes = 64 * 1024;

// On the team's PE 0, where PEs share CPUs: what each of hundreds of PEs says, side by side, so that it is read from a
// few pages and not from one for each PE. Two by turns: nobody writes into one while it is read
// (coll/protocol/table.hpp).
inline constexpr std::size_t table_bytes = 32 * 1024;

// An eager message or a piece of one (coll/protocol/matcher.hpp). `sequence` tells sender and receiver whose turn the
// slot is.
inline constexpr int inbox_slots = 16;
inline constexpr std::size_t eager_payload = 4096;
struct alignas(cache_line) eager_slot {
  std::atomic<std::uint64_t> sequence;
  std::int32_t source;      // PE of the team
  std::uint32_t tag;
  std::uint64_t total;      // bytes of the whole message
  std::uint64_t offset;     // of this piece
  std::uint64_t address;    // of an offer: where the bytes are, as an offset into the sender's slice
  std::uint32_t bytes;      // of this piece
  std::int32_t finish;      // a rendezvous request: which of the sender's finishes to set; -1: the bytes are here
  alignas(cache_line) std::byte payload[eager_payload];
};
inline constexpr int rendezvous_finishes = 32;

// In one collective, what comes from other nodes to be combined and is too long for the cells of its steps.
inline constexpr std::size_t far_payload_bytes = 8192;

struct inbox {
  alignas(cache_line) std::atomic<std::uint64_t> tail;  // the next turn that a sender takes
  alignas(cache_line) std::uint64_t head;               // the next turn of the receiver
  alignas(cache_line) std::atomic<std::uint32_t> full;  // senders that wait for a slot
  // to the owner's rendezvous requests: 1 when the bytes are no longer needed
  std::atomic<std::uint32_t> taken[rendezvous_finishes];
  eager_slot slots[inbox_slots];
};

struct alignas(4096) team_workspace {
  cell cells[flag_slots][collective_steps];
  alignas(cache_line) std::byte long_payloads[flag_slots][long_payload_bytes];
  alignas(cache_line) std::byte bounce[bounce_bytes];
  // Teams on one node have tables and messages, teams that span nodes payloads of the steps.
  union {
    struct {
      alignas(4096) std::byte tables[2][table_bytes];
      inbox messages;
    } near;
    std::byte far_payloads[flag_slots][far_payload_bytes];
  };
};
static_assert(sizeof(team_workspace::far_payloads) <= sizeof(team_workspace::near));

// ---- edges of graphs (coll/graph/graph.hpp) -------------------------------------------------------------------

// One end of an edge, in the slice of the PE at that end. What the peer says is counted in runs of the graph.
inline constexpr int max_edge_ends = 16384;
struct alignas(cache_line) edge_end {
  // Written by the peer.
  std::atomic<std::uint64_t> arrived;  // end of an inward edge: the block of this run is here ...
  std::uint64_t where[2];              // ... in this object: its offset in the slice, for odd and even runs
  std::atomic<std::uint64_t> ready;    // end of an outward edge: blocks up to this run may be written
  std::atomic<std::uint64_t> closed;   // 1: the peer will not write here any more
  // Written by the owner, before the peer looks.
  std::int32_t peer;                   // PE of the team
  std::uint64_t elements;
  std::uint64_t first;
};

// ---- forming a team (coll/teams/form.cpp) -------------------------------------------------------------------

// The leader of a new team tells each member which slot the team has. `tag` names leader and members. Each
// PE has a line of places for every leader, so that a leader never waits for the announcement of another.
struct slot_offer {
  std::atomic<std::uint64_t> tag;    // 0 = free; written last by the leader, cleared by the member
  std::atomic<std::uint32_t> taken;  // 1 while in use
  std::atomic<std::int32_t> slot;    // -1: the team cannot be formed
};
inline constexpr int slot_offers_per_leader = 4;
struct alignas(cache_line) offer_line {
  slot_offer offers[slot_offers_per_leader];
};
static_assert(sizeof(offer_line) == 64);  // for each PE of the job, in each slice

// ---- calls of the heap (coll/heap_calls/heap_call.hpp) --------------------------------------------------------------

// What a PE calls, said before the barrier of the call and read by others after it.
struct alignas(cache_line) heap_call_record {
  std::uint64_t sync;       // the number of that barrier among the syncs of all PEs
  std::uint64_t number;     // of the call; its operation and arguments
  std::uint64_t operation;
  std::uint64_t values[2];
  std::uint64_t missing;    // bytes of the block that no memory backs as yet
  std::uint64_t room;       // first PE of a node only: bytes that may be promised now
};

// ---- the pages ---------------------------------------------------------------------------------------

struct control_page {
  wake_flag wakeup;
  alignas(cache_line) std::atomic<std::int32_t> pid;
  std::atomic<boot::pe_state> state;
  std::atomic<std::uint32_t> has_liveness_lock;  // 1: the kernel takes a lock away when this PE ends (liveness.hpp)
  boot::activity doing;
  // The number of the probe that this PE has answered, and in the low half how many in a row (quiescence.hpp).
  std::atomic<std::uint64_t> answer;
  // Number of the heap call that a PE of another node refuses for want of memory there
  // (coll/heap_calls/symmetric_heap.cpp).
  alignas(cache_line) std::atomic<std::uint64_t> refused_call;
  alignas(cache_line) std::atomic<std::uint64_t> busy_slots[max_teams / 64];  // bit set: slot in use
  heap_call_record heap_calls[2];  // by turns: who is a barrier ahead does not write over what the others still read
  heap_call_record heap_calls_before[2];  // those of the PE before this one, where that is on another node
  team_slot slots[resident_slots];
  // Teams of the slot, with this PE as the first, that have ended; only grows.
  std::atomic<std::uint64_t> endings[max_teams];
  team_workspace workspaces[resident_workspaces];

  // Slot offers follow the page, a line for each PE of the job.
  slot_offer* from_leader(int leader) { return reinterpret_cast<offer_line*>(this + 1)[leader].offers; }
  static constexpr std::size_t bytes_for(int n_pes) {
    return sizeof(control_page) + static_cast<std::size_t>(n_pes) * sizeof(offer_line);
  }
};
static_assert(control_page::bytes_for(4096) < std::size_t{1} << 20);

// What few jobs need of it. It lies behind the heap, so that what all jobs touch is close together: less to register
// with a network, and one page of the page tables for each peer.
struct control_annex {
  team_slot slots[max_teams - resident_slots];
  team_workspace workspaces[max_workspaces - resident_workspaces];
  edge_end edge_ends[max_edge_ends];

  // The addresses of all PEs on the transport, `each` bytes, follow that of the node's first PE.
  char* address_table() { return reinterpret_cast<char*>(this + 1); }
  static constexpr std::size_t bytes_for(int n_pes, std::size_t each) {
    return sizeof(control_annex) + static_cast<std::size_t>(n_pes) * each;
  }
};

struct node_page {
  std::uint64_t nonce;  // proves to a PE that it mapped the right object
  // PEs that sleep, or are about to, for flags of the library; counted where PEs share CPUs.
  alignas(cache_line) std::atomic<std::uint32_t> asleep;
  // The question whether anybody can still do anything (quiescence.hpp).
  alignas(cache_line) std::atomic<std::uint32_t> probe;
  // 1: somebody has said what is wrong, and the job is about to end; the others are silent.
  alignas(cache_line) std::atomic<std::uint32_t> said;
};

}  // namespace oshen
