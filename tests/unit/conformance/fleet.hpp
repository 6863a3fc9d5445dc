// PEs of one transport as threads of this process. A waiting PE makes progress, as the library does.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "transport/endpoint.hpp"
#include "transport/transports.hpp"

namespace oshen::testing {

using transport::completion;
using transport::outcome;

inline constexpr std::size_t slice_bytes = std::size_t{4} << 20;
inline constexpr auto longest_wait = std::chrono::seconds(120);

struct variant {
  const transport::transport* table;
  std::uint64_t chaos_seed;
  bool is_separate = false;  // the channels of the PEs have separate streams
  bool is_direct = false;    // with one thread each, and operations try the direct path first
  bool is_secure = false;    // the streams are authenticated
};

// Opens an endpoint as OSHEN_SECURE says, which the transport reads then. The variable is set only meanwhile.
inline bool open(transport::endpoint& endpoint, const variant& v, const transport::open_params& how, char* why,
                 std::size_t room) {
  if (v.is_secure) setenv("OSHEN_SECURE", "1", 1);
  const bool opened = endpoint.open(*v.table, how, why, room);
  if (v.is_secure) unsetenv("OSHEN_SECURE");
  return opened;
}

// The options of the transports, such as a provider: the environment variable CONFORMANCE_OPTIONS.
inline const char* options() {
  const char* text = getenv("CONFORMANCE_OPTIONS");
  return text != nullptr ? text : "";
}

class member {
 public:
  int pe = 0;
  int n_pes = 0;
  transport::endpoint endpoint;
  transport::channel channel;
  bool tries_direct = false;
  unsigned long n_direct = 0;  // operations that went directly
  std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(slice_bytes / 8);

  char* slice() { return reinterpret_cast<char*>(memory.data()); }
  std::uint64_t& object(std::uint64_t offset) { return memory[offset / 8]; }

  template <class Ready>
  void wait(Ready ready) {
    const auto end = std::chrono::steady_clock::now() + longest_wait;
    while (!ready()) {
      if (endpoint.progress_of(channel) <= 0 && endpoint.progress() == 0) std::this_thread::yield();
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "PE " << pe << " waits too long";
    }
  }
  // Repeats an operation until it is accepted.
  template <class Attempt>
  void persist(Attempt attempt) {
    outcome o = outcome::would_block;
    wait([&] { return (o = attempt()) != outcome::would_block; });
    ASSERT_EQ(o, outcome::done) << endpoint.explain();
  }
  transport::direct_path* direct() const {
    transport::direct_path* const d = tries_direct ? channel.open_direct.load() : nullptr;
    return d != nullptr && d->detours->load() == 0 ? d : nullptr;
  }
  bool put_directly(int to_pe, std::uint64_t to, const void* from, std::size_t bytes, bool keeps_source) {
    transport::direct_path* const d = direct();
    if (d == nullptr || !d->put(*d, from, bytes, to_pe, to, keeps_source)) return false;
    ++n_direct;
    return true;
  }
  bool get_directly(int from_pe, void* to, std::uint64_t from, std::size_t bytes, transport::direct_wait* until) {
    transport::direct_path* const d = direct();
    if (d == nullptr || !d->get(*d, to, bytes, from_pe, from, until)) return false;
    if (until != nullptr) wait([&] { return d->is_over(*d, *until); });
    ++n_direct;
    return true;
  }
  void put(int to_pe, std::uint64_t to, const void* from, std::size_t bytes) {
    if (put_directly(to_pe, to, from, bytes, false)) return;
    completion c{1};
    persist([&] { return endpoint.issue(channel, transport::put_of(to_pe, to, from, bytes, &c)); });
    wait([&] { return c.pending.load(std::memory_order_acquire) == 0; });
  }
  void put_nbi(int to_pe, std::uint64_t to, const void* from, std::size_t bytes) {
    if (put_directly(to_pe, to, from, bytes, true)) return;
    persist([&] { return endpoint.issue_later(channel, transport::put_of(to_pe, to, from, bytes)); });
  }
  void get_nbi(int from_pe, void* to, std::uint64_t from, std::size_t bytes) {
    if (get_directly(from_pe, to, from, bytes, nullptr)) return;
    persist([&] { return endpoint.issue_later(channel, transport::get_of(from_pe, to, from, bytes)); });
  }
  // `result` may be null.
  void atomic_nbi(int at_pe, std::uint64_t at, const transport::atomic_op& op, void* result) {
    persist([&] { return endpoint.issue_later(channel, transport::atomic_of(at_pe, at, op, result)); });
  }
  void get(int from_pe, void* to, std::uint64_t from, std::size_t bytes) {
    transport::direct_wait until;
    if (get_directly(from_pe, to, from, bytes, &until)) return;
    completion c{1};
    persist([&] { return endpoint.issue(channel, transport::get_of(from_pe, to, from, bytes, &c)); });
    wait([&] { return c.pending.load(std::memory_order_acquire) == 0; });
  }
  std::uint64_t fetch_op(int at_pe, std::uint64_t at, transport::atomic_op op) {
    std::uint64_t before = 0;
    completion c{1};
    persist([&] { return endpoint.issue(channel, transport::atomic_of(at_pe, at, op, &before, &c)); });
    wait([&] { return c.pending.load(std::memory_order_acquire) == 0; });
    return before;
  }
  void fence() {
    transport::flush_point point;
    persist([&] { return endpoint.fence(channel, point); });
  }
  void flush() {
    transport::flush_point point;
    persist([&] { return endpoint.flush(channel, point); });
  }
  std::uint64_t load(std::uint64_t offset) {
    return std::atomic_ref<std::uint64_t>(object(offset)).load(std::memory_order_acquire);
  }
};

// A barrier that makes progress while it waits.
class meeting_point {
 public:
  explicit meeting_point(int n) : n_(n) {}
  void meet(member& m) {
    const int mine = arrived_.fetch_add(1, std::memory_order_acq_rel) / n_ + 1;
    m.wait([&] { return arrived_.load(std::memory_order_acquire) >= mine * n_; });
  }

