// Tests the contract of transport/transport.hpp for every transport that can be opened here.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <thread>

#include "variants.hpp"

namespace oshen::testing {
namespace {

using transport::atomic_op;
using transport::operation;
using transport::width;

class every_transport : public ::testing::TestWithParam<variant> {};

std::vector<char> pattern(std::size_t bytes, int seed) {
  std::vector<char> text(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    text[i] = static_cast<char>(i * 31 + static_cast<std::size_t>(seed) * 7 + i / 251);
  return text;
}

const std::size_t sizes[] = {1, 2, 3, 4, 7, 8, 9, 64, 100, 4095, 4096, 32768, 32769, 100001, 1 << 20};

TEST_P(every_transport, puts_every_size_and_lets_the_source_be_used_again) {
  run_fleet(GetParam(), 3, [](member& m, meeting_point& place) {
    const int to = (m.pe + 1) % m.n_pes, from = (m.pe + m.n_pes - 1) % m.n_pes;
    for (const std::size_t bytes : sizes)
      for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{3}}) {
        auto source = pattern(bytes, m.pe);
        m.put(to, offset, source.data(), bytes);
        std::fill(source.begin(), source.end(), char{-1});
        m.flush();
        place.meet(m);
        EXPECT_EQ(std::memcmp(m.slice() + offset, pattern(bytes, from).data(), bytes), 0)
            << bytes << " bytes at " << offset;
        place.meet(m);
      }
  });
}

// Each PE connects to the next one only, which must reply to a peer that it does not know.
TEST_P(every_transport, replies_to_unknown_peers) {
  const auto body = [](member& m, meeting_point& place) {
    const int to = (m.pe + 1) % m.n_pes, from = (m.pe + m.n_pes - 1) % m.n_pes;
    const auto mine = pattern(5000, m.pe);
    m.put(to, 64, mine.data(), mine.size());
    if (m.endpoint.has_put_signal()) {
      completion c{1};
      m.persist([&] {
        return m.endpoint.issue(
            m.channel, transport::put_signal_of(to, {32768, mine.data(), 100, 8, 1, transport::signal_op::set}, &c));
      });
      m.wait([&] { return c.pending.load() == 0; });
    }
    std::vector<char> back(mine.size());
    m.flush();
    m.get(to, back.data(), 64, back.size());
    EXPECT_EQ(back, mine);
    place.meet(m);
    EXPECT_EQ(std::memcmp(m.slice() + 64, pattern(5000, from).data(), 5000), 0);
    place.meet(m);
  };
  run_fleet(GetParam(), 3, body, connections::next);
}

// A transfer may cross the border of two memory regions.
TEST_P(every_transport, moves_bytes_across_region_borders) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    constexpr std::size_t bytes = 3 << 20, word = 8;
    constexpr std::uint64_t middle = slice_bytes / 2, begin = middle - bytes / 2;
    const int other = 1 - m.pe;
    const auto mine = pattern(bytes, m.pe), theirs = pattern(bytes, other);
    m.put(other, begin, mine.data(), bytes);
    m.flush();
    place.meet(m);
    EXPECT_EQ(std::memcmp(m.slice() + begin, theirs.data(), bytes), 0);
    std::vector<char> back(bytes);
    m.get(other, back.data(), begin, bytes);
    EXPECT_EQ(back, mine);
    place.meet(m);
    m.put(other, middle - 3, mine.data(), word);
    m.flush();
    place.meet(m);
    EXPECT_EQ(std::memcmp(m.slice() + middle - 3, theirs.data(), word), 0);
    place.meet(m);
    if (!m.endpoint.has_put_signal()) return;
    completion c{1};
    m.persist([&] {
      return m.endpoint.issue(
          m.channel,
          transport::put_signal_of(other, {begin, theirs.data(), bytes, 0, 1, transport::signal_op::set}, &c));
    });
    m.wait([&] { return m.load(0) == 1; });
    EXPECT_EQ(std::memcmp(m.slice() + begin, mine.data(), bytes), 0);
    m.wait([&] { return c.pending.load() == 0; });
    m.flush();
    place.meet(m);
  });
}

TEST_P(every_transport, gets_every_size) {
  run_fleet(GetParam(), 3, [](member& m, meeting_point& place) {
    const int from = (m.pe + 1) % m.n_pes;
    const auto mine = pattern(1 << 20, m.pe), theirs = pattern(1 << 20, from);
    std::memcpy(m.slice() + 8, mine.data(), mine.size());
    place.meet(m);
    for (const std::size_t bytes : sizes) {
      std::vector<char> to(bytes);
      m.get(from, to.data(), 8, bytes);
      EXPECT_EQ(std::memcmp(to.data(), theirs.data(), bytes), 0) << bytes;
    }
    place.meet(m);
  });
}

