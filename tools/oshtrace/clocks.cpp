// Clocks of hosts: each PE that does not share PE 0's asks it, and takes the answer to have been given in the middle of
// the shortest round trip (Cristian: Probabilistic clock synchronization, Distributed Computing 3, 1989,
// doi:10.1007/BF01784024).
#include "library.hpp"
#include "record.hpp"

namespace oshtrace {
namespace {

constexpr long trips = 50;

// Words in symmetric memory: a question of each PE, on PE 0; the answer, on every PE.
struct words {
  long* questions;
  long* answer;
};

void give_time(const words& w, int pe) {
  for (long i = 1; i <= trips; ++i) {
    LIBRARY(shmem_long_wait_until)(&w.questions[pe], SHMEM_CMP_EQ, i);
    LIBRARY(shmem_long_p)(w.answer, static_cast<long>(now()), pe);
  }
}

std::int64_t ask_for_time(const words& w, int me) {
  std::uint64_t shortest = UINT64_MAX;
  std::int64_t ahead = 0;
  for (long i = 1; i <= trips; ++i) {
    const std::uint64_t asked = now();
    const long before = *w.answer;
    LIBRARY(shmem_long_p)(&w.questions[me], i, 0);
    LIBRARY(shmem_long_wait_until)(w.answer, SHMEM_CMP_NE, before);
    const std::uint64_t trip = now() - asked;
    if (trip >= shortest) continue;
    shortest = trip;
    ahead = static_cast<std::int64_t>(asked + trip / 2) - *w.answer;
  }
  return ahead;
}

}  // namespace

clock_reading compare_clocks() {
  const int me = LIBRARY(shmem_my_pe)(), n = LIBRARY(shmem_n_pes)();
  auto* const memory =
      static_cast<long*>(LIBRARY(shmem_calloc)(static_cast<std::size_t>(n) + 1, sizeof(long)));  // and a barrier
  if (memory == nullptr) return {now(), 0};
  const words w{memory, memory + n};
  clock_reading found;
  if (me == 0) {
    for (int pe = 1; pe < n; ++pe)
      if (LIBRARY(shmem_ptr)(memory, pe) == nullptr) give_time(w, pe);
  } else if (LIBRARY(shmem_ptr)(memory, 0) == nullptr) {
    found.ahead = ask_for_time(w, me);
  }
  found.at = now();
  LIBRARY(shmem_free)(memory);
  return found;
}

}  // namespace oshtrace
