// Bruck: blocks that have to go j PEs further on travel in the rounds of the bits of j, packed together: few messages,
// each block in several of them. Dest is the work space: block j of it is the one that still has to go, or came, j PEs.
// Packed blocks go from and come to the bounce buffer of the workspace.
#include <bit>

#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

// Blocks that travel in a round.
int travellers(int round, int n) {
  int count = 0;
  for (int j = 1; j < n; ++j) count += j >> round & 1;
  return count;
}

// Each round has a part of the bounce buffer to send from and one to receive into.
constexpr std::size_t packed_bytes(int n, std::size_t block) {
  return round_up(static_cast<std::size_t>(n / 2) * block, cache_line);
}

char* bounce_of(const task& job, int part) {
  return reinterpret_cast<char*>(job.members.own_workspace().bounce) +
         static_cast<std::size_t>(part) * packed_bytes(job.members.n_pes, job.bytes());
}

// Calls `move(block of dest, place in the packed)` for the blocks of a round.
template <class Move>
void for_travellers(const task& job, int round, char* packed, Move move) {
  for (int j = 1 << round; j < job.members.n_pes; ++j) {
    if ((j >> round & 1) == 0) continue;
    move(job.dest + block_at(job, j), packed);
    packed += job.bytes();
  }
}

// Block j came from the PE j before this one; the exchange of places is its own reverse.
void put_in_place(const task& job) {
  const team& t = job.members;
  for (int j = 0; j < t.n_pes; ++j) {
    const int pe = after(t, (t.n_pes - j) % t.n_pes);
    char* here = job.dest + block_at(job, j);
    if (j < pe) std::swap_ranges(here, here + job.bytes(), job.dest + block_at(job, pe));
  }
}

template <class Protocol>
struct bruck {
  static constexpr schedule_words words{
      .name = "bruck", .about = "Bruck: blocks travel packed together, by the bits of the distance they have to go",
      .needs = "a workspace; what travels in all rounds fits twice into its bounce (64 KiB)",
      .steps = "ceil(log2 n)", .traffic = "n ceil(log2 n) messages; about n^2 log2(n) b / 2",
      .paper = paper::bruck};

  static double cost(const setting& s) {
    const double depth = rounds(s);
    if (s.bytes > bounce_bytes || 2 * depth * static_cast<double>(packed_bytes(s.n_pes, s.bytes)) > bounce_bytes)
      return impossible;
    return protocol_cost<Protocol>(s, depth, (1.5 * depth + 2) * s.n_pes);
  }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const std::size_t block = job.bytes();
    const int rounds = static_cast<int>(ceil_log2(static_cast<unsigned>(t.n_pes)));
    const auto bytes = [&](int round) { return static_cast<std::size_t>(travellers(round, t.n_pes)) * block; };
    for (int round = 0; round < rounds; ++round) protocol.ready(after(t, t.n_pes - (1 << round)), round, bytes(round));
    for (int j = 0; j < t.n_pes; ++j)
      memcpy(job.dest + block_at(job, j), job.source + block_at(job, after(t, j)), block);
    for (int round = 0; round < rounds; ++round) {
      char* out = bounce_of(job, 2 * round);
      char* in = bounce_of(job, 2 * round + 1);
      const int to = after(t, 1 << round);
      for_travellers(job, round, out, [&](char* at, char* place) { memcpy(place, at, block); });
      protocol.await_ready(to, round, bytes(round));
      protocol.send(to, round, out, in, bytes(round));
      protocol.receive(after(t, t.n_pes - (1 << round)), round, in, bytes(round));
      for_travellers(job, round, in, [&](char* at, char* place) { memcpy(at, place, block); });
    }
    put_in_place(job);
  }
};

}  // namespace

constexpr protocol_rows bruck_alltoall = rows_of<bruck>(kind::alltoall);

}  // namespace oshen::coll