TEST_P(every_transport, completes_non_blocking_operations_at_flush) {
  run_fleet(GetParam(), 3, [](member& m, meeting_point& place) {
    constexpr std::size_t each = 5000, count = 40;
    const int to = (m.pe + 1) % m.n_pes, from = (m.pe + 2) % m.n_pes;
    const auto source = pattern(each * count, m.pe);
    for (std::size_t i = 0; i < count; ++i) m.put_nbi(to, i * each, source.data() + i * each, each);
    m.flush();
    place.meet(m);
    EXPECT_EQ(std::memcmp(m.slice(), pattern(each * count, from).data(), each * count), 0);
    std::vector<char> back(each * count);
    for (std::size_t i = 0; i < count; ++i) m.get_nbi(to, back.data() + i * each, i * each, each);
    m.flush();
    EXPECT_EQ(back, source);
    place.meet(m);
  });
}

// A PE that sees a flag sees the data that was put before the fence. Flags do not go back.
TEST_P(every_transport, orders_puts_by_fences) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    constexpr std::size_t bytes = 3000;
    constexpr std::uint64_t flag = 65536, answer = 65536 + 64;
    for (std::uint64_t round = 1; round <= 100; ++round) {
      const auto text = pattern(bytes, static_cast<int>(round));
      if (m.pe == 0) {
        m.put_nbi(1, 0, text.data(), bytes);
        m.fence();
        m.put(1, flag, &round, sizeof round);
        m.wait([&] { return m.load(answer) == round; });
      } else {
        m.wait([&] { return m.load(flag) == round; });
        EXPECT_EQ(std::memcmp(m.slice(), text.data(), bytes), 0) << round;
        m.put(0, answer, &round, sizeof round);
        m.fence();
      }
      m.flush();
    }
    place.meet(m);
  });
}

TEST_P(every_transport, orders_atomics_and_puts_by_fences) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    constexpr std::uint64_t data = 0, counter = 64, answer = 128;
    for (std::uint64_t round = 1; round <= 60; ++round) {
      if (m.pe == 0) {
        m.put(1, data, &round, sizeof round);
        m.fence();
        m.atomic_nbi(1, counter, {operation::add, width::eight, false, 1, 0}, nullptr);
        m.fence();
        m.put(1, data + 8, &round, sizeof round);
        m.wait([&] { return m.load(answer) == round; });
      } else {
        m.wait([&] { return m.load(counter) >= round; });
        EXPECT_EQ(m.load(data), round);
        m.wait([&] { return m.load(data + 8) == round; });
        EXPECT_EQ(m.load(counter), round);
        m.put(0, answer, &round, sizeof round);
      }
      m.flush();
    }
    place.meet(m);
  });
}

// Fabric libraries write by memcpy, which ThreadSanitizer reports as a race with a thread that reads meanwhile.
bool may_be_observed([[maybe_unused]] const variant& with) {
#ifdef __SANITIZE_THREAD__
  return std::strcmp(with.table->name, "loop") == 0;
#else
  return true;
#endif
}

// Calls add(m) repeatedly, which adds 1 to the object at offset 0 of PE 1, and puts after a fence. A thread that makes
// no progress observes the results, because the thread that makes progress might apply both before it looks.
template <class Add>
void expect_before_the_put(const variant& with, Add add) {
  if (!may_be_observed(with)) return;
  run_fleet(with, 2, [add](member& m, meeting_point& place) {
    constexpr std::uint64_t data = 4096, rounds = 400;
    std::uint64_t too_early = 0;
    std::atomic<bool> over{false};  // set even if the wait below fails
    if (m.pe == 0) {
      for (std::uint64_t round = 1; round <= rounds; ++round) {
        add(m);
        m.fence();
        m.put(1, data, &round, sizeof round);
      }
      m.flush();
    } else {
      std::thread observer([&] {
        for (std::uint64_t seen = 0; seen != rounds && !over.load();) {
          seen = m.load(data);
          if (m.load(0) < seen) ++too_early;
        }
      });
      m.wait([&] { return m.load(data) == rounds; });
      over.store(true);
      observer.join();
    }
    EXPECT_EQ(too_early, 0u);
    place.meet(m);
  });
}

TEST_P(every_transport, shows_an_atomic_before_the_put_behind_a_fence) {
  expect_before_the_put(GetParam(),
                        [](member& m) { m.atomic_nbi(1, 0, {operation::add, width::eight, false, 1, 0}, nullptr); });
}

TEST_P(every_transport, shows_a_signal_before_the_put_behind_a_fence) {
  if (GetParam().table->put_signal == nullptr) return;  // it is an atomic
  expect_before_the_put(GetParam(), [](member& m) {
    completion c{1};
    const std::uint64_t word = 7;
    m.persist([&] {
      return m.endpoint.issue(m.channel,
                              transport::put_signal_of(1, {128, &word, 8, 0, 1, transport::signal_op::add}, &c));
    });
    m.wait([&] { return c.pending.load() == 0; });
  });
}

