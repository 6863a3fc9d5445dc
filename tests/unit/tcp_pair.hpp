// Two PEs of transport "tcp" in one process, driven by hand. The calls that move bytes are counted, and a test may
// change what is sent.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "transport/tcp/tcp.hpp"

// The calls that have moved bytes.
struct call_counts {
  int sends = 0, receives = 0;
  bool operator==(const call_counts&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const call_counts& c) {
  return out << c.sends << " sends, " << c.receives << " receives";
}
extern call_counts* counting;                                        // null: calls are not counted
extern std::function<void(const void* to, std::size_t)> on_receive;  // called with the place of received bytes
extern std::function<void(std::size_t)> on_send;                     // called with the bytes that a call would send
extern std::function<std::string(const std::string&)> in_flight;     // what arrives of the bytes of a send; empty: all

extern "C" {
ssize_t __real_send(int, const void*, size_t, int);
ssize_t __real_recv(int, void*, size_t, int);
}

namespace oshen::transport {

extern const transport tcp_transport;

namespace tcp {

inline constexpr int most_rounds = 1000000;

struct pe {
  const transport& table = tcp_transport;
  instance* self = nullptr;
  stream* s = nullptr;
  call_counts calls;
  std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(1 << 18);
  std::array<char, address_bytes> address{};
  std::size_t n_address = 0;

  explicit pe(int number, std::uint64_t chaos_seed = 0) {
    open_params how;
    how.chaos_seed = chaos_seed;
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
  sip_key key() { return key_of_acceptor(inside().job_secret, inside().own.key); }
};

struct pair_of_pes {
  pe a, b;

  explicit pair_of_pes(std::uint64_t chaos_seed = 0) : a{0, chaos_seed}, b{1, chaos_seed} {
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
  void expect(const call_counts& of_a, const call_counts& of_b, Round round) {
    for (std::uint64_t i = 1; i <= 4; ++i) {
      a.calls = b.calls = {};
      round(i);
    }
    EXPECT_EQ(a.calls, of_a);
    EXPECT_EQ(b.calls, of_b);
  }
};

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

inline greeting greeting_of_pe_1() {
  greeting g{.protocol = {}, .from_pe = 1, .to_pe = 0, .use = purpose::shared, .unused = 0, .number = {{7, 8}}};
  std::memcpy(g.protocol, protocol_name, sizeof protocol_name);
  return g;
}

}  // namespace tcp
}  // namespace oshen::transport
