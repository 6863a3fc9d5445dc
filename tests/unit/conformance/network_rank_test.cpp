// The choice between networks of libfabric and UCX.
#include "transport/network_rank.hpp"

#include <gtest/gtest.h>

namespace oshen::transport {
namespace {

int score(const char* name, const char* device) { return rank_of(name, device).score; }

TEST(NetworkRank, PrefersFastNetworksOfEitherLibraryToTcp) {
  const int tcp = score("tcp;ofi_rxm", "eth0");
  EXPECT_EQ(tcp, score("tcp", "eth0"));
  for (const char* fast : {"cxi", "efa", "opx", "psm2", "verbs;ofi_rxm", "rc_mlx5", "dc_mlx5", "ud_verbs"})
    EXPECT_GT(score(fast, "mlx5_0:1"), tcp) << fast;
}

TEST(NetworkRank, PrefersTheSocketsOfTheKernelToTcpOfALibrary) {
  EXPECT_GT(score("kernel_tcp", ""), score("tcp;ofi_rxm", "eth0"));
  for (const char* fast : {"cxi", "efa", "opx", "psm2", "verbs;ofi_rxm", "rc_mlx5", "ud_verbs"})
    EXPECT_GT(score(fast, "mlx5_0:1"), score("kernel_tcp", "")) << fast;
}

TEST(NetworkRank, PrefersRdmaToOtherFastNetworks) {
  for (const char* rdma : {"cxi", "verbs;ofi_rxm", "rc_verbs", "efa"})
    for (const char* other : {"opx", "psm2", "ud_mlx5"}) EXPECT_GT(score(rdma, "mlx5_0"), score(other, "mlx5_0"));
}

TEST(NetworkRank, PrefersOmniPathsOwnProvidersToItsVerbs) {
  EXPECT_GT(score("opx", "hfi1_0"), score("verbs;ofi_rxm", "hfi1_0"));
  EXPECT_GT(score("psm2", "hfi1_0"), score("rc_verbs", "hfi1_0:1"));
}

TEST(NetworkRank, PlacesPsm3OnEthernetBelowTcp) {
  EXPECT_LT(score("psm3", "eth0"), score("tcp;ofi_rxm", "eth0"));
  EXPECT_LT(score("something", "eth0"), score("tcp;ofi_rxm", "eth0"));
}

}  // namespace
}  // namespace oshen::transport
