#include "heap/block_index.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace oshen::heap {
namespace {

struct open_block_index : block_index {
  open_block_index() { EXPECT_EQ(open(), status::ok); }
  ~open_block_index() { close(); }
};

TEST(Ledger, FindsBlocksByAnyAddress) {
  open_block_index blocks;
  blocks.set(128, 10);
  blocks.set(0, 100);
  EXPECT_TRUE(blocks.at_or_before(99).holds(99, 1));
  EXPECT_FALSE(blocks.at_or_before(99).holds(99, 2));
  EXPECT_FALSE(blocks.at_or_before(127).holds(127, 1));
  EXPECT_TRUE(blocks.at_or_before(130).holds(130, 8));
  EXPECT_FALSE(blocks.at_or_before(138).holds(138, 1));
  blocks.set(128, 0);
  EXPECT_FALSE(blocks.at_or_before(130).holds(130, 1));
  blocks.set(0, 200);
  EXPECT_TRUE(blocks.at_or_before(199).holds(0, 200));
}

TEST(Ledger, HoldsNothingThatWrapsRound) {
  open_block_index blocks;
  EXPECT_FALSE(blocks.at_or_before(0).holds(0, 0));
  blocks.set(64, 64);
  EXPECT_FALSE(blocks.at_or_before(100).holds(100, SIZE_MAX));
  EXPECT_FALSE(blocks.at_or_before(0).holds(0, 1));
}

TEST(Ledger, AgreesWithAMap) {
  open_block_index blocks;
  std::map<std::size_t, std::size_t> expected;
  std::mt19937 dice(1);
  for (int i = 0; i < 20000; ++i) {
    const std::size_t offset = dice() % 500 * 64, bytes = dice() % 3 == 0 ? 0 : 1 + dice() % 64;
    blocks.set(offset, bytes);
    if (bytes == 0)
      expected.erase(offset);
    else
      expected[offset] = bytes;
    const std::size_t asked = dice() % 32000;
    auto after = expected.upper_bound(asked);
    const block_index::entry found = blocks.at_or_before(asked);
    if (after == expected.begin()) {
      EXPECT_EQ(found.bytes, 0u);
      continue;
    }
    --after;
    EXPECT_EQ(found.offset, after->first);
    EXPECT_EQ(found.bytes, after->second);
  }
}

}  // namespace
}  // namespace oshen::heap
