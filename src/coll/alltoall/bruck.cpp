// Bruck: blocks that have to go j PEs further on travel in the rounds of the bits of j, packed together: few messages,
// each block in several of them. Dest is the work space: block j of it is the one that still has to go, or came, j PEs.
// Packed blocks go from and come to the landing of the room.
#include <bit>

#include "coll/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

// Blocks that travel in a round.
int travellers(int round, int n) {
  int count = 0;
  for (int j = 1; j < n; ++j) count += j >> round & 1;
  return count;
}

// Each round has a part of the landing to send from and one to receive into.
constexpr std::size_t parcel_bytes(int n, std::size_t block) {
  return round_up(static_cast<std::size_t>(n / 2) * block, cache_line);
}

char* landing_of(const task& job, int part) {
  return reinterpret_cast<char*>(job.members.own_room().landing) +
         static_cast<std::size_t>(part) * parcel_bytes(job.members.n_pes, job.bytes());
}

// Calls `move(block of dest, place in the parcel)` for the blocks of a round.
template <class Move>
void for_travellers(const task& job, int round, char* parcel, Move move) {
  for (int j = 1 << round; j < job.members.n_pes; ++j) {
    if ((j >> round & 1) == 0) continue;
    move(job.dest + block_at(job, j), parcel);
    parcel += job.bytes();
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

template <class Wire>
void run_bruck(const task& job) {
  const team& t = job.members;
  const std::size_t block = job.bytes();
  const int rounds = static_cast<int>(ceil_log2(static_cast<unsigned>(t.n_pes)));
  const auto bytes = [&](int round) { return static_cast<std::size_t>(travellers(round, t.n_pes)) * block; };
  Wire wire(job);
  for (int round = 0; round < rounds; ++round) wire.ready(after(t, t.n_pes - (1 << round)), round, bytes(round));
  for (int j = 0; j < t.n_pes; ++j) memcpy(job.dest + block_at(job, j), job.source + block_at(job, after(t, j)), block);
  for (int round = 0; round < rounds; ++round) {
    char* out = landing_of(job, 2 * round);
    char* in = landing_of(job, 2 * round + 1);
    const int to = after(t, 1 << round);
    for_travellers(job, round, out, [&](char* at, char* place) { memcpy(place, at, block); });
    wire.await_ready(to, round, bytes(round));
    wire.send(to, round, out, in, bytes(round));
    wire.receive(after(t, t.n_pes - (1 << round)), round, in, bytes(round));
    for_travellers(job, round, in, [&](char* at, char* place) { memcpy(at, place, block); });
  }
  put_in_place(job);
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  if (s.bytes > landing_bytes || 2 * rounds * static_cast<double>(parcel_bytes(s.n_pes, s.bytes)) > landing_bytes)
    return impossible;
  return wire_cost<Wire>(s, rounds, (1.5 * rounds + 2) * static_cast<double>(s.bytes) * s.n_pes);
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoall,
          .name = name,
          .how = Wire::how,
          .about = "Bruck: blocks travel packed together, by the bits of the distance they have to go",
          .needs = "a room; what travels in all rounds fits twice into its landing (64 KiB)",
          .steps = "ceil(log2 n)",
          .traffic = "n ceil(log2 n) messages; about n^2 log2(n) b / 2",
          .paper = bruck_paper,
          .cost = cost<Wire>,
          .run = run_bruck<Wire>};
}

}  // namespace

constexpr algorithm bruck_put_alltoall = row<put_wire>("bruck-put");
constexpr algorithm bruck_message_alltoall = row<message_wire>("bruck-message");
constexpr algorithm bruck_pull_alltoall = row<pull_wire>("bruck-pull");

}  // namespace oshen::coll
