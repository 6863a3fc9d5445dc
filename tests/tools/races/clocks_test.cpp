// The clocks of the race detector, against plain arrays, and the memory that they take.
#include "clocks.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace races {
namespace {

// Each entry that is not 0 in a map.
struct plain_clocks {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> delivered;  // PE, channel, target
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> strands;    // PE, strand, which

  template <class Map, class Key>
  static void raise(Map& all, const Key& key, std::uint32_t clock) {
    all[key] = std::max(all[key], clock);
  }
  void join(const plain_clocks& other) {
    for (const auto& [key, clock] : other.delivered) raise(delivered, key, clock);
    for (const auto& [key, clock] : other.strands) raise(strands, key, clock);
  }
};

class table {
 public:
  explicit table(std::uint32_t pes)
      : bytes_(knowledge::words_for(pes) * sizeof(std::uint32_t)),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        clocks(static_cast<std::uint32_t*>(memory_), pes) {}
  ~table() { munmap(memory_, bytes_); }
  table(const table&) = delete;
  table& operator=(const table&) = delete;

  std::size_t pages() const {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident((bytes_ + page - 1) / page);
    EXPECT_EQ(mincore(memory_, bytes_, resident.data()), 0);
    const auto is_resident = [](unsigned char state) { return (state & 1) != 0; };
    return static_cast<std::size_t>(std::count_if(resident.begin(), resident.end(), is_resident));
  }

 private:
  std::size_t bytes_;
  void* memory_;

 public:
  knowledge clocks;
};

std::uint32_t number(channel how) { return static_cast<std::uint32_t>(how); }
constexpr channel channels[] = {channel::put, channel::signal, channel::context};

void expect_agreement(const knowledge& mine, plain_clocks& plain, std::uint32_t pes) {
  for (std::uint32_t of = 0; of < pes; ++of) {
    for (const channel channel : channels)
      for (std::uint32_t target = 0; target < pes; ++target)
        ASSERT_EQ(mine.clock(of, channel, target), (plain.delivered[{of, number(channel), target}]));
    for (std::uint32_t strand = 0; strand < most_strands; ++strand) {
      ASSERT_EQ(mine.program(of, strand), (plain.strands[{of, strand, 0}]));
      ASSERT_EQ(mine.stores(of, strand), (plain.strands[{of, strand, 1}]));
    }
  }
}

TEST(Clocks, AgreeWithArrays) {
  constexpr std::uint32_t pes = 5, tables = 3;
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  std::vector<std::unique_ptr<table>> some;
  for (std::uint32_t i = 0; i < tables; ++i) some.push_back(std::make_unique<table>(pes));
  std::vector<plain_clocks> plain(tables);
  for (int step = 0; step < 4000; ++step) {
    const std::uint32_t i = below(tables), other = below(tables), pe = below(pes), clock = 1 + below(1000);
    const knowledge& mine = some[i]->clocks;
    const channel how = channels[below(3)];
    switch (below(7)) {
      case 0: {
        const std::uint32_t target = below(pes);
        mine.raise_clock(pe, how, target, clock);
        plain_clocks::raise(plain[i].delivered, std::tuple(pe, number(how), target), clock);
        break;
      }
      case 1:
        mine.deliver_all(pe, how, clock);
        for (const channel delivered : {how, channel::signal})
          for (std::uint32_t target = 0; target < pes; ++target)
            plain_clocks::raise(plain[i].delivered, std::tuple(pe, number(delivered), target), clock);
        break;
      case 2: {
        const std::uint32_t strand = below(most_strands);
        mine.raise_program(pe, strand, clock);
        plain_clocks::raise(plain[i].strands, std::tuple(pe, strand, 0u), clock);
        break;
      }
      case 3: {
        const std::uint32_t strand = below(most_strands);
        mine.raise_stores(pe, strand, clock);
        plain_clocks::raise(plain[i].strands, std::tuple(pe, strand, 1u), clock);
        break;
      }
      case 4:
        mine.join(some[other]->clocks);
        plain[i].join(plain_clocks(plain[other]));
        break;
      case 5:
        if (i == other) break;
        mine.copy_from(some[other]->clocks);
        plain[i] = plain[other];
        break;
      default:
        if (below(20) != 0) break;
        mine.clear();
        plain[i] = {};
    }
    expect_agreement(mine, plain[i], pes);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// After a barrier each PE knows of all others. A table that had all clocks would take 57 pages.
TEST(Clocks, TakeFewPages) {
  constexpr std::uint32_t pes = 128;
  const table of_pe(pes), of_flag(pes), at_release(pes);
  for (std::uint32_t pe = 0; pe < pes; ++pe) {
    of_pe.clocks.raise_program(pe, 0, 7);
    of_pe.clocks.deliver_all(pe, channel::put, 7);
  }
  of_pe.clocks.raise_program(3, 2, 8);              // another thread
  of_pe.clocks.raise_clock(3, channel::put, 4, 9);  // a fence, and a flag to PE 4
  of_flag.clocks.join(of_pe.clocks);
  at_release.clocks.copy_from(of_flag.clocks);
  EXPECT_EQ(at_release.clocks.clock(3, channel::put, 4), 9u);
  EXPECT_LE(at_release.pages(), 4u);
  EXPECT_GE(knowledge::words_for(pes) * sizeof(std::uint32_t), 56 * 4096u);
}

}  // namespace
}  // namespace races
