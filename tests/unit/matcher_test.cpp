// Matched messages, one by one.
#include "coll/protocol/matcher.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "allocation/symmetric_heap.hpp"
#include "os/process.hpp"
#include "support/thread_job.hpp"

namespace oshen::coll {
namespace {

using testing::run_job;

void await_stage(const std::atomic<int>& stage, int wanted) {
  while (stage.load() < wanted) os::nap(50000);
}

// One message finds the inbox full. The next message begins when there is room again, and must not take that room
// first.
TEST(Messages, OfOnePeStayInOrder) {
  constexpr int many = inbox_slots + 2;
  std::atomic<int> stage{0};
  run_job(2, [&](world& w) {
    const collective_call call{.members = w.team_world, .routine = "test"};
    matcher m(call);
    std::array<int, many> numbers{};
    std::array<matched_message, many> messages{};
    for (std::size_t i = 0; i < many; ++i) {
      if (w.pe == 0) numbers[i] = static_cast<int>(i);
      char* const data = reinterpret_cast<char*>(&numbers[i]);
      messages[i] = {.pe = 1 - w.pe, .tag = m.tag(0), .data = data, .bytes = sizeof(int)};
    }
    if (w.pe == 0) {
      for (std::size_t i = 0; i + 1 < many; ++i) m.send(messages[i]);
      EXPECT_FALSE(messages[many - 2].done);
      stage = 1;
      await_stage(stage, 2);
      m.send(messages[many - 1]);
      EXPECT_FALSE(messages[many - 1].done);
      stage = 3;
      m.complete_all();
    } else {
      await_stage(stage, 1);
      m.receive(messages[0]);
      m.complete(messages[0]);
      stage = 2;
      await_stage(stage, 3);
      for (std::size_t i = 1; i < many; ++i) {
        m.receive(messages[i]);
        m.complete(messages[i]);
      }
      for (std::size_t i = 0; i < many; ++i) EXPECT_EQ(numbers[i], static_cast<int>(i));
    }
  });
}

// Two large messages are offered at once, and both have been read when their sender tests for that.
TEST(Messages, OfferedAtOnceAreAnsweredApart) {
  constexpr std::size_t bytes = 2 * eager_payload;
  std::atomic<int> stage{0};
  run_job(2, [&](world& w) {
    auto* data = static_cast<char*>(heap_malloc(w, "test", 2 * bytes));
    for (std::size_t i = 0; i < 2 * bytes; ++i) data[i] = static_cast<char>(w.pe == 0 ? i % 127 + i / bytes : 0);
    const collective_call call{.members = w.team_world, .routine = "test"};
    matcher m(call);
    std::array<matched_message, 2> messages{};
    for (std::size_t i = 0; i < 2; ++i) {
      messages[i] = {.pe = 1 - w.pe, .tag = m.tag(0), .data = data + i * bytes, .bytes = bytes};
      if (w.pe == 0)
        m.send(messages[i]);
      else
        m.receive(messages[i]);
    }
    if (w.pe == 0) {
      await_stage(stage, 1);
      m.complete(messages[0]);
      ASSERT_TRUE(messages[1].done);
    } else {
      m.complete_all();
      stage = 1;
      for (std::size_t i = 0; i < 2 * bytes; ++i) ASSERT_EQ(data[i], static_cast<char>(i % 127 + i / bytes));
    }
  });
}

// The tag determines the receive that a message matches, not the order of receives. This holds for expected and
// unexpected messages.
TEST(Messages, GoWhereTheirTagSays) {
  for (const bool early : {false, true}) {
    run_job(2, [&](world& w) {
      const collective_call call{.members = w.team_world, .routine = "test"};
      matcher m(call);
      constexpr int sent[] = {1, 0, 1, 2}, asked[] = {0, 1, 1};  // tags; the first two of tag 1 come in order
      std::array<int, 4> numbers{};
      if (w.pe == 0) numbers = {10, 20, 30, 40};
      std::array<matched_message, 4> messages{};
      const auto prepare = [&](std::size_t i, int tag) {
        char* const data = reinterpret_cast<char*>(&numbers[i]);
        messages[i] = {.pe = 1 - w.pe, .tag = m.tag(tag), .data = data, .bytes = sizeof(int)};
      };
      if (w.pe == 0) {
        for (std::size_t i = 0; i < 4; ++i) {
          prepare(i, sent[i]);
          m.send(messages[i]);
        }
      } else {
        prepare(3, 2);
        m.receive(messages[3]);
        if (early) m.complete(messages[3]);  // the other messages have arrived unexpectedly
        for (std::size_t i = 0; i < 3; ++i) {
          prepare(i, asked[i]);
          m.receive(messages[i]);
        }
      }
      m.complete_all();
      EXPECT_EQ(numbers, w.pe == 0 ? (std::array{10, 20, 30, 40}) : (std::array{20, 10, 30, 40}));
    });
  }
}

}  // namespace
}  // namespace oshen::coll
