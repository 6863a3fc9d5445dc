// The shared book-keeping of the node segment: the node page and the control page that opens each slice.
// Everything here is zero before its first use, and is reached by peers like any symmetric object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "boot/job_page.hpp"

namespace oshen {

// ---- waking a PE that sleeps (design/waiting.md) ------------------------------------------------------

struct alignas(cache_line) doorbell {
  std::atomic<std::uint32_t> asleep;  // 1: somebody of this PE sleeps or is about to
  std::atomic<std::uint32_t> rings;   // the futex word: advanced by each ring
};

// ---- team slots --------------------------------------------------------------------------------------

inline constexpr int max_teams = 1024;        // teams a PE can be in at one time
inline constexpr int sync_rounds = 32;        // ceil(log2(n)) of the largest team
inline constexpr int bulletin_lines = 16;     // collectives from one use of a bulletin to the next
inline constexpr std::size_t bulletin_payload = 112;

// What a PE tells the others about one collective: a pair of cache lines, written by its owner, read by all.
// The first 48 bytes of the payload travel with the sequence number in one line.
struct alignas(2 * cache_line) bulletin {
  std::atomic<std::uint64_t> sequence;  // the number of the collective; written last
  std::uint64_t word;                   // a count
  std::byte payload[bulletin_payload];  // small data
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

inline constexpr int notices = 16;  // non-blocking collectives from one use of a notice to the next
inline constexpr std::size_t notice_payload = 112;

// What a PE tells its team about one non-blocking collective; written by its owner, read by all. The first 48 bytes of
// the payload travel with the numbers in one line.
struct alignas(2 * cache_line) notice {
  std::atomic<std::uint64_t> entered;   // the number of the collective; written after the payload
  std::atomic<std::uint64_t> finished;  // the same, when the owner needs nothing of the others any more
  std::byte payload[notice_payload];
};

struct notice_board {
  alignas(cache_line) std::atomic<std::uint64_t> ended;  // all collectives up to this number have ended on the owner
  notice lines[notices];
};

// Work on one PE's data that the team shares out in pieces: whoever is there takes the next one. On the PE whose data
// it is, which clears both before it posts its bulletin of the same collective.
struct alignas(cache_line) piece_work {
  std::atomic<std::uint32_t> taken;
  std::atomic<std::uint32_t> done;
};

// One team's place in the slice of each member. The same slot number on every member.
struct team_slot {
  sync_flag rounds[sync_rounds];
  alignas(cache_line) std::atomic<std::uint64_t> arrivals;  // central sync, used on the team's PE 0
  alignas(cache_line) std::atomic<std::uint64_t> release;
  alignas(cache_line) std::atomic<std::uint64_t> arrived;  // hierarchical sync: what this PE tells its leader
  bulletin board[bulletin_lines];
  piece_work work[bulletin_lines];
  shared_line meeting;
  notice_board open;
};

// ---- rooms ---------------------------------------------------------------------------------------------
// What collectives of many steps need. The first `rooms` team slots have one in each slice; teams in later slots run
// the algorithms that need none. Pages are touched only when used.

inline constexpr int rooms = 64;
inline constexpr int collective_steps = 32;  // cells of one collective

// Where one PE hears another in one step of one collective. `flag` counts what has come: the number of the collective
// above `flag_shift`, the messages of this step below. One writer at a time: the sender of that step.
inline constexpr int flag_shift = 24;
inline constexpr std::size_t cell_payload = 432;
struct alignas(cache_line) cell {
  std::atomic<std::uint64_t> flag;
  alignas(16) std::byte payload[cell_payload];  // of the first message of the step, when it is small
  // Written by whom we send to in this step: what it has taken, counted like `flag`.
  alignas(cache_line) std::atomic<std::uint64_t> answer;
  // Written by many: how many deposits have come in all uses of this cell. `deposits_seen` is the owner's own.
  std::atomic<std::uint64_t> deposits;
  std::uint64_t deposits_seen;
};

inline constexpr std::size_t placard_bytes = 2048;  // payload of a bulletin that is too long for the bulletin itself
inline constexpr std::size_t landing_bytes = 64 * 1024;

// An eager message or a piece of one (coll/message.hpp). `turn` tells sender and receiver whose turn the slot is.
inline constexpr int inbox_slots = 16;
inline constexpr std::size_t parcel_payload = 4096;
struct alignas(cache_line) parcel {
  std::atomic<std::uint64_t> turn;
  std::int32_t source;      // PE of the team
  std::uint32_t tag;
  std::uint64_t total;      // bytes of the whole message
  std::uint64_t offset;     // of this piece
  std::uint64_t address;    // of an offer: where the bytes are, as an offset into the sender's slice
  std::uint32_t bytes;      // of this piece
  std::int32_t answer;      // an offer: which of the sender's answers to set; -1: the bytes are here
  alignas(cache_line) std::byte payload[parcel_payload];
};
inline constexpr int offer_answers = 32;

struct inbox {
  alignas(cache_line) std::atomic<std::uint64_t> tail;  // the next turn that a sender takes
  alignas(cache_line) std::uint64_t head;               // the next turn of the receiver
  alignas(cache_line) std::atomic<std::uint32_t> full;  // senders that wait for a slot
  std::atomic<std::uint32_t> taken[offer_answers];      // to the owner's offers: 1 when the bytes are no longer needed
  parcel slots[inbox_slots];
};

struct alignas(4096) room {
  cell cells[bulletin_lines][collective_steps];
  alignas(cache_line) std::byte placards[bulletin_lines][placard_bytes];
  alignas(cache_line) std::byte landing[landing_bytes];
  inbox mail;
};

// ---- edges of graphs (coll/graph.hpp) -------------------------------------------------------------------

// One end of an edge, in the slice of the PE at that end. What the peer says is counted in runs of the graph.
inline constexpr int max_edge_ends = 16384;
struct alignas(cache_line) edge_end {
  // Written by the peer.
  std::atomic<std::uint64_t> arrived;  // end of an inward edge: the block of this run is here ...
  std::uint64_t where[2];              // ... in this object: its offset in the slice, for odd and even runs
  std::atomic<std::uint64_t> ready;    // end of an outward edge: blocks up to this run may be written
  std::atomic<std::uint32_t> closed;   // the peer will not write here any more
  // Written by the owner, before the peer looks.
  std::int32_t peer;                   // PE of the team
  std::uint64_t elements;
  std::uint64_t first;
};

// ---- forming a team (coll/form.cpp) -------------------------------------------------------------------

// The leader of a new team tells each member which slot the team has. `tag` names leader and members. Each
// PE has places for every leader, so that a leader never waits for the announcement of another.
struct alignas(cache_line) announcement {
  std::atomic<std::uint64_t> tag;    // 0 = free; written last by the leader, cleared by the member
  std::atomic<std::uint32_t> taken;  // 1 while in use
  std::int32_t slot;                 // -1: the team cannot be formed
};
inline constexpr int announcements_per_leader = 4;

// ---- the pages ---------------------------------------------------------------------------------------

struct control_page {
  doorbell bell;
  alignas(cache_line) std::atomic<std::int32_t> pid;
  std::atomic<boot::pe_state> state;
  boot::activity doing;
  alignas(cache_line) std::atomic<std::uint64_t> busy_slots[max_teams / 64];  // bit set: slot in use
  team_slot slots[max_teams];
  room team_rooms[rooms];
  edge_end edge_ends[max_edge_ends];

  // Announcements follow the page, `announcements_per_leader` for each PE of the world.
  announcement* from_leader(int leader) {
    return reinterpret_cast<announcement*>(this + 1) + leader * announcements_per_leader;
  }
  static constexpr std::size_t bytes_for(int n_pes) {
    return sizeof(control_page) +
           static_cast<std::size_t>(n_pes) * announcements_per_leader * sizeof(announcement);
  }
};

struct node_page {
  std::uint64_t nonce;  // proves to a PE that it mapped the right object
  // Number of the heap call that has to be refused for want of memory (coll/symmetric_heap.cpp).
  alignas(cache_line) std::atomic<std::uint64_t> refused_call;
};

}  // namespace oshen
