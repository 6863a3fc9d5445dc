// Transport "tcp", driven by hand: the system calls of each operation as exact numbers, and strangers at its port.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <ostream>
#include <vector>

#include "transport/tcp/tcp.hpp"

namespace {

// The calls that have moved bytes.
struct counts {
  int sends = 0, receives = 0;
  bool operator==(const counts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const counts& c) {
  return out << c.sends << " sends, " << c.receives << " receives";
}
counts* counting = nullptr;

ssize_t counted(ssize_t n, int counts::* of) {
  if (counting != nullptr && n > 0) ++(counting->*of);
  return n;
}

}  // namespace

extern "C" {
ssize_t __real_send(int, const void*, size_t, int);
ssize_t __real_sendmsg(int, const msghdr*, int);
ssize_t __real_recv(int, void*, size_t, int);
ssize_t __real_recvmsg(int, msghdr*, int);
ssize_t __wrap_send(int, const void*, size_t, int);
ssize_t __wrap_sendmsg(int, const msghdr*, int);
ssize_t __wrap_recv(int, void*, size_t, int);
ssize_t __wrap_recvmsg(int, msghdr*, int);
ssize_t __wrap_send(int fd, const void* from, size_t n, int how) {
  return counted(__real_send(fd, from, n, how), &counts::sends);
}
ssize_t __wrap_sendmsg(int fd, const msghdr* m, int how) { return counted(__real_sendmsg(fd, m, how), &counts::sends); }
ssize_t __wrap_recv(int fd, void* to, size_t n, int how) {
  return counted(__real_recv(fd, to, n, how), &counts::receives);
}
ssize_t __wrap_recvmsg(int fd, msghdr* m, int how) { return counted(__real_recvmsg(fd, m, how), &counts::receives); }
}

namespace oshen::transport {

extern const transport tcp_transport;

namespace tcp {

namespace {

constexpr int most_rounds = 1000000;

struct pe {
  const transport& table = tcp_transport;
  instance* self = nullptr;
  stream* s = nullptr;
  counts calls;
  std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(4096);
  std::array<char, address_bytes> address{};
  std::size_t n_address = 0;

  explicit pe(int number) {
    open_params how;
    how.pe = number;
    how.n_pes = 2;
    how.slice = reinterpret_cast<char*>(memory.data());
    how.slice_bytes = memory.size() * 8;
    attributes about;
    std::array<char, 256> why{};
    EXPECT_TRUE(table.open(how, &self, &about, why.data(), why.size())) << why.data();
    n_address = table.local_address(self, address.data());
    s = table.stream_open(self, 0);
  }
  ~pe() {
    table.stream_close(s);
    table.close(self);
  }
  pe(const pe&) = delete;
  pe& operator=(const pe&) = delete;

  template <class Call>
  auto count(Call call) {
    counting = &calls;
    const auto result = call();
    counting = nullptr;
    return result;
  }
  void progress() {
    count([&] { return table.progress(self); });
  }
  tcp_instance& inside() { return own(self); }
};

struct pair_of_pes {
  pe a{0}, b{1};