// Observed in the same way.
TEST_P(every_transport, has_applied_atomics_at_flush) {
  constexpr std::uint64_t counter = 0, rounds = 100;
  std::atomic<std::uint64_t> flushed{0};
  run_fleet(GetParam(), 2, [&](member& m, meeting_point& place) {
    std::uint64_t missing = 0;
    std::atomic<bool> over{false};
    if (m.pe == 0) {
      for (std::uint64_t round = 1; round <= rounds; ++round) {
        m.atomic_nbi(1, counter, {operation::add, width::eight, false, 1, 0}, nullptr);
        m.flush();
        flushed.store(round, std::memory_order_release);
      }
    } else {
      std::thread observer([&] {
        for (std::uint64_t told = 0; told != rounds && !over.load();) {
          told = flushed.load(std::memory_order_acquire);
          if (m.load(counter) < told) ++missing;
        }
      });
      m.wait([&] { return flushed.load() == rounds; });
      over.store(true);
      observer.join();
    }
    EXPECT_EQ(missing, 0u);
    place.meet(m);
  });
}

TEST_P(every_transport, never_shows_part_of_an_aligned_object) {
  run_fleet(GetParam(), 3, [](member& m, meeting_point& place) {
    constexpr std::uint64_t step = 0x0101010101010101;
    if (m.pe != 0)
      for (std::uint64_t i = 1; i <= 200; ++i) {
        const std::uint64_t value = i % 100 * step;
        m.put(0, 0, &value, sizeof value);
      }
    else
      for (int looks = 0; looks < 20000; ++looks) {
        m.endpoint.progress();
        EXPECT_EQ(m.load(0) % step, 0u);
      }
    m.flush();
    place.meet(m);
  });
}

// All PEs add to one counter; the PE that owns it uses its CPU.
TEST_P(every_transport, has_atomics_that_agree_with_the_cpu) {
  run_fleet(GetParam(), 4, [](member& m, meeting_point& place) {
    constexpr int rounds = 300;
    for (int i = 0; i < rounds; ++i) {
      if (m.pe == 0)
        std::atomic_ref<std::uint64_t>(m.object(0)).fetch_add(1);
      else
        m.fetch_op(0, 0, {operation::add, width::eight, true, 1, 0});
      m.endpoint.progress();
    }
    m.flush();
    place.meet(m);
    if (m.pe == 0) {
      EXPECT_EQ(m.load(0), 4u * rounds);
    }
    place.meet(m);
  });
}

TEST_P(every_transport, does_every_operation_in_both_widths) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    place.meet(m);
    if (m.pe == 0)
      for (const width w : {width::four, width::eight}) {
        const std::uint64_t high = w == width::four ? 0x9000000fu : 0x900000000000000fu;
        const auto apply = [&](operation op, std::uint64_t value, std::uint64_t compare = 0) {
          return m.fetch_op(1, 32, {op, w, true, value, compare});
        };
        apply(operation::set, high);
        EXPECT_EQ(apply(operation::fetch, 0), high);
        EXPECT_EQ(apply(operation::swap, 5), high);
        EXPECT_EQ(apply(operation::compare_swap, 9, 4), 5u);
        EXPECT_EQ(apply(operation::compare_swap, 12, 5), 5u);
        EXPECT_EQ(apply(operation::add, 3), 12u);
        EXPECT_EQ(apply(operation::bit_and, 6), 15u);
        EXPECT_EQ(apply(operation::bit_or, 9), 6u);
        EXPECT_EQ(apply(operation::bit_xor, 5), 15u);
        EXPECT_EQ(apply(operation::fetch, 0), 10u);
        apply(operation::set, 0);
      }
    place.meet(m);
  });
}

// All PEs send more to each other than any queue holds, and receive nothing while they send.
TEST_P(every_transport, survives_floods) {
  run_fleet(GetParam(), 4, [](member& m, meeting_point& place) {
    constexpr std::size_t bytes = 20000;
    const auto source = pattern(bytes, m.pe);
    for (int i = 0; i < 60; ++i)
      for (int step = 1; step < m.n_pes; ++step) {
        const int to = (m.pe + step) % m.n_pes;
        m.put_nbi(to, static_cast<std::uint64_t>(m.pe) * 65536, source.data(), bytes);
        m.atomic_nbi(to, 1 << 20, {operation::add, width::eight, false, 1, 0}, nullptr);
      }
    m.flush();
    place.meet(m);
    EXPECT_EQ(m.load(1 << 20), 60u * 3);
    for (int pe = 0; pe < m.n_pes; ++pe) {
      if (pe == m.pe) continue;
      EXPECT_EQ(std::memcmp(m.slice() + pe * 65536, pattern(bytes, pe).data(), bytes), 0) << pe;
    }
    place.meet(m);
  });
}