 private:
  int n_;
  std::atomic<int> arrived_{0};
};

enum class connections { all, next };  // the peers that each PE connects to

// Runs `body(member, meeting place)` on every PE, and flushes before the PEs end.
inline void run_fleet(const variant& v, int n, const std::function<void(member&, meeting_point&)>& body,
                      connections to = connections::all) {
  struct address {
    std::size_t bytes;
    char text[transport::address_bytes];
  };
  std::vector<member> members(static_cast<std::size_t>(n));
  std::vector<address> addresses(members.size());
  char why[256] = "";
  for (int pe = 0; pe < n; ++pe) {
    member& m = members[static_cast<std::size_t>(pe)];
    m.pe = pe;
    m.n_pes = n;
    transport::open_params how;
    how.pe = pe;
    how.n_pes = n;
    how.slice = m.slice();
    how.slice_bytes = slice_bytes;
    how.options = options();
    how.chaos_seed = v.chaos_seed;
    ASSERT_TRUE(open(m.endpoint, v, how, why, sizeof why)) << why;
    ASSERT_EQ(strstr(m.endpoint.query().about, "authenticated") != nullptr, v.is_secure);
    address& a = addresses[static_cast<std::size_t>(pe)];
    a.bytes = m.endpoint.local_address(a.text);
    ASSERT_LE(a.bytes, transport::address_bytes);
  }
  meeting_point place(n);
  std::vector<std::thread> threads;
  for (member& m : members)
    threads.emplace_back([&] {
      for (int pe = 0; pe < n; ++pe) {
        const address& a = addresses[static_cast<std::size_t>(pe)];
        const bool connects = to == connections::all ? pe != m.pe : pe == (m.pe + 1) % n;
        if (connects) m.persist([&] { return m.endpoint.connect(pe, a.text, a.bytes); });
      }
      const unsigned how = (v.is_separate ? transport::separate : 0u) | (v.is_direct ? transport::one_thread : 0u);
      ASSERT_TRUE(m.endpoint.open_channel(m.channel, how));
      m.tries_direct = v.is_direct;
      place.meet(m);
      body(m, place);
      m.flush();
      place.meet(m);
      m.endpoint.close_channel(m.channel);
    });
  for (std::thread& t : threads) t.join();
  for (member& m : members) m.endpoint.close();
}

}  // namespace oshen::testing
