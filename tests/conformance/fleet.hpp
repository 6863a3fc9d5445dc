// PEs of one transport as threads of this process. Whatever a PE waits for, it makes progress meanwhile, as the library
// does.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "transport/link.hpp"
#include "transport/transports.hpp"

namespace oshen::testing {

using transport::completion;
using transport::outcome;

inline constexpr std::size_t window_bytes = std::size_t{4} << 20;
inline constexpr auto backoff = std::chrono::seconds(120);

struct variant {
  const transport::transport* table;
  std::uint64_t chaos_seed;
};

class member {
 public:
  int pe = 0;
  int n_pes = 0;
  transport::link link;
  transport::lane lane;
  std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(window_bytes / 8);

  char* window() { return reinterpret_cast<char*>(memory.data()); }
  std::uint64_t& word(std::uint64_t offset) { return memory[offset / 8]; }

  template <class Ready>
  void wait(Ready ready) {
    const auto end = std::chrono::steady_clock::now() + backoff;
    while (!ready()) {
      if (link.progress() == 0) std::this_thread::yield();
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "PE " << pe << " waits too long";
    }
  }
  // Tries until it is accepted.
  template <class Attempt>
  void persist(Attempt attempt) {
    outcome o = outcome::again;
    wait([&] { return (o = attempt()) != outcome::again; });
    ASSERT_EQ(o, outcome::done) << link.explain();
  }
  void put(int to_pe, std::uint64_t to, const void* from, std::size_t bytes) {
    completion c{1};
    persist([&] { return link.put(lane, to_pe, to, from, bytes, &c); });
    wait([&] { return c.left.load(std::memory_order_acquire) == 0; });
  }
  void put_nbi(int to_pe, std::uint64_t to, const void* from, std::size_t bytes) {
    persist([&] { return link.put(lane, to_pe, to, from, bytes, nullptr); });
  }
  void get(int from_pe, void* to, std::uint64_t from, std::size_t bytes) {
    completion c{1};
    persist([&] { return link.get(lane, from_pe, to, from, bytes, &c); });
    wait([&] { return c.left.load(std::memory_order_acquire) == 0; });
  }
  std::uint64_t change(int at_pe, std::uint64_t at, transport::change what) {
    std::uint64_t before = 0;
    completion c{1};
    persist([&] { return link.atomic(lane, at_pe, at, what, &before, &c); });
    wait([&] { return c.left.load(std::memory_order_acquire) == 0; });
    return before;
  }
  void fence() {
    persist([&] { return link.fence(lane); });
  }
  void flush() {
    persist([&] { return link.flush(lane); });
  }
  std::uint64_t load(std::uint64_t offset) {
    return std::atomic_ref<std::uint64_t>(word(offset)).load(std::memory_order_acquire);
  }
};

// Meets like a barrier, but makes progress while it waits.
class meeting_place {
 public:
  explicit meeting_place(int n) : n_(n) {}
  void meet(member& m) {
    const int mine = arrived_.fetch_add(1, std::memory_order_acq_rel) / n_ + 1;
    m.wait([&] { return arrived_.load(std::memory_order_acquire) >= mine * n_; });
  }

 private:
  int n_;
  std::atomic<int> arrived_{0};
};

enum class acquaintance { all, next };  // whom a PE connects to

// Runs `body(member, meeting place)` on every PE, and sees that all have been quiet before they end.
inline void run_fleet(const variant& v, int n, const std::function<void(member&, meeting_place&)>& body,
                      acquaintance known = acquaintance::all) {
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
    transport::opening how;
    how.pe = pe;
    how.n_pes = n;
    how.window = m.window();
    how.window_bytes = window_bytes;
    how.chaos_seed = v.chaos_seed;
    ASSERT_TRUE(m.link.open(*v.table, how, why, sizeof why)) << why;
    address& a = addresses[static_cast<std::size_t>(pe)];
    a.bytes = m.link.local_address(a.text);
    ASSERT_LE(a.bytes, transport::address_bytes);
  }
  meeting_place place(n);
  std::vector<std::thread> threads;
  for (member& m : members)
    threads.emplace_back([&] {
      for (int pe = 0; pe < n; ++pe) {
        const address& a = addresses[static_cast<std::size_t>(pe)];
        const bool is_known = known == acquaintance::all ? pe != m.pe : pe == (m.pe + 1) % n;
        if (is_known) m.persist([&] { return m.link.connect(pe, a.text, a.bytes); });
      }
      ASSERT_TRUE(m.link.open_lane(m.lane, 0));
      place.meet(m);
      body(m, place);
      m.flush();
      place.meet(m);
      m.link.close_lane(m.lane);
    });
  for (std::thread& t : threads) t.join();
  for (member& m : members) m.link.close();
}

}  // namespace oshen::testing
