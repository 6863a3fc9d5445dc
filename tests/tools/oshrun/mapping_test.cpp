// --map-by on machines with several sockets: PEs are distributed over them round-robin.
#include <gtest/gtest.h>

#include "shared/cpus.hpp"

namespace oshrun {
namespace {

// Two sockets of four cores of two threads: cores 0 to 3 and 4 to 7, second threads from 8 on.
std::vector<core_list> two_sockets() {
  std::vector<core_list> domains(2);
  for (int core = 0; core < 8; core++) domains[core < 4 ? 0 : 1].push_back({core, core + 8});
  return domains;
}

std::vector<std::string> texts(const std::vector<cpu_mask>& masks) {
  std::vector<std::string> all;
  for (const cpu_mask& mask : masks) all.push_back(mask.text());
  return all;
}
using shares = std::vector<std::string>;

TEST(mapping, in_turn_and_each_socket_shared) {
  EXPECT_EQ(texts(map_cpus(two_sockets(), 2, binding::automatic)), (shares{"0-3,8-11", "4-7,12-15"}));
  EXPECT_EQ(texts(map_cpus(two_sockets(), 3, binding::automatic)), (shares{"0-1,8-9", "4-7,12-15", "2-3,10-11"}));
  EXPECT_EQ(texts(map_cpus(two_sockets(), 1, binding::automatic)), (shares{"0-3,8-11"}));
  EXPECT_EQ(texts(map_cpus(two_sockets(), 4, binding::core)), (shares{"0", "4", "1", "5"}));
}

TEST(mapping, no_pe_is_bound_if_a_socket_has_too_many) {
  EXPECT_TRUE(map_cpus(two_sockets(), 17, binding::automatic).empty());
  EXPECT_EQ(map_cpus(two_sockets(), 16, binding::automatic).size(), 16u);
  EXPECT_EQ(map_cpus(two_sockets(), 17, binding::core).size(), 17u);
}

TEST(mapping, nothing_to_share_is_one_domain) {
  const core_list cores{{0}, {1}, {2}};
  const auto domains = domains_of(cores, mapping::none);
  ASSERT_EQ(domains.size(), 1u);
  EXPECT_EQ(texts(map_cpus(domains, 3, binding::automatic)), (shares{"0", "1", "2"}));
}

}  // namespace
}  // namespace oshrun
