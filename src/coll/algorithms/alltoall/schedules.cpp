// Schedules of alltoall and alltoalls over the protocols of coll/protocol.
#include <bit>

#include "coll/algorithms/alltoall/blocks.hpp"

namespace oshen::coll {

// ---- linear -------------------------------------------------------------------------------------------------
//
// Every PE sends a block to every other PE, all at the same time.

namespace {

template <class Protocol, template <class> class Blocks>
struct linear {
  static constexpr schedule_text text =
      linear_text<Protocol>("every PE sends a block to every other, all at the same time",
                            "n flags and a sync; n (n - 1) b bytes", Blocks<Protocol>::traffic);

  static double cost(const team_shape& s) { return Blocks<Protocol>::cost_at_once(s); }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    const Blocks<Protocol> blocks{{call}, protocol};
    protocol.expose();
    for (const int pe : others(t)) blocks.deposit(pe);
    blocks.copy_own();
    for (const int pe : others_backwards(t)) blocks.accept(pe);
  }
};

}  // namespace

constexpr protocol_variants linear_alltoall = block_variants<linear, whole_blocks>(kind::alltoall);
constexpr protocol_variants linear_alltoalls = block_variants<linear, strided_blocks>(kind::alltoalls);

// ---- pairwise -----------------------------------------------------------------------------------------------
//
// In round i each PE sends to the PE i after it and receives from the PE i before it, so it has one partner in each
// direction.

namespace {

template <class Protocol, template <class> class Blocks>
struct pairwise {
  static constexpr schedule_text text{
      .name = "pairwise",
      .about = "in round i each PE sends to the PE i after it and receives from the PE i before it",
      .steps = "n - 1, and a sync after every 28",
      .traffic = Blocks<Protocol>::traffic,
      .paper = paper::thakur};

  static double cost(const team_shape& s) { return Blocks<Protocol>::cost(s, s.n_pes - 1); }

  static void run(const collective_call& call, Protocol& protocol) {
    const Blocks<Protocol> blocks{{call}, protocol};
    blocks.copy_own();
    for_pairs(call, protocol, [&](int to, int from, int step) {
      blocks.send(to, step);
      blocks.receive(from, step);
    });
  }
};

}  // namespace

constexpr protocol_variants pairwise_alltoall = block_variants<pairwise, whole_blocks>(kind::alltoall);
constexpr protocol_variants pairwise_alltoalls = block_variants<pairwise, strided_blocks>(kind::alltoalls);

// ---- bruck --------------------------------------------------------------------------------------------------
//
// Bruck: a block that has to travel distance j moves in the rounds of the bits of j, packed together with others. So
// there are few messages, and each block is in several of them. Dest is the working memory: block j in it still has to
// travel, or has travelled, distance j. Packed blocks are sent from, and received into, the bounce buffer of the
// workspace.

namespace {

// The number of blocks that travel in a round.
int travellers(int round, int n) {
  int count = 0;
  for (int j = 1; j < n; ++j) count += j >> round & 1;
  return count;
}

// In the bounce buffer each round has one part to send from, and one to receive into.
constexpr std::size_t packed_bytes(int n, std::size_t block) {
  return round_up(static_cast<std::size_t>(n / 2) * block, cache_line);
}

char* bounce_of(const collective_call& call, int part) {
  return reinterpret_cast<char*>(call.members.own_workspace().bounce) +
         static_cast<std::size_t>(part) * packed_bytes(call.members.n_pes, call.bytes());
}

// Calls `move(block in dest, block in the packed message)` for each block of a round.
template <class Move>
void for_travellers(const collective_call& call, int round, char* packed, Move move) {
  for (int j = 1 << round; j < call.members.n_pes; ++j) {
    if ((j >> round & 1) == 0) continue;
    move(call.dest + block_at(call, j), packed);
    packed += call.bytes();
  }
}

// Block j has come from the PE j before this one, so it moves to the index of that PE. This permutation is its own
// inverse, so each pair of blocks is swapped.
void put_in_place(const collective_call& call) {
  const team& t = call.members;
  for (int j = 0; j < t.n_pes; ++j) {
    const int pe = after(t, (t.n_pes - j) % t.n_pes);
    char* here = call.dest + block_at(call, j);
    if (j < pe) std::swap_ranges(here, here + call.bytes(), call.dest + block_at(call, pe));
  }
}

template <class Protocol>
struct bruck {
  static constexpr schedule_text text{
      .name = "bruck",
      .about = "Bruck: blocks travel packed together, in the rounds of the bits of their distance",
      .needs = "the messages of all rounds fit twice into its bounce buffer (64 KiB)",
      .steps = "ceil(log2 n)",
      .traffic = "n ceil(log2 n) messages; about n^2 log2(n) b / 2 bytes",
      .paper = paper::bruck};

  static double cost(const team_shape& s) {
    const double depth = rounds(s);
    if (s.bytes > bounce_bytes || 2 * depth * static_cast<double>(packed_bytes(s.n_pes, s.bytes)) > bounce_bytes)
      return impossible;
    return protocol_cost<Protocol>(s, depth, (1.5 * depth + 2) * s.n_pes);
  }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    const std::size_t block = call.bytes();
    const int rounds = static_cast<int>(ceil_log2(static_cast<unsigned>(t.n_pes)));
    const auto bytes = [&](int round) { return static_cast<std::size_t>(travellers(round, t.n_pes)) * block; };
    for (int round = 0; round < rounds; ++round) protocol.ready(after(t, t.n_pes - (1 << round)), round, bytes(round));
    for (int j = 0; j < t.n_pes; ++j)
      memcpy(call.dest + block_at(call, j), call.source + block_at(call, after(t, j)), block);
    for (int round = 0; round < rounds; ++round) {
      char* out = bounce_of(call, 2 * round);
      char* in = bounce_of(call, 2 * round + 1);
      const int to = after(t, 1 << round);
      for_travellers(call, round, out, [&](char* at, char* packed) { memcpy(packed, at, block); });
      protocol.await_ready(to, round, bytes(round));
      protocol.send(to, round, out, in, bytes(round));
      protocol.receive(after(t, t.n_pes - (1 << round)), round, in, bytes(round));
      for_travellers(call, round, in, [&](char* at, char* packed) { memcpy(at, packed, block); });
    }
    put_in_place(call);
  }
};

}  // namespace

constexpr protocol_variants bruck_alltoall = variants_of<bruck>(kind::alltoall);

}  // namespace oshen::coll
