// Every PE tells the others where in its source their blocks lie; each copies its own from there. Blocks that fit
// beside the positions in the flag slot travel with them: when those of all PEs do, nobody waits for anybody to have
// read.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/block_positions.hpp"

namespace oshen::coll {
namespace {

// A flag slot's word: 0, the blocks are read in the source; else 1 + the bytes of them that follow the positions.
struct payload {
  alignas(block_position) std::byte text[long_payload_bytes];
  std::size_t bytes;
  std::uint64_t word;
};

std::size_t bytes_for_others(const task& job) {
  std::size_t sum = 0;
  for (int pe = 0; pe < job.members.n_pes; ++pe)
    if (pe != job.members.my_pe) sum += job.from.elements[pe] * job.element_bytes;
  return sum;
}

// One flag slot serves all PEs, and the blocks fit into the rest of it.
bool fits_inline(const task& job, std::size_t bytes) {
  const team& t = job.members;
  const auto room = static_cast<std::size_t>(positions_per_round(t)) * sizeof(block_position);
  const std::size_t positions = static_cast<std::size_t>(t.n_pes) * sizeof(block_position);
  return positions <= room && bytes <= room - positions;
}

void write_payload(const task& job, payload& out) {
  const team& t = job.members;
  std::byte* const data = out.text + static_cast<std::size_t>(t.n_pes) * sizeof(block_position);
  std::size_t packed = 0;
  for (int pe = 0; pe < t.n_pes; ++pe) {
    const std::size_t elements = pe == t.my_pe ? 0 : job.from.elements[pe];
    const block_position there{packed, elements};
    memcpy(out.text + static_cast<std::size_t>(pe) * sizeof(block_position), &there, sizeof there);
    if (elements != 0)
      memcpy(data + packed * job.element_bytes, job.source + job.from.first[pe] * job.element_bytes,
             elements * job.element_bytes);
    packed += elements;
  }
  out.word = 1 + packed * job.element_bytes;
  out.bytes = static_cast<std::size_t>(data - out.text) + packed * job.element_bytes;
}

// Copies the block of PE `pe`. True when it was read in the source.
bool fetch(const task& job, position_round r, int pe) {
  const flag_slot& theirs = await(job, pe);
  const std::size_t beside = theirs.word == 0 ? 0 : theirs.word - 1;
  const std::byte* text = payload_of(job.members, pe, r.bytes() + beside);
  const block_position block = own_position(job, r, text);
  check_length(job, "dest_counts", pe, job.into.elements[pe], block.elements);
  if (block.elements != 0) {
    char* to = job.dest + job.into.first[pe] * job.element_bytes;
    const std::size_t at = block.first * job.element_bytes, bytes = block.elements * job.element_bytes;
    if (theirs.word != 0)
      memcpy(to, text + r.bytes() + at, bytes);
    else
      read_from(job.members, pe, to, job.source + at, bytes);
  }
  return theirs.word == 0;
}

void run_pull(const task& job) {
  team& t = job.members;
  const bool inline_blocks = fits_inline(job, bytes_for_others(job));
  bool read_in_place = !inline_blocks;
  for_each_round(job, [&](position_round r) {
    if (inline_blocks) {
      payload mine;
      write_payload(job, mine);
      post(t, mine.word, mine.text, mine.bytes);
    } else {
      post_positions(job, r, job.from);
    }
    if (!r.serves(t.my_pe)) return;
    copy_own_block(job);
    for (const int pe : others(t)) read_in_place |= fetch(job, r, pe);
  });
  // All know of all whether they were read: in the one round that there is, everybody hears everybody.
  if (read_in_place || t.n_pes > positions_per_round(t)) sync_team(t, job.routine);
}

double cost(const setting& s) { return steps(s, 1) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes)); }

}  // namespace

constexpr algorithm pull_alltoallv{
    .collective = kind::alltoallv, .name = "pull", .how = design::single_copy,
    .about = "positions by flag slot, with the blocks when they are small; every PE copies its blocks from the sources",
    .steps = "1 when the blocks of every PE fit the flag slots, else 2 + sync",
    .traffic = "n flags (and a sync); every block copied once, twice when it travels in a flag slot",
    .cost = cost, .run = run_pull};

}  // namespace oshen::coll
