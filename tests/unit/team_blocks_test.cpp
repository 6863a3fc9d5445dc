// The list of blocks of teams: the lowest free range, in every state that random reservations lead to.
#include "heap/team_blocks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "heap/allocator.hpp"

using namespace oshen::heap;

namespace {

constexpr std::size_t first = 4096, bytes = 64 * 1024;

bool is_free(const std::map<std::size_t, std::size_t>& used, std::size_t at, std::size_t size) {
  for (const auto& [start, length] : used)
    if (at < start + length && start < at + size) return false;
  return at >= first && at + size <= first + bytes;
}

struct request {
  std::size_t from, size, align;
};

// By trying every grain.
std::size_t lowest(const std::map<std::size_t, std::size_t>& used, request r) {
  r.size = (r.size + grain - 1) / grain * grain;
  for (std::size_t at = r.from / grain * grain; at < first + bytes; at += grain)
    if (at >= r.from && at % r.align == 0 && is_free(used, at, r.size)) return at;
  return nowhere;
}

TEST(TeamBlocks, TakesTheLowestFreeRange) {
  team_blocks blocks;
  ASSERT_EQ(blocks.open(first, bytes), oshen::status::ok);
  std::mt19937 random(7);
  std::map<std::size_t, std::size_t> used;
  const int owner = 0;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 5 < 2 && !used.empty()) {
      const auto victim = std::next(used.begin(), static_cast<long>(random() % used.size()));
      EXPECT_EQ(blocks.find(victim->first).bytes, victim->second);
      blocks.release(victim->first);
      EXPECT_EQ(blocks.find(victim->first).bytes, 0U);
      used.erase(victim);
      continue;
    }
    const std::size_t size = 1 + random() % (random() % 8 == 0 ? 20000 : 700);
    const std::size_t align = grain << random() % 5, from = random() % 3 == 0 ? random() % (first + bytes + 4096) : 0;
    const std::size_t wanted = lowest(used, {from, size, align});
    ASSERT_EQ(blocks.reserve(from, size, align, &owner).offset, wanted) << "step " << step;
    if (wanted != nowhere) used[wanted] = (size + grain - 1) / grain * grain;
  }
  std::size_t sum = 0;
  for (const auto& [start, length] : used) sum += length;
  EXPECT_EQ(blocks.report().used, sum);
  EXPECT_EQ(blocks.report().blocks, used.size());
  blocks.close();
}

TEST(TeamBlocks, RefusesSizesThatExceedTheAddressSpace) {
  team_blocks blocks;
  ASSERT_EQ(blocks.open(first, bytes), oshen::status::ok);
  for (const std::size_t size : {bytes + 1, SIZE_MAX, SIZE_MAX - grain, std::size_t{0}})
    EXPECT_EQ(blocks.reserve(0, size, grain, &blocks).offset, nowhere) << size;
  EXPECT_EQ(blocks.reserve(SIZE_MAX - 63, 64, grain, &blocks).offset, nowhere);
  EXPECT_EQ(blocks.reserve(0, bytes, grain, &blocks).offset, first);
  EXPECT_EQ(blocks.reserve(0, 1, grain, &blocks).offset, nowhere);
  blocks.close();
}

TEST(TeamBlocks, TellsWhatWasNeverReserved) {
  team_blocks blocks;
  ASSERT_EQ(blocks.open(first, bytes), oshen::status::ok);
  EXPECT_EQ(blocks.reserve(0, 100, grain, &blocks).high_water, first);
  EXPECT_EQ(blocks.reserve(0, 100, grain, &blocks).high_water, first + 128);
  blocks.release(first);
  EXPECT_EQ(blocks.any_of(&blocks).offset, first + 128);
  EXPECT_EQ(blocks.reserve(0, 10, grain, &blocks).high_water, first + 256);
  EXPECT_EQ(blocks.any_of(&first).bytes, 0U);
  blocks.close();
}

}  // namespace