// PE 1 makes no progress until PE 0 has returned from all its calls.
TEST_P(every_transport, returns_from_non_blocking_calls_while_the_target_sleeps) {
  constexpr std::size_t count = 600, bytes = 2000;
  constexpr std::uint64_t signal = 8192, counter = 16384;
  std::atomic<bool> returned{false};
  run_fleet(GetParam(), 2, [&](member& m, meeting_point& place) {
    const auto text = pattern(bytes, 3);
    std::vector<std::uint64_t> before(count, count);
    for (std::size_t i = 0; i < count && m.pe == 0; ++i) {
      const transport::put_signal_args args{0, text.data(), bytes, signal, 1, transport::signal_op::add};
      EXPECT_EQ(m.endpoint.issue_later(m.channel, transport::put_signal_of(1, args)), outcome::done);
      EXPECT_EQ(
          m.endpoint.issue_later(
              m.channel, transport::atomic_of(1, counter, {operation::add, width::eight, true, 1, 0}, &before[i])),
          outcome::done);
    }
    if (m.pe == 0) returned.store(true);
    while (m.pe == 1 && !returned.load()) std::this_thread::yield();
    m.flush();
    place.meet(m);
    if (m.pe == 1) {
      EXPECT_EQ(m.load(signal), count);
      EXPECT_EQ(m.load(counter), count);
      EXPECT_EQ(std::memcmp(m.slice(), text.data(), bytes), 0);
    }
    std::sort(before.begin(), before.end());
    for (std::size_t i = 0; i < count && m.pe == 0; ++i) EXPECT_EQ(before[i], i);
    place.meet(m);
  });
}

// Packs need messages of pack_bytes, which every transport has. A pack may leave by its age, so a get may also see the
// put of a later round.
TEST_P(every_transport, gets_in_packs_what_was_put_before_a_fence) {
  run_fleet(GetParam(), 3, [](member& m, meeting_point& place) {
    constexpr std::uint64_t rounds = 60, large = 4096, n_words = 250;
    const int to = (m.pe + 1) % m.n_pes;
    ASSERT_TRUE(m.endpoint.packs().begin_session(m.channel));
    std::vector<std::vector<std::uint64_t>> sources;
    std::vector<std::uint64_t> near(rounds), far(rounds);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const std::uint64_t round = i + 1;
      sources.emplace_back(n_words, round);
      m.persist([&] { return m.endpoint.packs().add(m.channel, transport::put_of(to, 0, &round, sizeof round)); });
      m.put_nbi(to, large, sources.back().data(), 8 * n_words);
      m.fence();
      m.persist([&] { return m.endpoint.packs().add(m.channel, transport::get_of(to, &near[i], 0, 8)); });
      m.persist([&] {
        return m.endpoint.packs().add(m.channel, transport::get_of(to, &far[i], large + 8 * (n_words - 1), 8));
      });
    }
    m.flush();
    for (std::uint64_t i = 0; i < rounds; ++i) {
      EXPECT_GE(near[i], i + 1) << "a packed put";
      EXPECT_GE(far[i], i + 1) << "a put that is too long for a pack";
      EXPECT_LE(std::max(near[i], far[i]), rounds);
    }
    transport::session_packs::end_session(m.channel);
    place.meet(m);
  });
}

// More packs of the greatest length than a PE may have open towards one target. One more addition begins a new pack.
TEST_P(every_transport, survives_floods_of_long_packs) {
  run_fleet(GetParam(), 3, [](member& m, meeting_point& place) {
    constexpr std::uint64_t each = (transport::long_pack_bytes - sizeof(transport::pack_head)) / 16;
    constexpr std::uint64_t counter = 1 << 20;
    const int to = (m.pe + 1) % m.n_pes;
    const atomic_op add{operation::add, width::eight, false, 1, 0};
    ASSERT_TRUE(m.endpoint.packs().begin_session(m.channel));
    place.meet(m);
    for (const std::uint64_t count : {each, each + 1, 100 * each}) {
      for (std::uint64_t i = 0; i < count; ++i)
        m.persist([&] { return m.endpoint.packs().add(m.channel, transport::atomic_of(to, counter, add, nullptr)); });
      m.flush();
    }
    place.meet(m);
    EXPECT_EQ(m.object(counter), 102 * each + 1);
    transport::session_packs::end_session(m.channel);
    place.meet(m);
  });
}

