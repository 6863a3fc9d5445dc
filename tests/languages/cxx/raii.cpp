// Objects of oshen/oshen.hpp: their state, moves, lifetime, and exceptions.
#include <shmemx.h>
#include <oshen/oshen.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../support/check.h"

namespace {

std::size_t allocations() {
  shmemx_heap_info_t heap;
  require(shmemx_heap_info(&heap, sizeof heap) == 0, "heap_info");
  return heap.allocations;
}

struct particle {
  double x[3];
  int id;
};

void arrays() {
  const int me = oshen::my_pe(), n = oshen::n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  const std::size_t before = allocations();
  {
    oshen::symmetric_array<particle> made(10);
    require(std::all_of(made.begin(), made.end(), [](const particle& p) { return p.id == 0; }), "not zero at first");
    oshen::sync_all();
    const std::vector<particle> mine(4, particle{{1, 2, 3}, me});
    made.put(right, mine, 3);
    oshen::barrier_all();
    require(made[2].id == 0 && made[3].id == left && made[6].id == left && made[7].id == 0, "put");
    require(made.get(right, 3).id == me, "get of one");
    std::vector<particle> theirs(4);
    made.get(right, theirs, 3);
    require(theirs[3].id == me, "get");
    if (!made.near(right).empty()) require(made.near(right)[4].id == me, "near");

    oshen::symmetric_array<particle> moved(std::move(made));
    require(made.data() == nullptr && made.size() == 0 && moved.size() == 10,
            "move");  // NOLINT: the state after a move
    bool thrown = false;
    try {
      moved.put(right, mine, 7);
    } catch (const std::out_of_range&) {
      thrown = true;
    }
    require(thrown, "put past the end");
    require(allocations() == before + 1, "one block");
  }
  require(allocations() == before, "the block is still there");
}

void signals() {
  const int me = oshen::my_pe(), n = oshen::n_pes();
  oshen::symmetric_array<double> data(8);
  oshen::symmetric_array<std::uint64_t> signal(1);
  data.put_signal((me + 1) % n, std::vector<double>(8, me), signal.data(), 1);
  shmem_signal_wait_until(signal.data(), SHMEM_CMP_EQ, 1);
  require(data[7] == (me + n - 1) % n, "the data is not there");
  oshen::barrier_all();
}

void teams_and_contexts() {
  const int me = oshen::my_pe(), n = oshen::n_pes();
  oshen::symmetric_array<int> here(1);
  const oshen::team even = oshen::team::split(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2);
  require(static_cast<bool>(even) == (me % 2 == 0), "who is a member");
  if (even) {
    require(even.my_pe() == me / 2 && even.n_pes() == (n + 1) / 2, "numbers");
    require(even.translate(even.n_pes() - 1) == 2 * (even.n_pes() - 1), "translation");
    const oshen::context ctx = oshen::context::create(even);
    int mine = me + 1;
    here.put_nbi(ctx, even.n_pes() - 1 - even.my_pe(), {&mine, 1});
    ctx.quiet_local();
    mine = 0;
    ctx.quiet();
    even.sync();
    require(here[0] == 2 * (even.n_pes() - 1 - even.my_pe()) + 1, "put on a team's context");
  }
  const auto [row, column] = oshen::team::split_2d(SHMEM_TEAM_WORLD, 2);
  require(row.my_pe() == me % 2 && column.my_pe() == me / 2, "rows and columns");
  oshen::barrier_all();
}

}  // namespace

int main() {
  const oshen::session session(SHMEM_THREAD_FUNNELED);
  require(session.provided() >= SHMEM_THREAD_FUNNELED, "thread level");
  arrays();
  signals();
  teams_and_contexts();
  return EXIT_SUCCESS;
}
