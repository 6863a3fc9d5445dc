// The PEs of a node share its cards evenly, those near their CPUs first.
#include "transport/card_share.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace oshen::transport {
namespace {

std::vector<int> shares(const std::vector<int>& numa_nodes, const std::vector<int>& pes) {
  std::vector<int> cards;
  for (int pe = 0; pe < static_cast<int>(pes.size()); ++pe)
    cards.push_back(
        share_of(numa_nodes.data(), static_cast<int>(numa_nodes.size()), pes[static_cast<std::size_t>(pe)], pe));
  return cards;
}

using ints = std::vector<int>;

TEST(CardShare, OneCardServesAll) { EXPECT_EQ(shares({0}, {0, 0, 1, -1}), (ints{0, 0, 0, 0})); }

TEST(CardShare, CardsOfUnknownPlaceInTurn) { EXPECT_EQ(shares({-1, -1, -1}, {0, 0, -1, 1, 1}), (ints{0, 1, 2, 0, 1})); }

TEST(CardShare, PEsThatMayRunAnywhereUseAllCardsInTurn) {
  EXPECT_EQ(shares({0, 1, 2}, {-1, -1, -1, -1}), (ints{0, 1, 2, 0}));
}

TEST(CardShare, NearCardsInTurn) {
  EXPECT_EQ(shares({0, 1, 0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}), (ints{0, 2, 0, 2, 1, 3, 1, 3}));
}

TEST(CardShare, APEWithoutANearCardUsesAnyInTurn) { EXPECT_EQ(shares({0, 0}, {1, 1, 0, 0}), (ints{0, 1, 0, 1})); }

TEST(CardShare, CardsOfUnknownPlaceAreNotNearPEsOfUnknownPlace) {
  EXPECT_EQ(shares({-1, 0}, {-1, -1, 0, 0}), (ints{0, 1, 1, 1}));
}

}  // namespace
}  // namespace oshen::transport