// Each PE asks for more packs of values than it may have requests open, and receives nothing while it asks. The gets
// have 1 to 8 bytes.
TEST_P(every_transport, survives_floods_of_packed_fetches) {
  run_fleet(GetParam(), 4, [](member& m, meeting_point& place) {
    constexpr std::size_t count = 40000, n_words = 4096, every = 100;
    constexpr std::uint64_t counter = 1 << 20;
    const auto text = [](int pe, std::size_t i) { return (static_cast<std::uint64_t>(pe) << 32 | i) * 0x0101010101; };
    const auto first_bytes = [](std::uint64_t value, std::size_t bytes) {
      return value << (64 - 8 * bytes) >> (64 - 8 * bytes);
    };
    for (std::size_t i = 0; i < n_words; ++i) m.object(8 * i) = text(m.pe, i);
    ASSERT_TRUE(m.endpoint.packs().begin_session(m.channel));
    place.meet(m);
    std::vector<std::vector<std::uint64_t>> got(4, std::vector<std::uint64_t>(count)), old(4);
    for (auto& values : old) values.resize(count / every);
    for (std::size_t i = 0; i < count; ++i)
      for (int step = 1; step < m.n_pes; ++step) {
        const int pe = (m.pe + step) % m.n_pes;
        const auto of = static_cast<std::size_t>(pe);
        m.persist([&] {
          return m.endpoint.packs().add(m.channel, transport::get_of(pe, &got[of][i], 8 * (i % n_words), 1 + i % 8));
        });
        if (i % every != 0) continue;
        const atomic_op add{operation::add, width::eight, true, 1, 0};
        m.persist([&] {
          return m.endpoint.packs().add(m.channel, transport::atomic_of(pe, counter, add, &old[of][i / every]));
        });
      }
    m.flush();
    for (int pe = 0; pe < m.n_pes; ++pe) {
      if (pe == m.pe) continue;
      const auto of = static_cast<std::size_t>(pe);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(got[of][i], first_bytes(text(pe, i % n_words), 1 + i % 8)) << pe << ", " << i;
      std::sort(old[of].begin(), old[of].end());
      EXPECT_EQ(std::adjacent_find(old[of].begin(), old[of].end()), old[of].end()) << "an old value came twice";
      EXPECT_LT(old[of].back(), 3 * count / every);
    }
    transport::session_packs::end_session(m.channel);
    place.meet(m);
    EXPECT_EQ(m.load(counter), 3 * count / every);
  });
}

// Threads share one channel. A value is there after the flush of the thread that asked for it.
TEST_P(every_transport, fetches_in_packs_for_several_threads) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    constexpr std::size_t n_words = 4096, each = 700;
    for (std::size_t i = 0; i < n_words; ++i) m.object(8 * i) = 5 * i + 1;
    ASSERT_TRUE(m.endpoint.packs().begin_session(m.channel));
    place.meet(m);
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 3 && m.pe == 0; ++thread)
      threads.emplace_back([&m, thread] {
        for (std::size_t round = 0; round < 15; ++round) {
          std::vector<std::uint64_t> to(each);
          const auto place_of = [&](std::size_t i) { return (i * (thread + 1) + 31 * round) % n_words; };
          for (std::size_t i = 0; i < each; ++i)
            m.persist(
                [&] { return m.endpoint.packs().add(m.channel, transport::get_of(1, &to[i], 8 * place_of(i), 8)); });
          m.flush();
          for (std::size_t i = 0; i < each; ++i) ASSERT_EQ(to[i], 5 * place_of(i) + 1) << thread << ", " << round;
        }
      });
    if (m.pe == 1) m.wait([&] { return m.load(slice_bytes - 8) == 1; });
    for (std::thread& t : threads) t.join();
    const std::uint64_t one = 1;
    if (m.pe == 0) m.put(1, slice_bytes - 8, &one, sizeof one);
    transport::session_packs::end_session(m.channel);
    m.flush();
    place.meet(m);
  });
}

