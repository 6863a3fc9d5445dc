// Counters near their wrap (design/counters.md): those of 32 bits, and those of 64 bits where 32 bits would not be
// enough. dest_test.cpp has the numbers of collectives, and teams_test.cpp the generations of handles.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <new>
#include <string>

#include "allocation/symmetric_heap.hpp"
#include "bootstrap/oshrun.hpp"
#include "coll/api/nonblocking.hpp"
#include "coll/nonblocking/engine.hpp"
#include "coll/nonblocking/queue.hpp"
#include "coll/team/form.hpp"
#include "op/amo.hpp"
#include "op/order.hpp"
#include "op/rma.hpp"
#include "support/calls.hpp"
#include "transport/loop/loop.hpp"
#include "wait/wake.hpp"
#include "world/network.hpp"
#include "world/thread_tickets.hpp"

namespace oshen {
namespace {

using testing::run_job;

constexpr std::uint64_t beyond_32_bits = std::uint64_t{1} << 32;

// ---- node ------------------------------------------------------------------------------------------------------

TEST(Wrap, ThreadsGetALockInTheOrderOfTheirTickets) {
  thread_tickets tickets;
  long lock = 0;
  tickets.count_from(UINT32_MAX - 2);
  std::array<thread_tickets::ticket, 6> all{};
  for (auto& ticket : all) ticket = tickets.take(&lock);
  for (std::size_t turn = 0; turn < all.size(); ++turn) {
    for (std::size_t i = turn; i < all.size(); ++i) EXPECT_EQ(all[i].is_served(), i == turn) << i << ", " << turn;
    EXPECT_FALSE(tickets.take_if_free(&lock));
    tickets.leave(&lock);
  }
  EXPECT_TRUE(tickets.take_if_free(&lock));
  tickets.leave(&lock);
}

TEST(Wrap, EveryWakeUpEndsTheSleep) {
  constexpr std::uint64_t at_most = 60'000'000'000;
  run_job(1, [](world& w) {
    auto* x = static_cast<long*>(heap_calloc(w, "test", 1, sizeof(long)));
    wake_flag& wakeup = w.own_control().wakeup;
    wakeup.wakes.store(UINT32_MAX - 3);
    for (long i = 1; i <= 8; ++i) {
      sleeper s(w, x, sizeof(long));
      s.announce();
      EXPECT_TRUE(wake_for_all(wakeup));
      EXPECT_TRUE(s.sleep(at_most)) << i;
    }
    EXPECT_EQ(wakeup.wakes.load(), 4U);
  });
}

TEST(Wrap, ActivitiesAreRead) {
  bootstrap::activity a{};
  a.version.store(UINT32_MAX - 3);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    const std::string text = "wait " + std::to_string(i);
    bootstrap::post(a, text.c_str(), i);
    char seen[240];
    EXPECT_EQ(bootstrap::read_activity(a, seen), i);
    EXPECT_EQ(seen, text);
  }
}

// ---- collectives -------------------------------------------------------------------------------------------------

// A PE that leaves a sync sees what every other PE has stored before it.
void sync_often(team& t, std::uint64_t* entered) {
  const op::call_site here{&t.ctx, "test"};
  for (std::uint64_t i = 1; i <= 6; ++i) {
    for (int pe = 0; pe < t.n_pes; ++pe) op::p(here, entered + t.my_pe, i, pe);
    op::quiet(here);
    coll::sync_team(t, "test");
    for (int pe = 0; pe < t.n_pes; ++pe) ASSERT_GE(std::atomic_ref(entered[pe]).load(), i) << "PE " << pe;
    coll::sync_team(t, "test");
  }
}

// Each algorithm has a team of its own, so that no slot has numbers of an earlier team.
TEST(Wrap, SyncsPass32Bits) {
  for (const int node_pes : {0, 2})
    run_job(
        4,
        [](world& w) {
          for (const coll::algorithm* row : coll::registry()) {
            team* t = nullptr;
            ASSERT_EQ(coll::split_strided({&w.team_world, "test"}, 0, 1, 4, t), 0);
            if (row->collective == coll::kind::sync && testing::force(*t, *row, 0)) {
              auto* entered = static_cast<std::uint64_t*>(heap_calloc(w, "test", 4, sizeof(std::uint64_t)));
              t->syncs = t->checked_syncs = t->tables = beyond_32_bits - 4;
              sync_often(*t, entered);
            }
            coll::dissolve(*t, "test");
          }
        },
        std::size_t{4} << 20, node_pes);
}

TEST(Wrap, TeamsAreFormedAndEndedPast32Bits) {
  run_job(3, [](world& w) {
    w.team_world.formations = beyond_32_bits - 3;
    for (auto& ended : w.own_control().endings) ended.store(beyond_32_bits - 3);
    coll::sync_team(w.team_world, "test");
    for (int i = 0; i < 6; ++i) {
      team* t = nullptr;
      ASSERT_EQ(coll::split_strided({&w.team_world, "test"}, 0, 1, 3, t), 0);
      coll::sync_team(*t, "test");
      coll::dissolve(*t, "test");
    }
  });
}

// The lower half of a request's handle holds the low bits of the operation's number.
void count_from(coll::async::queue& q, team& t, std::uint64_t number) {
  const os::locked hold(q.lock);
  q.started.store(number);
  q.ended = number;
  for (auto& done : q.done) done.store(number);
  q.writable = number + request_flag_count;
  t.own_slot().nonblocking.ended.store(number);
}

TEST(Wrap, RequestsPassTheLowHalfOfTheirHandle) {
  run_job(3, [](world& w) {
    constexpr int in_flight = 5, rounds = 4;
    team& t = w.team_world;
    auto* source = static_cast<long*>(heap_calloc(w, "test", in_flight, sizeof(long)));
    auto* dest = static_cast<long*>(heap_calloc(w, "test", in_flight, sizeof(long)));
    const coll::team_call here{&t, "test"};
    const auto start = [&](int i) { return coll::async::reduce<coll::op_sum>(here, dest + i, source + i, 1); };
    coll::async::wait(t, start(0), "test");
    coll::async::claim(t);
    coll::sync_team(t, "test");
    coll::async::progress_engine& e = *w.background.engine.load();
    count_from(*e.queues[t.slot].load(), t, beyond_32_bits - 7);
    coll::sync_team(t, "test");
    for (int round = 0; round < rounds; ++round) {
      std::uint64_t requests[in_flight];
      for (int i = 0; i < in_flight; ++i) {
        source[i] = 100 * round + 10 * i + w.pe;
        requests[i] = start(i);
      }
      for (int i = in_flight - 1; i >= 0; --i) {
        EXPECT_EQ(coll::async::full_number(t, static_cast<std::uint32_t>(requests[i])), requests[i]);
        coll::async::wait(t, requests[i], "test");
        coll::async::claim(t);
        EXPECT_EQ(dest[i], 3 * (100 * round + 10 * i) + 3);
      }
    }
  });
}

// ---- network -----------------------------------------------------------------------------------------------------

// Chaos delays data, but not beyond the fence behind it, whatever the number of that fence.
TEST(Wrap, FencesOrderPuts) {
  run_job(
      2,
      [](world& w) {
        constexpr long rounds = 40;
        const op::call_site here{&w.default_context, "test"};
        auto* x = static_cast<long*>(heap_calloc(w, "test", 2, sizeof(long)));
        transport::own(w.beyond->default_channel.handle)->epoch = UINT32_MAX - 5;
        w.beyond->progress.program_advances.store(UINT32_MAX - 5);
        w.beyond->progress.wakes.store(UINT32_MAX - 5);
        coll::sync_team(w.team_world, "test");
        for (long i = 1; i <= rounds; ++i) {
          if (w.pe == 0) {
            op::p(here, x, i, 1);
            op::fence(here);
            op::p(here, x + 1, i, 1);
          } else {
            wait_for(w, {.routine = "test"}, [&] { return std::atomic_ref(x[1]).load() == i; });
            EXPECT_EQ(std::atomic_ref(x[0]).load(), i);
          }
          coll::sync_team(w.team_world, "test");
        }
      },
      std::size_t{4} << 20, 1, 1);
}

// ---- start-up ------------------------------------------------------------------------------------------------------

// A PE of the job whose page is `fd`: true if every allgather is right.
bool gathers(int fd, int pe, int n_pes) {
  setenv(bootstrap::job_fd_variable, std::to_string(fd).c_str(), 1);
  setenv(bootstrap::pe_variable, std::to_string(pe).c_str(), 1);
  bootstrap::oshrun launcher;
  if (launcher.join() != status::ok) return false;
  for (int round = 0; round < 6; ++round) {
    const int mine = 100 * round + pe;
    std::array<int, 8> all{};
    if (launcher.allgather(&mine, all.data(), sizeof mine) != status::ok) return false;
    for (int i = 0; i < n_pes; ++i)
      if (all[static_cast<std::size_t>(i)] != 100 * round + i) return false;
  }
  return true;
}

TEST(Wrap, BarriersOfTheJobPage) {
  constexpr int n_pes = 3;
  const int fd = memfd_create("oshen test", 0);
  ASSERT_EQ(ftruncate(fd, static_cast<off_t>(bootstrap::job_bytes(n_pes))), 0);
  void* memory = mmap(nullptr, bootstrap::job_bytes(n_pes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* page = new (memory) bootstrap::job_page{};
  page->magic = bootstrap::job_magic;
  page->record_bytes = sizeof(bootstrap::pe_record);
  page->n_pes = n_pes;
  page->generation.store(UINT32_MAX - 3);
  for (int i = 0; i < n_pes; ++i) bootstrap::records(page)[i].barriers.store(UINT32_MAX - 3);
  pid_t children[n_pes];
  for (int pe = 0; pe < n_pes; ++pe)
    if ((children[pe] = fork()) == 0) _exit(gathers(fd, pe, n_pes) ? 0 : 1);
  for (const pid_t child : children) {
    int how = 0;
    EXPECT_EQ(waitpid(child, &how, 0), child);
    EXPECT_EQ(how, 0);
  }
  EXPECT_EQ(page->generation.load(), 8U);
  munmap(memory, bootstrap::job_bytes(n_pes));
  close(fd);
}

}  // namespace
}  // namespace oshen
