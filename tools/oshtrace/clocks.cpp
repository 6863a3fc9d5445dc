// Compares the clocks of hosts. Each PE that does not share PE 0's memory requests PE 0's time. It assumes that the
// reply was sent in the middle of the shortest round trip (Cristian: Probabilistic clock synchronization, Distributed
// Computing 3, 1989, doi:10.1007/BF01784024).
#include "library.hpp"
#include "record.hpp"

namespace oshtrace {
namespace {

constexpr long trips = 50;

// Flags in symmetric memory: the requests of all PEs, on PE 0; the reply, on every PE.
struct flags {
  long* requests;
  long* reply;
};

void reply_with_time(const flags& w, int pe) {
  for (long i = 1; i <= trips; ++i) {
    LIBRARY(shmem_long_wait_until)(&w.requests[pe], SHMEM_CMP_EQ, i);
    LIBRARY(shmem_long_p)(w.reply, static_cast<long>(now()), pe);
  }
}

std::int64_t measure_offset(const flags& w, int me) {
  std::uint64_t shortest = UINT64_MAX;
  std::int64_t ahead = 0;
  for (long i = 1; i <= trips; ++i) {
    const std::uint64_t requested = now();
    const long before = *w.reply;
    LIBRARY(shmem_long_p)(&w.requests[me], i, 0);
    LIBRARY(shmem_long_wait_until)(w.reply, SHMEM_CMP_NE, before);
    const std::uint64_t trip = now() - requested;
    if (trip >= shortest) continue;
    shortest = trip;
    ahead = static_cast<std::int64_t>(requested + trip / 2) - *w.reply;
  }
  return ahead;
}

}  // namespace

clock_reading compare_clocks() {
  const int me = LIBRARY(shmem_my_pe)(), n = LIBRARY(shmem_n_pes)();
  auto* const memory =
      static_cast<long*>(LIBRARY(shmem_calloc)(static_cast<std::size_t>(n) + 1, sizeof(long)));  // also a barrier
  if (memory == nullptr) return {now(), 0};
  const flags w{memory, memory + n};
  clock_reading found;
  if (me == 0) {
    for (int pe = 1; pe < n; ++pe)
      if (LIBRARY(shmem_ptr)(memory, pe) == nullptr) reply_with_time(w, pe);
  } else if (LIBRARY(shmem_ptr)(memory, 0) == nullptr) {
    found.ahead = measure_offset(w, me);
  }
  found.at = now();
  LIBRARY(shmem_free)(memory);
  return found;
}

}  // namespace oshtrace
