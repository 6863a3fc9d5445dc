// Alltoallv by direct access to the memory of peers on one node.
#include "coll/call/sequence.hpp"
#include "coll/protocol/block_positions.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {

// ---- pull ---------------------------------------------------------------------------------------------------
//
// Every PE posts the positions of the blocks in its source, and each PE copies its blocks from there. Blocks that fit
// behind the positions in the flag slot travel with them. If the blocks of all PEs do, no PE has to wait until others
// have read its source.

namespace {

// The data that a PE posts: positions, and the blocks behind them. `value` is 1 + the bytes of the blocks. A value of 0
// means that the blocks must be read in the source.
struct payload {
  alignas(block_position) std::byte text[long_payload_bytes];
  std::size_t bytes;
  std::uint64_t value;
};

std::size_t bytes_for_others(const collective_call& call) {
  std::size_t sum = 0;
  for (int pe = 0; pe < call.members.n_pes; ++pe)
    if (pe != call.members.my_pe) sum += call.from.counts[pe] * call.element_bytes;
  return sum;
}

// The positions for all PEs, and the blocks behind them, fit into one flag slot.
bool fits_inline(const collective_call& call, std::size_t bytes) {
  const team& t = call.members;
  const std::size_t positions = static_cast<std::size_t>(t.n_pes) * sizeof(block_position);
  return positions <= long_payload_bytes && bytes <= long_payload_bytes - positions;
}

void write_payload(const collective_call& call, payload& out) {
  const team& t = call.members;
  std::byte* const data = out.text + static_cast<std::size_t>(t.n_pes) * sizeof(block_position);
  std::size_t packed = 0;
  for (int pe = 0; pe < t.n_pes; ++pe) {
    const std::size_t elements = pe == t.my_pe ? 0 : call.from.counts[pe];
    const block_position there{packed, elements};
    memcpy(out.text + static_cast<std::size_t>(pe) * sizeof(block_position), &there, sizeof there);
    if (elements != 0)
      memcpy(data + packed * call.element_bytes, call.source + call.from.first[pe] * call.element_bytes,
             elements * call.element_bytes);
    packed += elements;
  }
  out.value = 1 + packed * call.element_bytes;
  out.bytes = static_cast<std::size_t>(data - out.text) + packed * call.element_bytes;
}

// Copies the block of PE `pe`. Returns true if it was read in the source.
bool fetch(const collective_call& call, position_round r, int pe) {
  const flag_slot& theirs = await(call, pe);
  const std::size_t beside = theirs.value == 0 ? 0 : theirs.value - 1;
  const std::byte* text = payload_of(call.members, pe, r.bytes() + beside);
  const block_position block = own_position(call, r, text);
  check_length(call, "dest_counts", pe, call.into.counts[pe], block.elements);
  if (block.elements != 0) {
    char* to = call.dest + call.into.first[pe] * call.element_bytes;
    const std::size_t at = block.first * call.element_bytes, bytes = block.elements * call.element_bytes;
    if (theirs.value != 0)
      memcpy(to, text + r.bytes() + at, bytes);
    else
      read_from(call.members, pe, to, call.source + at, bytes);
  }
  return theirs.value == 0;
}

void run_pull(const collective_call& call) {
  team& t = call.members;
  const bool inline_blocks = fits_inline(call, bytes_for_others(call));
  bool read_in_place = !inline_blocks;
  for_each_round(call, [&](position_round r) {
    if (inline_blocks) {
      payload mine;
      write_payload(call, mine);
      post(t, mine.value, mine.text, mine.bytes);
    } else {
      post_positions(call, r, call.from);
    }
    if (!r.serves(t.my_pe)) return;
    copy_own_block(call);
    for (const int pe : others(t)) read_in_place |= fetch(call, r, pe);
  });
  // With one round, all PEs agree whether any source was read, because each has read the flag slots of all others.
  // Several rounds always end with a sync.
  if (read_in_place || t.n_pes > positions_per_round) sync_team(t, call.routine);
}

double cost_of_pull(const team_shape& s) {
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes));
}

}  // namespace

constexpr algorithm pull_alltoallv{
    .collective = kind::alltoallv,
    .name = "pull",
    .protocol = protocol_kind::single_copy,
    .about = "PEs post positions, and short blocks with them; every PE copies its blocks from the sources",
    .steps = "1 if the blocks of every PE fit into its flag slot, else 2 + sync",
    .traffic = "n flags (and a sync); every block copied once, or twice if it travels in a flag slot",
    .cost = cost_of_pull,
    .run = run_pull};

// ---- push ---------------------------------------------------------------------------------------------------
//
// Every PE posts the positions of the blocks in its dest, and each PE writes its blocks there. Then all PEs
// synchronise.

namespace {

void write_block(const collective_call& call, int pe, const block_position& there) {
  check_length(call, "source_counts", pe, call.from.counts[pe], there.elements);
  if (there.elements != 0)
    write_to(call.members, pe, call.dest + there.first * call.element_bytes,
             call.source + call.from.first[pe] * call.element_bytes, there.elements * call.element_bytes);
}

void run_push(const collective_call& call) {
  team& t = call.members;
  const int me = t.my_pe;
  for_each_round(call, [&](position_round r) {
    post_positions(call, r, call.into);
    if (!r.serves(me)) return;
    write_block(call, me, {call.into.first[me], call.into.counts[me]});
    for (const int pe : others(t)) write_block(call, pe, await_position(call, r, pe));
  });
  sync_team(t, call.routine);
}

double cost_of_push(const team_shape& s) {
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes)) + sync_cost(s);
}

}  // namespace

constexpr algorithm push_alltoallv{.collective = kind::alltoallv,
                                   .name = "push",
                                   .protocol = protocol_kind::single_copy,
                                   .about = "PEs post positions; every PE writes its blocks into the dests",
                                   .steps = "2 + sync",
                                   .traffic = "n flags and a sync; every block copied once",
                                   .cost = cost_of_push,
                                   .run = run_push};

}  // namespace oshen::coll
