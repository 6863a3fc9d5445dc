// Asynchronous puts, gets and collectives of oshen/oshen.hpp, and symmetric arrays as ranges.
#include <shmemx.h>
#include <oshen/oshen.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../support/check.h"

namespace {

using numbers = oshen::symmetric_array<int>;
static_assert(std::ranges::contiguous_range<numbers> && std::ranges::sized_range<numbers>);
static_assert(!std::is_copy_constructible_v<oshen::request> && std::is_nothrow_move_constructible_v<oshen::request>);
static_assert(!std::is_copy_constructible_v<oshen::pending> && std::is_nothrow_move_constructible_v<oshen::pending>);

void puts_and_gets() {
  const int me = oshen::my_pe(), n = oshen::n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  constexpr int count = 1000;
  numbers field(2 * count);
  std::vector<int> mine(count), theirs(count, -1);
  std::iota(mine.begin(), mine.end(), me * count);
  oshen::sync_all();

  oshen::pending sent = field.put_async(right, mine, count);
  oshen::pending moved = std::move(sent);
  moved.wait();
  moved.wait();  // a second time has no effect
  oshen::barrier_all();
  require(field[count - 1] == 0 && field[count] == left * count, "put");
  std::vector<int> expected(count);
  std::iota(expected.begin(), expected.end(), left * count);
  require(std::ranges::equal(field.span().subspan(count), expected), "range");
#if !defined(__clang__) || __clang_major__ >= 16 || defined(_LIBCPP_VERSION)  // others cannot compile libstdc++'s views
  require(std::ranges::equal(field | std::views::drop(count), expected), "view of the range");
#endif

  const oshen::context own = oshen::context::create(SHMEM_CTX_PRIVATE);
  {
    oshen::pending got = field.get_async(right, theirs, count, own);
  }  // the end of its life completes it
  require(theirs.front() == me * count && theirs.back() == me * count + count - 1, "get");
  oshen::barrier_all();
}

void signals() {
  const int me = oshen::my_pe(), n = oshen::n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  const oshen::signal arrived;
  const numbers field(100);
  std::vector<int> mine(50, me + 1);
  oshen::pending sent = field.put_signal_async(right, mine, arrived, 2, SHMEM_SIGNAL_SET, 50);
  sent.wait();
  std::ranges::fill(mine, -1);  // allowed from here on
  require(arrived.wait_until(SHMEM_CMP_EQ, 2) == 2, "the value of the signal");
  require(field[49] == 0 && field[50] == left + 1 && field[99] == left + 1, "the data is not there");
  oshen::barrier_all();
  {
    oshen::pending more = field.put_signal_async(right, mine, arrived, 3, SHMEM_SIGNAL_ADD);
  }
  require(arrived.wait_until(SHMEM_CMP_NE, 2) == 5 && field[0] == -1, "a signal that is increased");
  oshen::barrier_all();
}

void collectives() {
  const int me = oshen::my_pe(), n = oshen::n_pes();
  const auto count = static_cast<std::size_t>(n);
  oshen::symmetric_array<long> mine(3), result(3), data(3), all(3 * count), blocks(count), turned(count);
  for (long& x : mine) x = me + 1;
  if (me == n - 1) std::ranges::fill(data, 77);
  for (std::size_t i = 0; i < count; ++i) blocks[i] = 100 * me + static_cast<long>(i);
  oshen::sync_all();
  {
    if (me == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    oshen::request begun = oshen::fcollect_async(all, mine);
    const oshen::request gathered = std::move(begun);
    require(begun.test(), "nothing is left after a move");  // NOLINT: the state after a move
  }  // PE 0, which comes last, has begun it, too
  require(all[0] == 1, "the end of its life");
  std::ranges::fill(all, 0);
  oshen::sync_all();
  {
    oshen::request sum = oshen::sum_reduce_async(result, mine);
    oshen::request sent = oshen::broadcast_async(data, n - 1);
    oshen::request gathered = oshen::fcollect_async(all, mine);
    oshen::request exchanged = oshen::alltoall_async(turned, blocks);
    oshen::request moved = std::move(gathered);
    while (!sum.test()) continue;
    require(result[2] == n * (n + 1) / 2, "sum");
    sum.wait();  // has no effect
    moved.wait();
    require(all[3 * count - 1] == n && all[0] == 1, "fcollect");
  }  // the others are complete
  require(data[2] == 77, "broadcast");
  for (std::size_t i = 0; i < count; ++i) require(turned[i] == 100 * static_cast<long>(i) + me, "alltoall");

  long product = 1, bits = 0, differ = 0, common = ~0L;
  for (long k = 1; k <= n; ++k) product *= k, bits |= k, differ ^= k, common &= k;
  const auto check = [&](oshen::request begun, long expected, const char* what) {
    begun.wait();
    for (const long x : result) require(x == expected, what);
    oshen::sync_all();
  };
  check(oshen::prod_reduce_async(result, mine), product, "prod");
  check(oshen::min_reduce_async(result, mine), 1, "min");
  check(oshen::max_reduce_async(result, mine), n, "max");
  check(oshen::and_reduce_async(result, mine), common, "and");
  check(oshen::or_reduce_async(result, mine), bits, "or");
  check(oshen::xor_reduce_async(result, mine), differ, "xor");

  int refused = 0;
  for (const int kind : {0, 1, 2}) {
    try {
      const oshen::symmetric_array<long> other(3 * count + 1);
      oshen::request begun = kind == 0   ? oshen::sum_reduce_async(other, mine)
                             : kind == 1 ? oshen::fcollect_async(other, mine)
                                         : oshen::alltoall_async(other, mine);
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  require(refused == 3, "sizes that do not fit");
}

void past_the_end() {
  numbers field(4);
  const oshen::signal arrived;
  std::vector<int> mine(3);
  for (const int kind : {0, 1, 2}) {
    bool thrown = false;
    try {
      oshen::pending begun = kind == 0   ? field.put_async(0, mine, 2)
                             : kind == 1 ? field.get_async(0, mine, 2)
                                         : field.put_signal_async(0, mine, arrived, 1, SHMEM_SIGNAL_SET, 2);
    } catch (const std::out_of_range&) {
      thrown = true;
    }
    require(thrown, "past the end");
  }
  require(arrived.fetch() == 0, "a signal without its data");
}

}  // namespace

int main() {
  oshen::session session;
  puts_and_gets();
  signals();
  collectives();
  past_the_end();
}