// Threads have channels of their own. PE 1 only computes, and its progress does not include their operations.
TEST_P(every_transport, serves_threads_with_separate_channels) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    constexpr std::size_t n_threads = 3, rounds = 40, bytes = 3000, room = std::size_t{1} << 19;
    constexpr std::uint64_t counter = 8, over = 16;
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < n_threads && m.pe == 0; ++thread)
      threads.emplace_back([&m, thread] {
        const std::uint64_t begin = (thread + 1) * room, flag = begin - 8;
        transport::channel c;
        ASSERT_TRUE(m.endpoint.open_channel(c, transport::separate | transport::one_thread));
        const auto wait = [&](auto ready) {
          const auto end = std::chrono::steady_clock::now() + longest_wait;
          while (!ready()) {
            if (m.endpoint.progress_of(c) < 0) m.endpoint.progress();
            std::this_thread::yield();
            ASSERT_LT(std::chrono::steady_clock::now(), end) << "thread " << thread << " waits too long";
          }
        };
        const auto persist = [&](auto attempt) {
          outcome o = outcome::would_block;
          wait([&] { return (o = attempt()) != outcome::would_block; });
          ASSERT_EQ(o, outcome::done) << m.endpoint.explain();
        };
        for (std::uint64_t round = 1; round <= rounds; ++round) {
          const auto text = pattern(bytes, static_cast<int>(round * n_threads + thread));
          for (std::size_t i = 0; i < 5; ++i)
            persist(
                [&] { return m.endpoint.issue_later(c, transport::put_of(1, begin + i * bytes, text.data(), bytes)); });
          transport::flush_point fence, flush;
          persist([&] { return m.endpoint.fence(c, fence); });
          const atomic_op add{operation::add, width::eight, false, 1, 0};
          persist([&] { return m.endpoint.issue_later(c, transport::atomic_of(1, counter, add, nullptr)); });
          persist([&] { return m.endpoint.issue_later(c, transport::put_of(1, flag, &round, sizeof round)); });
          std::vector<char> back(bytes);
          std::uint64_t seen = 0;
          persist([&] { return m.endpoint.flush(c, flush); });
          completion both{2};
          persist(
              [&] { return m.endpoint.issue(c, transport::get_of(1, back.data(), begin + 4 * bytes, bytes, &both)); });
          persist([&] { return m.endpoint.issue(c, transport::get_of(1, &seen, flag, sizeof seen, &both)); });
          wait([&] { return both.pending.load(std::memory_order_acquire) == 0; });
          ASSERT_EQ(back, text) << thread << ", " << round;
          ASSERT_EQ(seen, round);
        }
        transport::flush_point last;
        persist([&] { return m.endpoint.flush(c, last); });
        m.endpoint.close_channel(c);
      });
    if (m.pe == 1) m.wait([&] { return m.load(over) == 1; });
    for (std::thread& t : threads) t.join();
    const std::uint64_t one = 1;
    if (m.pe == 0) m.put(1, over, &one, sizeof one);
    m.flush();
    place.meet(m);
    if (m.pe == 1) {
      EXPECT_EQ(m.load(counter), n_threads * rounds);
    }
    place.meet(m);
  });
}

// The thread of a separate stream issues operations and then computes. Another thread of its PE makes progress.
TEST_P(every_transport, completes_operations_of_a_thread_that_computes) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    constexpr std::size_t bytes = 300000;
    transport::channel c;
    ASSERT_TRUE(m.endpoint.open_channel(c, transport::separate));
    const auto mine = pattern(bytes, m.pe), theirs = pattern(bytes, 1 - m.pe);
    std::uint64_t flag = 7;
    m.persist([&] { return m.endpoint.issue_later(c, transport::put_of(1 - m.pe, 64, mine.data(), bytes)); });
    transport::flush_point fence, flush;
    m.persist([&] { return m.endpoint.fence(c, fence); });
    m.persist([&] { return m.endpoint.issue_later(c, transport::put_of(1 - m.pe, 0, &flag, sizeof flag)); });
    m.wait([&] { return m.load(0) == 7; });
    EXPECT_EQ(std::memcmp(m.slice() + 64, theirs.data(), bytes), 0);
    m.persist([&] { return m.endpoint.flush(c, flush); });
    place.meet(m);
    m.endpoint.close_channel(c);
  });
}

TEST_P(every_transport, signals_behind_the_data) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    if (!m.endpoint.has_put_signal()) return place.meet(m);
    for (std::uint64_t round = 1; round <= 50 && m.pe == 0; ++round) {
      const auto text = pattern(2000, static_cast<int>(round));
      completion c{1};
      m.persist([&] {
        return m.endpoint.issue(
            m.channel,
            transport::put_signal_of(1, {0, text.data(), text.size(), 8192, 1, transport::signal_op::add}, &c));
      });
      m.wait([&] { return c.pending.load() == 0; });
      m.wait([&] { return m.load(8192) == round; });
    }
    for (std::uint64_t round = 1; round <= 50 && m.pe == 1; ++round) {
      m.wait([&] { return m.load(8192) == round; });
      EXPECT_EQ(std::memcmp(m.slice(), pattern(2000, static_cast<int>(round)).data(), 2000), 0);
      m.put(0, 8192, &round, sizeof round);
    }
    m.flush();
    place.meet(m);
  });
}

