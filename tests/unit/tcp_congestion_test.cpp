// The congestion control of the connections of transport "tcp" (src/transport/tcp/congestion.hpp).
#include <netinet/tcp.h>

#include <array>
#include <cstdlib>
#include <string>

#include "unit/tcp_pair.hpp"

namespace oshen::transport::tcp {
namespace {

std::string of(int fd) {
  std::array<char, 16> name{};
  socklen_t bytes = name.size() - 1;
  EXPECT_EQ(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &bytes), 0);
  return name.data();
}

std::string of_kernel() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const std::string name = of(fd);
  close(fd);
  return name;
}

struct TcpCongestion : testing::Test {
  static void want(const char* name) { setenv("OSHEN_TCP_CONGESTION", name, 1); }
  ~TcpCongestion() override { unsetenv("OSHEN_TCP_CONGESTION"); }
  // Of the PE that connects and of the one that accepts.
  static void expect_at_both_ends(const std::string& name) {
    pair_of_pes pes;
    pes.put(1), pes.flush();
    EXPECT_EQ(of(pes.a.inside().all_connections->fd), name);
    EXPECT_EQ(of(pes.b.inside().all_connections->fd), name);
  }
};

TEST_F(TcpCongestion, IsTheNamedOneAtBothEnds) {
  want("reno");  // every kernel has it
  expect_at_both_ends("reno");
}

TEST_F(TcpCongestion, IsThatOfTheKernelOnRequest) {
  want("system");
  expect_at_both_ends(of_kernel());
}

TEST_F(TcpCongestion, IsNotBbrByItself) {
  const std::string kernels = of_kernel();
  congestion_control chosen{};
  std::array<char, 256> why{};
  ASSERT_TRUE(choose_congestion_control(chosen, why.data(), why.size()));
  const std::string name = chosen.wanted() != nullptr ? chosen.wanted() : kernels;
  EXPECT_EQ(name == kernels, !kernels.starts_with("bbr")) << name;
  expect_at_both_ends(name);
}

TEST_F(TcpCongestion, IsRefusedWithAReasonIfTheKernelDoesNotHaveIt) {
  for (const char* name : {"none", "a_name_longer_than_15_characters"}) {
    want(name);
    congestion_control chosen{};
    std::array<char, 256> why{};
    EXPECT_FALSE(choose_congestion_control(chosen, why.data(), why.size()));
    EXPECT_TRUE(std::string(why.data()).starts_with("OSHEN_TCP_CONGESTION = " + std::string(name))) << why.data();
  }
}

// oshinfo does not offer what a job would refuse.
TEST_F(TcpCongestion, IsPartOfTheOffer) {
  for (const bool is_right : {true, false}) {
    want(is_right ? "reno" : "none");
    bool is_offered = true;
    tcp_transport.offers(
        "", [](void* all, const char*, const char* why_not) { *static_cast<bool*>(all) &= why_not == nullptr; },
        &is_offered);
    EXPECT_EQ(is_offered, is_right);
  }
}

}  // namespace
}  // namespace oshen::transport::tcp
