// The tree by which results of start-up reach the PEs (bootstrap/tree.hpp).
#include "bootstrap/tree.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace oshen::bootstrap {
namespace {

std::vector<int> tree_of(const std::vector<int>& hosts) {
  std::vector<int> parents(hosts.size(), -2);
  EXPECT_TRUE(plan_tree(hosts.data(), static_cast<int>(hosts.size()), parents.data()));
  return parents;
}

// The number of messages from PE 0 to PE `pe`, and how many of them cross hosts.
struct path {
  int steps = 0, crossings = 0;
};
path path_to(std::size_t pe, const std::vector<int>& parents, const std::vector<int>& hosts) {
  path p;
  for (; parents[pe] >= 0; ++p.steps) {
    const auto parent = static_cast<std::size_t>(parents[pe]);
    p.crossings += hosts[pe] != hosts[parent];
    pe = parent;
  }
  EXPECT_EQ(pe, 0u);
  return p;
}

TEST(Tree, OneHost) { EXPECT_EQ(tree_of({0, 0, 0, 0, 0, 0, 0}), (std::vector{-1, 0, 0, 1, 1, 2, 2})); }

TEST(Tree, HostsInTurn) { EXPECT_EQ(tree_of({0, 1, 2, 0, 1, 2, 0, 3}), (std::vector{-1, 0, 0, 0, 1, 2, 0, 1})); }

TEST(Tree, ManyPes) {
  for (const int n_hosts : {1, 2, 7, 64}) {
    constexpr int of_host = 64;
    for (const bool in_turn : {false, true}) {
      std::vector<int> hosts;
      for (int pe = 0; pe < n_hosts * of_host; ++pe) hosts.push_back(in_turn ? pe % n_hosts : pe / of_host);
      const std::vector<int> parents = tree_of(hosts);
      std::map<int, int> children;
      int crossings = 0;
      for (std::size_t pe = 0; pe < hosts.size(); ++pe) {
        EXPECT_LE(++children[parents[pe]], most_children);
        EXPECT_LT(parents[pe], static_cast<int>(pe));
        const path p = path_to(pe, parents, hosts);
        EXPECT_LE(p.steps, 12);  // at most log2 of the hosts and of the PEs of a host
        EXPECT_LE(p.crossings, 6);
        crossings += parents[pe] >= 0 && hosts[pe] != hosts[static_cast<std::size_t>(parents[pe])];
      }
      EXPECT_EQ(crossings, n_hosts - 1);  // a result reaches each host once
    }
  }
}

}  // namespace
}  // namespace oshen::bootstrap
