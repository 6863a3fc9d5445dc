// Broadcast by direct access to the memory of peers on one node.
#include "coll/algorithms/inline_data.hpp"
#include "coll/call/sequence.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/flag_slots.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {

// ---- inline -------------------------------------------------------------------------------------------------
//
// For messages that fit into a flag slot or a long payload. The root posts the message and leaves. A short message
// takes one cache-line transfer.

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
                                     .needs = "at most 2 KiB",
                                     .steps = "1",
                                     .traffic = "1 flag; n b bytes copied",
                                     .cost = cost_of_inline,
                                     .run = run_inline};

// ---- push ---------------------------------------------------------------------------------------------------
//
// The root copies the message into every dest, then posts. The standard permits the copy before the peer has entered.
// No acknowledgement is needed, because no PE reads the root's source.

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

// One CPU writes all copies.
double cost_of_push(const team_shape& s) {
  return steps(s, 1) + lines(s, 2) + copies_alone(s, 0.6 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_broadcast{.collective = kind::broadcast,
                                   .name = "push",
                                   .protocol = protocol_kind::single_copy,
                                   .about = "the root writes every dest, then raises one flag",
                                   .steps = "1",
                                   .traffic = "1 flag; (n - 1) b bytes copied, all by the root",
                                   .cost = cost_of_push,
                                   .run = run_push};

// ---- pull ---------------------------------------------------------------------------------------------------
//
// Every PE copies from the root's source, all at the same time. The root leaves when all PEs have the message.

namespace {

void run_pull(const collective_call& call) {
  team& t = call.members;
  if (t.my_pe == call.root) {
    post(t);
    if (!call.root_keeps_dest) memmove(call.dest, call.source, call.bytes());
  } else {
    await(call, call.root);  // the root's source must not be read before it has entered
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
                                   .about = "all PEs read the root's source at the same time; ends with a sync",
                                   .steps = "1 + sync",
                                   .traffic = "1 flag and a sync; (n - 1) b bytes copied, b by each PE",
                                   .cost = cost_of_pull,
                                   .run = run_pull};

// ---- cooperative --------------------------------------------------------------------------------------------
//
// The message is divided into chunks. Each PE that has entered takes the next chunk and writes it into every dest. The
// root works alone until other PEs enter. No PE waits for a late one, which finds its dest complete. The flag of the
// root opens the work, and the last chunk ends it; there are no other signals.

namespace {

inline constexpr std::size_t smallest_chunk = 16 * 1024;  // to take a chunk costs as much as to copy 2 KiB
inline constexpr std::size_t largest_chunk = 64 * 1024;

std::size_t chunk_bytes(const collective_call& call) {
  const std::size_t even = call.bytes() / (2 * static_cast<std::size_t>(call.members.n_pes));
  return std::clamp(round_up(even, std::size_t{4096}), smallest_chunk, largest_chunk);
}

// The source block stays in the first-level cache during all its copies.
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
  // Relaxed, because the release in post() publishes both counters.
  work.taken.store(0, std::memory_order_relaxed);
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
    // Releases this chunk. A PE that acquires the last count sees all chunks.
    if (work.done.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks) wake_all(t);
  }
  const wait_info info{.routine = call.routine};
  wait_for(*t.home, info, [&] { return work.done.load(std::memory_order_acquire) >= chunks; });
}

// The counters, and the flags at both ends, are cache lines that move between CPUs.
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
    .about = "each PE that has entered takes the next chunk of the message and writes it into every dest",
    .needs = "at least 32 KiB",
    .steps = "2",
    .traffic = "1 flag, 2 atomic additions per chunk; (n - 1) b bytes copied by all PEs together",
    .cost = cost_of_cooperative,
    .run = run_cooperative};

}  // namespace oshen::coll
