// Algorithms of broadcast by direct access to the memory of peers on one node.
#include "coll/algorithms/inline_data.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/flag_slots.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {

// ---- inline -------------------------------------------------------------------------------------------------
//
// A message that fits beside a flag slot: the root posts it and leaves; one cache-line transfer.

namespace {

void run_inline(const collective_call& call) {
  team& t = call.members;
  const std::size_t bytes = call.bytes();
  if (t.my_pe == call.root) {
    post(t, 0, call.source, bytes);
    if (!call.root_keeps_dest) memmove(call.dest, call.source, bytes);
    return;
  }
  memcpy(call.dest, await_payload(call, call.root, bytes), bytes);
}

double cost_of_inline(const team_shape& s) { return inline_cost(s, s.bytes, 1); }

}  // namespace

constexpr algorithm inline_broadcast{.collective = kind::broadcast,
                                     .name = "inline",
                                     .protocol = protocol_kind::one_sided,
                                     .about = "the message travels in the root's flag slot",
                                     .needs = "at most 2048 bytes (112 in teams without a workspace)",
                                     .steps = "1",
                                     .traffic = "1 flag; n b copied",
                                     .cost = cost_of_inline,
                                     .run = run_inline};

// ---- push ---------------------------------------------------------------------------------------------------
//
// The root copies the message into every dest, which the standard lets it do before the peer has entered,
// then posts. No acknowledgement: the root's source is free when it leaves.

namespace {

void run_push(const collective_call& call) {
  team& t = call.members;
  if (t.my_pe != call.root) {
    await(call, call.root);
    return;
  }
  for (const int pe : others(t)) write_to(t, pe, call.dest, call.source, call.bytes());
  post(t);
  if (!call.root_keeps_dest) memmove(call.dest, call.source, call.bytes());
}

// One core writes all copies.
double cost_of_push(const team_shape& s) {
  return steps(s, 1) + lines(s, 2) + copies_alone(s, 0.6 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_broadcast{.collective = kind::broadcast,
                                   .name = "push",
                                   .protocol = protocol_kind::single_copy,
                                   .about = "the root writes every dest, then one flag",
                                   .steps = "1",
                                   .traffic = "1 flag; (n - 1) b copied, all by the root",
                                   .cost = cost_of_push,
                                   .run = run_push};

// ---- pull ---------------------------------------------------------------------------------------------------
//
// Every PE copies from the root's source, all at the same time; the root leaves when all have it.

namespace {

void run_pull(const collective_call& call) {
  team& t = call.members;
  if (t.my_pe == call.root) {
    post(t);
    if (!call.root_keeps_dest) memmove(call.dest, call.source, call.bytes());
  } else {
    await(call, call.root);  // its source must not be read before it has entered
    read_from(t, call.root, call.dest, call.source, call.bytes());
  }
  sync_team(t, call.routine);
}

double cost_of_pull(const team_shape& s) {
  return steps(s, 1) + sync_cost(s) + copies(s, static_cast<double>(s.bytes));
}

}  // namespace

constexpr algorithm pull_broadcast{.collective = kind::broadcast,
                                   .name = "pull",
                                   .protocol = protocol_kind::single_copy,
                                   .about = "every PE reads the root's source at once; ends with a sync",
                                   .steps = "1 + sync",
                                   .traffic = "1 flag and a sync; (n - 1) b copied, each PE its own",
                                   .cost = cost_of_pull,
                                   .run = run_pull};

// ---- cooperative --------------------------------------------------------------------------------------------
//
// The message in pieces, and whoever is there takes the next one and writes it into every dest: the root alone while
// nobody else has come, all together when they have. Nobody waits for a PE that is late, and it finds its dest full.
// Nothing is told twice: the flag of the root opens the work, the last piece ends it.

namespace {

inline constexpr std::size_t smallest_chunk = 16 * 1024;  // a claim costs as much as copying 2 KiB
inline constexpr std::size_t largest_chunk = 64 * 1024;

std::size_t chunk_bytes(const collective_call& call) {
  const std::size_t even = call.bytes() / (2 * static_cast<std::size_t>(call.members.n_pes));
  return std::clamp(round_up(even, std::size_t{4096}), smallest_chunk, largest_chunk);
}

// The source block stays in the first-level cache from the first copy of it to the last.
void copy_to_dests(const collective_call& call, std::size_t first, std::size_t end) {
  const team& t = call.members;
  const char* source = peer_address(t, call.root, call.source);
  for (std::size_t at = first; at < end; at += copy_block_bytes) {
    const std::size_t n = std::min(copy_block_bytes, end - at);
    for (int i = 0; i < t.n_pes; ++i) {
      const int pe = after(t, i);
      if (pe == call.root && (call.root_keeps_dest || call.dest == call.source)) continue;
      write_to(t, pe, call.dest + at, source + at, n);
    }
  }
}

void open_work(const collective_call& call, chunk_work& work) {
  team& t = call.members;
  if (t.my_pe != call.root) {
    await(call, call.root);
    return;
  }
  work.taken.store(0, std::memory_order_relaxed);  // both are published by the flag slot
  work.done.store(0, std::memory_order_relaxed);
  post(t);
}

void run_cooperative(const collective_call& call) {
  team& t = call.members;
  chunk_work& work = t.slot_of(call.root).work[slot_index(t)];
  open_work(call, work);
  const std::size_t chunk = chunk_bytes(call);
  const auto chunks = static_cast<std::uint32_t>((call.bytes() + chunk - 1) / chunk);
  for (;;) {
    const std::size_t mine = work.taken.fetch_add(1, std::memory_order_relaxed);
    if (mine >= chunks) break;
    copy_to_dests(call, mine * chunk, std::min((mine + 1) * chunk, call.bytes()));
    // Releases this piece; whoever sees the last count has seen all pieces.
    if (work.done.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks) wake_all(t);
  }
  const wait_info info{.routine = call.routine};
  wait_for(*t.home, info, [&] { return work.done.load(std::memory_order_acquire) >= chunks; });
}

// A claim, and the flags at both ends, are lines that travel.
double cost_of_cooperative(const team_shape& s) {
  if (s.bytes < 2 * smallest_chunk) return impossible;
  const int workers = s.cpu_for_each ? s.n_pes : std::min(s.n_pes, s.on.cpus);
  return steps(s, 1) + lines(s, 8) + copies_alone(s, 0.7 * static_cast<double>(s.bytes) * s.n_pes) / workers;
}

}  // namespace

constexpr algorithm cooperative_broadcast{
    .collective = kind::broadcast,
    .name = "cooperative",
    .protocol = protocol_kind::single_copy,
    .about = "whoever is there takes the next piece of the message and writes it into every dest",
    .needs = "at least 32 KiB",
    .steps = "2",
    .traffic = "1 flag, 2 atomic additions per piece; (n - 1) b copied by all together",
    .cost = cost_of_cooperative,
    .run = run_cooperative};

}  // namespace oshen::coll