  pair_of_pes() {
    EXPECT_EQ(a.table.connect(a.self, 1, b.address.data(), b.n_address), outcome::done);
    EXPECT_EQ(b.table.connect(b.self, 0, a.address.data(), a.n_address), outcome::done);
  }
  // Both make progress until the call of `a` is done.
  template <class Call>
  void until_done(Call call) {
    outcome o = outcome::would_block;
    for (int i = 0; i < most_rounds && (o = a.count(call)) == outcome::would_block; ++i) progress();
    EXPECT_EQ(o, outcome::done) << a.table.explain(a.self);
  }
  template <class Is>
  void until(Is is) {
    int i = 0;
    for (; i < most_rounds && !is(); ++i) progress();
    EXPECT_LT(i, most_rounds);
  }
  void progress() {
    b.progress();
    a.progress();
  }
  void put(std::uint64_t value) {
    until_done([&] { return a.table.put(a.s, 1, 64, &value, sizeof value, nullptr); });
  }
  void signal(std::uint64_t value) {
    const put_signal_args args{.to = 64, .from = &value, .bytes = 8, .signal = 8, .value = value, .op = signal_op::set};
    until_done([&] { return a.table.put_signal(a.s, 1, args, nullptr); });
    until([&] { return b.memory[1] == value; });
  }
  void flush() {
    stream_point point;
    until_done([&] { return a.table.flush(a.s, point); });
  }
  // The calls of both in one round, after the rounds in which they learn what follows what.
  template <class Round>
  void expect(const counts& of_a, const counts& of_b, Round round) {
    for (std::uint64_t i = 1; i <= 4; ++i) {
      a.calls = b.calls = {};
      round(i);
    }
    EXPECT_EQ(a.calls, of_a);
    EXPECT_EQ(b.calls, of_b);
  }
};

TEST(Tcp, SendsOneFrameEachWayForAPutWithFlush) {
  pair_of_pes pes;
  pes.expect({1, 1}, {1, 1}, [&](std::uint64_t i) { pes.put(i), pes.flush(); });
  EXPECT_EQ(pes.b.memory[8], 4u);
}

TEST(Tcp, IsAcknowledgedOnceForSeveralPutsWithOneFlush) {
  pair_of_pes pes;
  pes.expect({5, 1}, {1, 1}, [&](std::uint64_t i) {
    for (int k = 0; k < 5; ++k) pes.put(i);
    pes.flush();
  });
}

TEST(Tcp, SendsOneFrameForASignalAndNoAcknowledgement) {
  pair_of_pes pes;
  pes.expect({1, 0}, {0, 1}, [&](std::uint64_t i) { pes.signal(i); });
  EXPECT_EQ(pes.b.memory[8], 4u);
}

TEST(Tcp, SendsARequestAndAReplyForAGetWhichAcknowledgesThePutsBefore) {
  pair_of_pes pes;
  std::uint64_t got = 0;
  pes.expect({2, 1}, {1, 1}, [&](std::uint64_t i) {
    pes.put(i);
    pes.until_done([&] { return pes.a.table.get(pes.a.s, 1, &got, 64, 8, nullptr); });
    pes.flush();
    EXPECT_EQ(got, i);
  });
}

TEST(Tcp, RepliesToAtomicOperationsWithAResultOnly) {
  pair_of_pes pes;
  const atomic_op add{operation::add, width::eight, true, 1, 0};
  std::uint64_t before = 0;
  pes.expect({1, 1}, {1, 1}, [&](std::uint64_t) {
    pes.until_done([&] { return pes.a.table.atomic(pes.a.s, 1, 16, add, &before, nullptr); });
    pes.flush();
  });
  EXPECT_EQ(before, 3u);
  pes.expect({1, 0}, {0, 1}, [&](std::uint64_t i) {
    pes.until_done([&] { return pes.a.table.atomic(pes.a.s, 1, 16, add, nullptr, nullptr); });
    pes.until([&] { return pes.b.memory[2] == 4 + i; });
  });
  pes.flush();
}

// ---- strangers ------------------------------------------------------------------------------------------------------

struct stranger {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  explicit stranger(pe& at) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(at.inside().own.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~stranger() { close(fd); }
  stranger(const stranger&) = delete;
  stranger& operator=(const stranger&) = delete;

  void say(const void* bytes, std::size_t n) const { __real_send(fd, bytes, n, MSG_NOSIGNAL); }
  // The next bytes, while `at` makes progress; false: `at` has closed the connection.
  bool hears(pe& at, void* to, std::size_t n) const {
    for (int i = 0; i < most_rounds; ++i) {
      const ssize_t got = __real_recv(fd, to, n, MSG_DONTWAIT);
      if (got >= 0 || errno != EAGAIN) return got == static_cast<ssize_t>(n);
      at.progress();
    }
    ADD_FAILURE() << "neither a reply nor the end";
    return false;
  }
};

greeting greeting_of_pe_1() {
  greeting g{.protocol = {}, .from_pe = 1, .to_pe = 0, .use = purpose::shared, .unused = 0, .number = {{7, 8}}};
  std::memcpy(g.protocol, protocol_name, sizeof protocol_name);
  return g;
}

TEST(Tcp, ClosesConnectionsThatBeginWithAnythingElse) {
  pe a{0};
  greeting wrong = greeting_of_pe_1();
  wrong.to_pe = 1;
  char reply = 0;
  for (const char* text : {"GET / HTTP/1.1\r\nHost: h1.example.org.\r\n\r\n", reinterpret_cast<const char*>(&wrong)}) {
    const stranger s(a);
    s.say(text, sizeof wrong);
    EXPECT_FALSE(s.hears(a, &reply, 1));
  }
  EXPECT_EQ(a.inside().all_connections, nullptr);
}

TEST(Tcp, ClosesConnectionsWithoutAProofAndWithAnOldOne) {
  pe a{0};
  const greeting g = greeting_of_pe_1();
  challenge first{}, second{};
  sip_sum welcome{};
  {
    const stranger s(a);
    s.say(&g, sizeof g);
    ASSERT_TRUE(s.hears(a, &first, sizeof first));
    EXPECT_TRUE(same_sum(first.proof, prove(a.inside().own.key, proof_of::acceptor, g, first.number)));
    const sip_sum guess{{1, 2}};
    s.say(&guess, sizeof guess);
    EXPECT_FALSE(s.hears(a, &welcome, sizeof welcome));
  }
  const sip_sum old = prove(a.inside().own.key, proof_of::initiator, g, first.number);
  const stranger s(a);
  s.say(&g, sizeof g);
  ASSERT_TRUE(s.hears(a, &second, sizeof second));
  s.say(&old, sizeof old);
  EXPECT_FALSE(s.hears(a, &welcome, sizeof welcome));
  EXPECT_EQ(a.inside().all_connections, nullptr);
}

TEST(Tcp, EndsConnectionsWhoseFramesAreWrong) {
  pe a{0};
  const greeting g = greeting_of_pe_1();
  const stranger s(a);
  challenge given{};
  sip_sum welcome{};
  s.say(&g, sizeof g);
  ASSERT_TRUE(s.hears(a, &given, sizeof given));
  const sip_sum proof = prove(a.inside().own.key, proof_of::initiator, g, given.number);
  s.say(&proof, sizeof proof);
  ASSERT_TRUE(s.hears(a, &welcome, sizeof welcome));
  frame outside{head_of(frame_kind::put, 8, a.memory.size() * 8 - 4), {}};
  s.say(&outside.head, sizeof outside.head);
  EXPECT_FALSE(s.hears(a, &welcome, 1));
  EXPECT_STREQ(a.table.explain(a.self), "the other end does not keep to the protocol");
}

TEST(Tcp, ConnectsBesideSilentStrangers) {
  pair_of_pes pes;
  std::vector<std::unique_ptr<stranger>> silent;
  for (int i = 0; i < 2 * most_unproven; ++i) {
    silent.push_back(std::make_unique<stranger>(pes.b));
    pes.b.progress();
  }
  pes.put(5);
  pes.flush();
  EXPECT_EQ(pes.b.memory[8], 5u);
}

}  // namespace
}  // namespace tcp
}  // namespace oshen::transport