// An ordered stream has no acknowledgements, so the order of its signals must prove that earlier puts have arrived.
TEST_P(every_transport, keeps_signals_of_an_ordered_stream_behind_its_puts) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    constexpr std::uint64_t large = 0, small = 100000, word = 102400, rounds = 50;
    if (!m.endpoint.query().signals_in_order) return place.meet(m);
    transport::channel ordered;
    ASSERT_TRUE(m.endpoint.open_channel(ordered, transport::ordered));
    const auto signal = [&](std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t value) {
      completion c{1};
      m.persist([&] {
        return m.endpoint.issue(
            ordered, transport::put_signal_of(1, {to, from, bytes, word, value, transport::signal_op::set}, &c));
      });
      m.wait([&] { return c.pending.load() == 0; });
    };
    for (std::uint64_t round = 1; round <= rounds && m.pe == 0; ++round) {
      const auto text = pattern(50000, static_cast<int>(round));
      completion c{1};
      m.persist([&] { return m.endpoint.issue(ordered, transport::put_of(1, large, text.data(), text.size(), &c)); });
      m.wait([&] { return c.pending.load() == 0; });
      for (std::uint64_t k = 1; k <= 3; ++k) signal(small, text.data(), 200 * k, 4 * round + k);
      m.wait([&] { return m.load(word) == round; });
    }
    for (std::uint64_t round = 1, last = 0; round <= rounds && m.pe == 1; ++round) {
      const auto text = pattern(50000, static_cast<int>(round));
      m.wait([&] { return m.load(word) > 4 * round; });
      EXPECT_EQ(std::memcmp(m.slice() + large, text.data(), text.size()), 0);
      m.wait([&] {
        EXPECT_LE(last, m.load(word)) << "signals overtake each other";
        return (last = m.load(word)) == 4 * round + 3;
      });
      EXPECT_EQ(std::memcmp(m.slice() + small, text.data(), 600), 0);
      m.put(0, word, &round, sizeof round);
    }
    m.flush();
    place.meet(m);
    m.endpoint.close_channel(ordered);
  });
}

// Memory of this process, which has all PEs, in MiB.
std::size_t resident_mib() {
  std::size_t all = 0, resident = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == nullptr || fscanf(file, "%zu %zu", &all, &resident) != 2) ADD_FAILURE() << "no /proc/self/statm";
  if (file != nullptr) fclose(file);
  return resident * static_cast<std::size_t>(getpagesize()) >> 20;
}

// The memory of a sanitizer grows too.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t most_mib = std::size_t{1} << 20;
#else
constexpr std::size_t most_mib = 48;
#endif

// The kinds of operations of which a program may have many between two flushes.
using issue = void (*)(member& m, int to, std::uint64_t* result);
struct kind_of_operation {
  const char* name;
  issue begin;
};
constexpr kind_of_operation many_at_once[] = {
    {"put",
     [](member& m, int to, std::uint64_t*) {
       static const std::uint64_t word = 7;
       m.put_nbi(to, 64, &word, sizeof word);
     }},
    {"get", [](member& m, int to, std::uint64_t* result) { m.get_nbi(to, result, 128, sizeof *result); }},
    {"atomic", [](member& m, int to,
                  std::uint64_t*) { m.atomic_nbi(to, 192, {operation::add, width::eight, false, 1, 0}, nullptr); }},
    {"fetching atomic",
     [](member& m, int to, std::uint64_t* result) {
       m.atomic_nbi(to, 256, {operation::add, width::eight, true, 1, 0}, result);
     }},
    {"signal",
     [](member& m, int to, std::uint64_t*) {
       const transport::put_signal_args args{0, nullptr, 0, 320, 1, transport::signal_op::add};
       m.persist([&] { return m.endpoint.issue_later(m.channel, transport::put_signal_of(to, args)); });
     }},
};

// Both PEs have many operations towards each other, and no flush. Or PE 1 computes, and only looks at the network now
// and then. The queues of the library are bounded, and so are those of a provider.
void issue_many(member& m, meeting_point& place, const kind_of_operation& what, bool computes,
                std::atomic<bool>& over) {
  constexpr int count = 20000;
  std::uint64_t result = 0;
  place.meet(m);
  const std::size_t before = resident_mib();
  if (!computes || m.pe == 0) {
    for (int i = 0; i < count; ++i) what.begin(m, 1 - m.pe, &result);
    over.store(true);
  }
  while (computes && m.pe == 1 && !over.load()) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    m.endpoint.progress();
  }
  m.flush();
  place.meet(m);
  EXPECT_LE(resident_mib(), before + most_mib) << what.name << (computes ? ", the target computes" : "");
  place.meet(m);
}

// The rule: when an operation is complete locally, or a flush has ended, its source is not read any more. PE 0 changes
// the source then, at once. The connection is full of other messages, and PE 1 receives late and slowly, so most
// operations still wait in a queue of PE 0.
struct borrowed_source {
  bool is_ordered, has_signal, is_flushed;  // not flushed: PE 0 waits for the local completion
  std::atomic<std::uint64_t> n_floods{0};
};

