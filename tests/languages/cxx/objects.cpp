// Single objects, signals and collectives of oshen/oshen.hpp.
#include <oshen/oshen.hpp>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "../../support/check.h"

namespace {

struct place {
  double x, y;
};
static_assert(oshen::countable<long> && !oshen::countable<double> && oshen::swappable<double>);
static_assert(oshen::summable<std::complex<double>> && !oshen::ordered<std::complex<double>>);
static_assert(oshen::maskable<unsigned> && !oshen::maskable<double> && !oshen::maskable<short>);
static_assert(oshen::ordered<float> && !oshen::bitwise<float>);
static_assert(!oshen::summable<place> && !oshen::swappable<place> && !oshen::awaitable<place>);

void atomics() {
  const int me = oshen::my_pe(), n = oshen::n_pes();
  const oshen::symmetric<long> counter(5);
  require(*counter == 5, "first value");
  oshen::barrier_all();
  for (int i = 0; i < 10; ++i) require(counter.fetch_add(0, 1) >= 5, "fetch_add");
  counter.add(0, 2);
  oshen::barrier_all();
  require(counter.fetch(0) == 5 + 12 * n, "sum of the additions");
  oshen::barrier_all();
  if (me == n - 1) {
    require(counter.compare_swap(0, -1, 0) == 5 + 12 * n, "compare_swap of another value");
    require(counter.compare_swap(0, 5 + 12 * n, 8) == 5 + 12 * n, "compare_swap");
    require(counter.swap(0, 9) == 8, "swap");
    counter.set(0, 10);
    shmem_quiet();
    require(counter.get(0) == 10, "set");
  }
  oshen::barrier_all();
}

void bits() {
  const int me = oshen::my_pe(), n = oshen::n_pes();
  const oshen::symmetric<std::uint64_t> mask(0x70);
  const std::uint64_t mine = std::uint64_t{1} << (8 + me), all = ((std::uint64_t{1} << n) - 1) << 8;
  require((mask.fetch_or(0, mine) & (mine | 0x70)) == 0x70, "fetch_or");
  oshen::barrier_all();
  require(mask.fetch(0) == (all | 0x70), "bits of all PEs");
  oshen::barrier_all();
  require((mask.fetch_and(0, ~mine) & mine) != 0, "fetch_and");
  oshen::barrier_all();
  require(mask.fetch(0) == 0x70, "no bits of PEs");
  oshen::barrier_all();
  if (me == n - 1) require(mask.fetch_xor(0, 0x31) == 0x70 && mask.fetch(0) == 0x41, "fetch_xor");
  oshen::barrier_all();
}

void waits() {
  const int me = oshen::my_pe(), n = oshen::n_pes(), right = (me + 1) % n;
  const oshen::symmetric<int> flag(-1);
  const oshen::symmetric<place> where(place{0, 0});
  require(!flag.test(SHMEM_CMP_GE, 0) || n > 1, "test");
  where.put(right, place{0.5, static_cast<double>(me)});
  shmem_fence();
  flag.set(right, me);
  flag.wait_until(SHMEM_CMP_EQ, (me + n - 1) % n);
  require((*where).y == (me + n - 1) % n, "the object is not there");
  require(flag.test(SHMEM_CMP_GE, 0), "test after the wait");
  oshen::barrier_all();
}

void signals() {
  const int me = oshen::my_pe(), n = oshen::n_pes(), right = (me + 1) % n;
  const oshen::signal arrived;
  const oshen::symmetric_array<int> data(100);
  data.put_signal(right, std::vector<int>(100, me), arrived, 3);
  require(arrived.wait_until(SHMEM_CMP_GE, 3) == 3, "the value of the signal");
  require(data[99] == (me + n - 1) % n, "the data is not there");
  oshen::barrier_all();
  arrived.add(right, 4);
  require(arrived.wait_until(SHMEM_CMP_GT, 3) == 7 && arrived.fetch() == 7, "add");
  oshen::barrier_all();
  data.put_signal(right, std::vector<int>(9, -me), arrived, 8, SHMEM_SIGNAL_ADD, 91);
  require(arrived.wait_until(SHMEM_CMP_GT, 7) == 15, "a signal that is increased");
  require(data[90] == (me + n - 1) % n && data[91] == -((me + n - 1) % n), "the last elements");
  oshen::barrier_all();
  arrived.set(right, 1);
  arrived.wait_until(SHMEM_CMP_EQ, 1);
  oshen::barrier_all();
}

void moves(shmem_team_t team) {
  const int me = shmem_team_my_pe(team);
  const auto n = static_cast<std::size_t>(shmem_team_n_pes(team));
  oshen::symmetric_array<place> one(3);
  for (place& p : one) p = {1.0 * me, 2};
  const oshen::symmetric_array<place> all(3 * n), short_one(2);
  oshen::fcollect(all, one, team);
  for (std::size_t i = 0; i < n; ++i) require(all[3 * i + 2].x == static_cast<double>(i), "fcollect");
  oshen::symmetric_array<int> out(2 * n), in(2 * n);
  for (std::size_t i = 0; i < n; ++i) out[2 * i + 1] = 100 * me + static_cast<int>(i);
  oshen::alltoall(in, out, team);
  for (std::size_t i = 0; i < n; ++i) require(in[2 * i + 1] == 100 * static_cast<int>(i) + me, "alltoall");
  oshen::broadcast(one, static_cast<int>(n) - 1, team);
  require(one[2].x == static_cast<double>(n - 1), "broadcast");
  int refused = 0;
  try {
    oshen::fcollect(all, short_one, team);
  } catch (const std::invalid_argument&) {
    ++refused;
  }
  try {
    oshen::alltoall(in, oshen::symmetric_array<int>(2 * n + 2), team);
  } catch (const std::invalid_argument&) {
    ++refused;
  }
  require(refused == 2, "sizes that do not fit");
}

void reductions() {
  const int n = oshen::n_pes();
  const oshen::symmetric_array<long> mine(5), result(5);
  for (std::size_t i = 0; i < 5; ++i) mine[i] = oshen::my_pe() + 1;
  const auto check = [&](long expected, const char* what) {
    for (const long x : result) require(x == expected, what);
    oshen::sync_all();
  };
  long product = 1, bits = 0, differ = 0, common = ~0L;
  for (long k = 1; k <= n; ++k) product *= k, bits |= k, differ ^= k, common &= k;
  oshen::sum_reduce(result, mine);
  check(n * (n + 1) / 2, "sum");
  oshen::prod_reduce(result, mine);
  check(product, "prod");
  oshen::min_reduce(result, mine);
  check(1, "min");
  oshen::max_reduce(result, mine);
  check(n, "max");
  oshen::and_reduce(result, mine);
  check(common, "and");
  oshen::or_reduce(result, mine);
  check(bits, "or");
  oshen::xor_reduce(result, mine);
  check(differ, "xor");
  const long me = oshen::my_pe();
  oshen::sum_inscan(result, mine);
  check((me + 1) * (me + 2) / 2, "sum up to this PE");
  oshen::sum_exscan(result, mine);
  check(me * (me + 1) / 2, "sum before this PE");
  oshen::sum_reduce(mine, mine);
  require(mine[4] == n * (n + 1) / 2, "sum in place");
}

}  // namespace

int main() {
  const oshen::session session;
  atomics();
  bits();
  waits();
  signals();
  moves(SHMEM_TEAM_WORLD);
  reductions();
  return EXIT_SUCCESS;
}
