// Asynchronous puts and gets of oshen/oshen.hpp, and symmetric arrays as ranges.
#include <shmemx.h>
#include <oshen/oshen.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using numbers = oshen::symmetric_array<int>;
static_assert(std::ranges::contiguous_range<numbers> && std::ranges::sized_range<numbers>);
static_assert(!std::is_copy_constructible_v<oshen::pending> && std::is_nothrow_move_constructible_v<oshen::pending>);

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "PE %d: %s\n", shmem_my_pe(), what);
  shmem_global_exit(1);
}

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

void past_the_end() {
  numbers field(4);
  std::vector<int> mine(3);
  for (const bool puts : {true, false}) {
    bool thrown = false;
    try {
      oshen::pending begun = puts ? field.put_async(0, mine, 2) : field.get_async(0, mine, 2);
    } catch (const std::out_of_range&) {
      thrown = true;
    }
    require(thrown, "past the end");
  }
}

}  // namespace

int main() {
  oshen::session session;
  puts_and_gets();
  past_the_end();
}
