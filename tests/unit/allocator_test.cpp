#include "heap/allocator.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace oshen::heap {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

struct open_heap : allocator {
  explicit open_heap(std::size_t bytes, std::size_t first = 0) { EXPECT_EQ(open(bytes, first), status::ok); }
  ~open_heap() { close(); }
};

TEST(Allocator, BlocksAreAlignedAndDisjoint) {
  open_heap heap(mebibyte);
  const std::size_t a = heap.allocate(1), b = heap.allocate(65), c = heap.allocate(64);
  EXPECT_EQ(a % grain, 0u);
  EXPECT_EQ(b, a + grain);
  EXPECT_EQ(c, b + 2 * grain);
  EXPECT_EQ(heap.size_of(b), 2 * grain);
}

TEST(Allocator, GivesTheWholeHeapAndThenNothing) {
  open_heap heap(mebibyte);
  EXPECT_EQ(heap.allocate(mebibyte), 0u);
  EXPECT_EQ(heap.allocate(1), nowhere);
  EXPECT_TRUE(heap.free(0));
  EXPECT_EQ(heap.allocate(mebibyte + 1), nowhere);
  EXPECT_EQ(heap.report().largest_free, mebibyte);
}

TEST(Allocator, OffsetsBeginAtTheFirst) {
  constexpr std::size_t first = 6 * mebibyte;
  open_heap heap(mebibyte, first);
  EXPECT_EQ(heap.high_water(), first);
  const std::size_t low = heap.allocate(1), high = heap.allocate(1, mebibyte / 4);
  EXPECT_EQ(low, first);
  EXPECT_EQ(high, first + mebibyte / 4);
  EXPECT_EQ(heap.high_water(), high + grain);
  EXPECT_EQ(heap.size_of(low - first), 0u);
  EXPECT_TRUE(heap.free(low) && heap.free(high));
  EXPECT_EQ(heap.allocate(mebibyte), first);
  EXPECT_EQ(heap.high_water(), first + mebibyte);
}

TEST(Allocator, RefusesWhatIsNotABlock) {
  open_heap heap(mebibyte);
  const std::size_t a = heap.allocate(256);
  EXPECT_FALSE(heap.free(a + grain));
  EXPECT_TRUE(heap.free(a));
  EXPECT_FALSE(heap.free(a));
}

TEST(Allocator, Aligns) {
  open_heap heap(8 * mebibyte);
  heap.allocate(grain);
  for (std::size_t alignment = 8; alignment <= mebibyte; alignment *= 2)
    EXPECT_EQ(heap.allocate(100, alignment) % alignment, 0u) << alignment;
}

TEST(Allocator, ResizesInPlaceWhereThereIsRoom) {
  open_heap heap(mebibyte);
  const std::size_t a = heap.allocate(1000);
  EXPECT_TRUE(heap.resize(a, 5000));
  EXPECT_EQ(heap.size_of(a), 5056u);
  const std::size_t b = heap.allocate(1);
  EXPECT_FALSE(heap.resize(a, 9000));
  EXPECT_TRUE(heap.resize(a, 64));
  EXPECT_TRUE(heap.free(b));
  EXPECT_TRUE(heap.resize(a, mebibyte));
}

TEST(Allocator, DoesNotGrowIntoANeighbourThatIsTooSmall) {
  open_heap heap(3 * grain);
  const std::size_t a = heap.allocate(1), gap = heap.allocate(1), b = heap.allocate(1);
  EXPECT_TRUE(heap.free(gap));
  EXPECT_FALSE(heap.resize(a, 3 * grain));
  EXPECT_TRUE(heap.resize(a, 2 * grain));
  EXPECT_EQ(heap.size_of(b), grain);
}

// Blocks of 64 and 66 grains share a bin: the larger one is found, whichever was freed last.
TEST(Allocator, LooksThroughTheBinOfAFullHeap) {
  for (const bool larger_first : {true, false}) {
    open_heap heap(132 * grain);
    const std::size_t large = heap.allocate(66 * grain), small = (heap.allocate(1), heap.allocate(64 * grain));
    heap.allocate(1);
    EXPECT_TRUE(heap.free(larger_first ? large : small));
    EXPECT_TRUE(heap.free(larger_first ? small : large));
    EXPECT_EQ(heap.report().largest_free, 66 * grain);
    EXPECT_EQ(heap.allocate(67 * grain), nowhere);
    EXPECT_EQ(heap.allocate(65 * grain), large);
  }
}

TEST(Allocator, AnEmptyHeapHoldsNothing) {
  open_heap heap(1);
  EXPECT_EQ(heap.allocate(1), nowhere);
}

// Compares with a simple model: no overlap, equal offsets for equal calls, and all memory free at the end.
TEST(Allocator, RandomCallsAgainstAModel) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    open_heap heap(4 * mebibyte), twin(4 * mebibyte);
    std::map<std::size_t, std::size_t> model;
    std::mt19937 random(seed);
    for (int step = 0; step < 4000; ++step) {
      if (model.empty() || random() % 5 < 3) {
        const std::size_t bytes = std::size_t{1} << random() % 16 | random() % 1000;
        const std::size_t alignment = std::size_t{64} << random() % 7;
        const std::size_t at = heap.allocate(bytes, alignment);
        ASSERT_EQ(at, twin.allocate(bytes, alignment)) << "seed " << seed;
        if (at == nowhere) continue;
        ASSERT_EQ(at % alignment, 0u);
        const auto next = model.lower_bound(at);
        ASSERT_TRUE(next == model.end() || at + bytes <= next->first) << "seed " << seed;
        ASSERT_TRUE(next == model.begin() || std::prev(next)->first + std::prev(next)->second <= at) << "seed " << seed;
        model[at] = heap.size_of(at);
      } else {
        auto victim = model.begin();
        std::advance(victim, static_cast<long>(random() % model.size()));
        ASSERT_TRUE(heap.free(victim->first));
        ASSERT_TRUE(twin.free(victim->first));
        model.erase(victim);
      }
      ASSERT_EQ(heap.report().allocations, model.size());
    }
    for (const auto& [at, bytes] : model) ASSERT_TRUE(heap.free(at));
    ASSERT_EQ(heap.report().largest_free, 4 * mebibyte) << "seed " << seed;
    ASSERT_EQ(heap.report().used, 0u);
  }
}

}  // namespace
}  // namespace oshen::heap