void change_the_source(member& m, meeting_point& place, borrowed_source& how) {
  constexpr std::uint64_t data = 1 << 20, flag = slice_bytes - 64, counter = slice_bytes - 128;
  constexpr std::size_t all[] = {8, 128, 129, 1000, 4096, 4097, 16384, 16385, 100001}, flood_bytes = 16384,
                        n_flood = 400;
  transport::channel own;
  ASSERT_TRUE(m.endpoint.open_channel(own, how.is_ordered ? transport::ordered : 0u));
  const std::vector<char> flood(flood_bytes);
  std::uint64_t round = 0;
  const auto signal = [&](std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t value,
                          completion* local) {
    const transport::put_signal_args args{to, from, bytes, flag, value, transport::signal_op::set};
    m.persist([&] { return m.endpoint.issue(own, transport::put_signal_of(1, args, local)); });
  };
  for (const std::size_t bytes : all) {
    ++round;
    const auto text = pattern(bytes, static_cast<int>(round));
    auto source = text;
    place.meet(m);
    if (m.pe == 0) {
      const transport::put_signal_args fill{0, flood.data(), flood_bytes, counter, 1, transport::signal_op::add};
      for (std::size_t i = 0; i < n_flood; ++i)
        m.persist([&] { return m.endpoint.issue_later(m.channel, transport::put_signal_of(1, fill)); });
      how.n_floods.store(round);
      completion c{1};
      completion* const local = how.is_flushed ? nullptr : &c;
      if (how.has_signal)
        signal(data, source.data(), bytes, round, local);
      else
        m.persist([&] { return m.endpoint.issue(own, transport::put_of(1, data, source.data(), bytes, local)); });
      transport::flush_point point;
      if (how.is_flushed)
        m.persist([&] { return m.endpoint.flush(own, point); });
      else
        m.wait([&] { return c.pending.load(std::memory_order_acquire) == 0; });
      std::fill(source.begin(), source.end(), char{-1});
      if (!how.has_signal) {
        transport::flush_point fence;
        completion last{1};
        m.persist([&] { return m.endpoint.fence(own, fence); });
        m.persist([&] { return m.endpoint.issue(own, transport::put_of(1, flag, &round, sizeof round, &last)); });
        m.wait([&] { return last.pending.load(std::memory_order_acquire) == 0; });
      }
      m.wait([&] { return m.load(flag) == round; });
    } else {
      while (how.n_floods.load() != round) std::this_thread::yield();
      while (m.load(flag) != round) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        m.endpoint.progress();
      }
      EXPECT_EQ(std::memcmp(m.slice() + data, text.data(), bytes), 0)
          << bytes << " bytes, " << (how.is_ordered ? "ordered, " : "") << (how.has_signal ? "with signal, " : "")
          << (how.is_flushed ? "flushed" : "locally complete");
      m.put(0, flag, &round, sizeof round);
    }
    m.flush();
  }
  place.meet(m);
  m.endpoint.close_channel(own);
}

TEST_P(every_transport, reads_no_source_after_completion) {
  const bool may_signal = GetParam().table->put_signal != nullptr;
  for (const bool is_ordered : {false, true})
    for (const bool has_signal : {false, true})
      for (const bool is_flushed : {false, true}) {
        if (has_signal && !may_signal) continue;
        borrowed_source how{is_ordered, has_signal, is_flushed};
        run_fleet(GetParam(), 2, [&](member& m, meeting_point& place) { change_the_source(m, place, how); });
      }
}

// Tests of prompt delivery, which chaos breaks on purpose.
class prompt_transport : public every_transport {};

TEST_P(prompt_transport, bounds_its_memory_whatever_is_in_flight) {
  for (const kind_of_operation& what : many_at_once)
    for (const bool computes : {false, true}) {
      std::atomic<bool> over{false};
      run_fleet(GetParam(), 2, [&](member& m, meeting_point& place) { issue_many(m, place, what, computes, over); });
    }
}

// An arrival wakes a PE that sleeps in poll().
TEST_P(prompt_transport, wakes_a_sleeper) {
  run_fleet(GetParam(), 2, [](member& m, meeting_point& place) {
    if (m.pe == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::uint64_t one = 1;
      m.put(1, 0, &one, sizeof one);
      m.flush();
    } else if (m.endpoint.wait_fd() >= 0 && m.endpoint.query().announces) {
      while (m.load(0) != 1) {
        if (m.endpoint.progress() != 0 || m.endpoint.may_block() != transport::blocking::until_readable) continue;
        pollfd where{m.endpoint.wait_fd(), POLLIN, 0};
        ASSERT_EQ(poll(&where, 1, 60000), 1) << "slept too long";
      }
    }
    place.meet(m);
  });
}

auto prompt_variants() {
  auto all = variants();
  std::erase_if(all, [](const auto& one) { return one.chaos_seed != 0; });
  return all;
}
INSTANTIATE_TEST_SUITE_P(all, every_transport, ::testing::ValuesIn(variants()), name_of_variant);
INSTANTIATE_TEST_SUITE_P(all, prompt_transport, ::testing::ValuesIn(prompt_variants()), name_of_variant);

}  // namespace
}  // namespace oshen::testing
