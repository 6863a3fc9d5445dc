// The members of a team agree on the lowest range that is free on all of them, whatever other teams have allocated.
#include "allocation/team_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

#include "coll/call/sequence.hpp"
#include "heap/allocator.hpp"
#include "support/thread_job.hpp"

using namespace oshen;

namespace {

constexpr int pes = 5;
constexpr const char* routine = "test";
using ranges = std::map<std::size_t, std::size_t>;  // begin, bytes

bool is_free(const ranges& used, std::size_t at, std::size_t bytes) {
  for (const auto& [begin, length] : used)
    if (at < begin + length && begin < at + bytes) return false;
  return true;
}

std::size_t lowest_on_all(const std::array<ranges, pes>& used, std::size_t begin, std::size_t bytes) {
  for (std::size_t at = begin;; at += heap::grain) {
    bool fits = true;
    for (const ranges& of_pe : used) fits = fits && is_free(of_pe, at, bytes);
    if (fits) return at;
  }
}

// Blocks of other teams: many small ones, and gaps between them that differ from PE to PE.
ranges scatter(world& w) {
  std::mt19937 random(static_cast<unsigned>(w.pe) + 1);
  ranges used;
  for (int i = 0; i < 300; ++i) {
    const std::size_t bytes = heap::grain * (1 + random() % 20);
    used[w.team_blocks.reserve(0, bytes, heap::grain, &w).offset] = bytes;
  }
  for (auto it = used.begin(); it != used.end();) {
    const bool goes = random() % 3 != 0;
    if (goes) w.team_blocks.release(it->first);
    it = goes ? used.erase(it) : std::next(it);
  }
  return used;
}

void check_lowest(int node_pes) {
  std::array<ranges, pes> used;
  oshen::testing::run_job(
      pes,
      [&](world& w) {
        const coll::team_call at{&w.team_world, routine};
        const std::size_t begin = w.segment.plan().team_begin();
        used[static_cast<std::size_t>(w.pe)] = scatter(w);
        std::vector<char*> blocks;
        for (std::size_t i = 0; i < 25; ++i) {
          const std::size_t bytes = heap::grain * (1 + i % 7);
          coll::sync_team(w.team_world, routine);
          const std::size_t wanted = lowest_on_all(used, begin, bytes);
          coll::sync_team(w.team_world, routine);  // now `used` may change
          blocks.push_back(static_cast<char*>(team_malloc(at, bytes)));
          const auto offset = static_cast<std::size_t>(blocks.back() - w.segment.heap(w.near.mine));
          EXPECT_EQ(offset, wanted) << "block " << i << " of PE " << w.pe;
          used[static_cast<std::size_t>(w.pe)][offset] = bytes;
        }
        for (char* block : blocks) team_free(at, block);
      },
      std::size_t{4} << 20, node_pes);
}

TEST(TeamMemory, IsTheLowestRangeThatAllHave) { check_lowest(0); }
TEST(TeamMemory, IsTheLowestRangeThatAllHaveBetweenNodes) { check_lowest(2); }

}  // namespace
