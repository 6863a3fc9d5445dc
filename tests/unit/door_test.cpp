// A flood of connections at the door (bootstrap/door.hpp). The test plays a PE and the processes that connect without
// the job's secret.
#include "bootstrap/door.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <thread>

#include "os/socket.hpp"

namespace oshen::bootstrap {
namespace {

constexpr int patience_milliseconds = 20000;
constexpr const char* here = "127.0.0.1";
constexpr const char* elsewhere = "127.0.0.2";  // stands for another host

// A stream from this address to a port of this machine.
int connect_from(const char* address, std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in from{}, to{};
  from.sin_family = to.sin_family = AF_INET;
  to.sin_port = htons(port);
  EXPECT_EQ(inet_pton(AF_INET, address, &from.sin_addr), 1);
  EXPECT_EQ(inet_pton(AF_INET, here, &to.sin_addr), 1);
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&from), sizeof from), 0);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  return fd;
}

class open_door {
 public:
  open_door() {
    EXPECT_TRUE(os::random_bytes(&secret, sizeof secret) && os::random_bytes(&name_, sizeof name_));
    EXPECT_TRUE(entrance.open(secret, name_, port_));
  }
  ~open_door() {
    for (const int fd : strangers_) close(fd);
    entrance.close_all();
  }
  int connect_from(const char* address) const { return bootstrap::connect_from(address, port_); }
  // Connects `n` strangers, of which the last ones stay connected. Before accept_all() they wait in the backlog.
  void flood(int n) {
    for (int i = 0; i < n; ++i) {
      strangers_.push_back(connect_from(here));
      if (strangers_.size() <= door::most_unproved + 50) continue;
      close(strangers_.front());
      strangers_.pop_front();
    }
  }
  bool has_guest() {
    const bool found = entrance.next(guest);
    if (found) {
      EXPECT_TRUE(entrance.welcome(guest));
    }
    return found;
  }
  // Opens until no connection waits in the backlog.
  void accept_all() {
    pollfd ready[door::most_polled];
    do {
      EXPECT_FALSE(has_guest());
      entrance.watch(ready);  // the two listeners come first
    } while (poll(ready, 2, 0) > 0);
  }

  sip_key secret{};
  door entrance;
  door::guest guest{};

 private:
  std::uint64_t name_ = 0;
  std::uint16_t port_ = 0;
  std::deque<int> strangers_;
};

// Proves that it is a PE, in a thread of its own.
class proof {
 public:
  proof(int fd, const sip_key& secret)
      : fd_(fd), thread_([this, &secret] {
          wire::hello me{};
          memcpy(me.protocol_name, wire::protocol_name, sizeof me.protocol_name);
          me.n_pes = 2;
          me.pe = 1;
          wire::handshake h;
          is_accepted_ = wire::authenticate(fd_, secret, me, h, patience_milliseconds);
          has_ended_.store(true);
        }) {}
  bool has_ended() const { return has_ended_.load(); }
  bool is_accepted() {
    thread_.join();
    return is_accepted_;
  }

 private:
  int fd_;
  bool is_accepted_ = false;
  std::atomic<bool> has_ended_{false};
  std::thread thread_;
};

// The PE of another host has connected and not proved itself yet. Meanwhile ten times as many strangers connect as
// there are entries.
TEST(Door, KeepsThePeOfAnotherHostThroughAFlood) {
  open_door d;
  const int pe = d.connect_from(elsewhere);
  d.accept_all();
  for (int i = 0; i < 3 * door::most_unproved / 64; ++i) {
    d.flood(64);
    d.accept_all();
  }
  proof of_pe(pe, d.secret);
  while (!d.has_guest() && !of_pe.has_ended()) std::this_thread::yield();
  EXPECT_EQ(d.guest.hello().pe, 1);
  EXPECT_TRUE(of_pe.is_accepted());
  close(d.guest.fd), close(pe);
}

// The proof of the PE has arrived, its entry is the oldest, and all entries are taken. The strangers that wait in the
// backlog come from the host of the PE.
TEST(Door, ReadsAProofBeforeItAcceptsOthers) {
  open_door d;
  const int pe = d.connect_from(here);
  d.accept_all();
  d.flood(door::most_unproved - 1);
  d.accept_all();
  proof of_pe(pe, d.secret);
  pollfd ready[door::most_polled];
  do ASSERT_GT(poll(ready, d.entrance.watch(ready), patience_milliseconds), 0);
  while (ready[2].revents == 0);  // after the two listeners
  d.flood(100);
  EXPECT_TRUE(d.has_guest());
  EXPECT_TRUE(of_pe.is_accepted());
  close(d.guest.fd), close(pe);
}

TEST(Door, TellsOriginsApart) {
  std::uint16_t port = 0;
  const int listener = os::listen_network(port, 8);
  ASSERT_GE(listener, 0);
  const auto origin_from = [&](const char* address) {
    const int fd = connect_from(address, port);
    int accepted = -1;
    while (accepted < 0) accepted = os::accept_stream(listener);
    const std::uint64_t origin = os::origin_of_stream(accepted);
    close(accepted), close(fd);
    return origin;
  };
  EXPECT_EQ(origin_from(here), origin_from(here));
  EXPECT_NE(origin_from(here), origin_from(elsewhere));
  int ends[2];
  ASSERT_TRUE(os::stream_pair(ends));
  EXPECT_EQ(os::origin_of_stream(ends[0]), std::uint64_t{1} << 63 | getuid());
  close(ends[0]), close(ends[1]), close(listener);
}

}  // namespace
}  // namespace oshen::bootstrap
