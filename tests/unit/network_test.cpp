// Collectives across nodes. A hook on the transport of every PE counts messages and bytes, which must equal those of
// the schedule. Two-level algorithms give right results on teams of any shape.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "coll/team/form.hpp"
#include "op/strided.hpp"
#include "support/calls.hpp"
#include "support/extension_calls.hpp"
#include "wait/progress.hpp"
#include "world/network.hpp"

namespace oshen::coll {
namespace {

using testing::arena;
using testing::call;
using testing::run_job;
using count = std::size_t;

// Messages between pairs of PEs of the job; thread-safe.
struct tally : transport::traffic_hook {
  explicit tally(int pe) : traffic_hook{see}, from(pe) {}
  static void see(traffic_hook& self, transport::traffic what, int pe, std::size_t bytes) {
    auto& mine = static_cast<tally&>(self);
    const std::lock_guard hold(mine.lock);
    (what == transport::traffic::atomic_request ? mine.questions : mine.puts) += 1;
    mine.bytes += bytes;
    ++mine.to[pe];
  }
  int from;
  std::mutex lock;
  count puts = 0, questions = 0, bytes = 0;
  std::map<int, count> to;
};

struct seen {
  count puts = 0, questions = 0, bytes = 0;
  bool operator==(const seen&) const = default;
};
std::ostream& operator<<(std::ostream& out, const seen& s) {
  return out << s.puts << " puts, " << s.questions << " questions, " << s.bytes << " bytes";
}

const algorithm& row_of(kind k, const char* name) {
  return *registry()[static_cast<std::size_t>(find_algorithm(k, name))];
}

// The messages and bytes that one call of the algorithm sends over the network, from all PEs together, with root 0.
class counting {
 public:
  // Counts a call on PE `w`.
  template <class Call>
  void watch(world& w, Call call) {
    tally mine(w.pe);
    w.beyond->endpoint.observe(&mine);
    call();
    w.beyond->endpoint.observe(nullptr);
    const std::lock_guard hold(lock_);
    all_.puts += mine.puts;
    all_.questions += mine.questions;
    all_.bytes += mine.bytes;
    EXPECT_EQ(mine.to.count(w.pe), 0u);
    for (const auto& [pe, messages] : mine.to) EXPECT_FALSE(w.is_near(pe)) << "a message to a PE of the node";
  }
  const seen& all() const { return all_; }

 private:
  std::mutex lock_;
  seen all_;
};

void count_call(counting& all, world& w, const algorithm& row, count bytes) {
  team& t = w.team_world;
  arena a(w, std::size_t{4} << 20);
  ASSERT_TRUE(testing::force(t, row, bytes)) << row.name;
  call c(row.collective, t, a, bytes, 0);
  sync_team(t, "test");
  all.watch(w, [&] { row.collective == kind::sync ? sync_team(t, "test") : c.run(); });
  sync_team(t, "test");
  if (row.collective != kind::sync) c.holds(row.name);
}

// Counts the collectives of shmemx.h, in words of 8 bytes; for different lengths, those of the first round.
void count_extension(counting& all, world& w, const algorithm& row, count bytes) {
  const count words = bytes / sizeof(testing::extensions::number);
  const testing::extensions::buffers b(w);
  ASSERT_TRUE(testing::extensions::force(w.team_world, &row, words)) << row.name;
  testing::extensions::try_row(w.team_world, b, row, words, 0, [&](auto call) { all.watch(w, call); });
}

seen sent_by(int n_pes, int node_pes, kind k, const char* name, count bytes) {
  counting all;
  run_job(
      n_pes,
      [&](world& w) {
        (testing::extensions::check_of(k) != nullptr ? count_extension : count_call)(all, w, row_of(k, name), bytes);
      },
      std::size_t{8} << 20, node_pes);
  // For tests/stress/scale/model_test.py.
  const seen& sent = all.all();
  ::testing::Test::RecordProperty(
      std::string(name_of(k)) + "." + name + "." + std::to_string(n_pes) + "." + std::to_string(node_pes) + "." +
          std::to_string(bytes),
      std::to_string(sent.puts) + " " + std::to_string(sent.questions) + " " + std::to_string(sent.bytes));
  return sent;
}

constexpr count flag = 8;

// Two nodes of four PEs: each leader signals the other.
TEST(NetworkMessages, OfABarrier) {
  EXPECT_EQ(sent_by(8, 4, kind::sync, "hierarchical", 0), (seen{2, 0, 2 * flag}));
  EXPECT_EQ(sent_by(8, 2, kind::sync, "hierarchical", 0), (seen{8, 0, 8 * flag}));     // four leaders, two rounds
  EXPECT_EQ(sent_by(7, 3, kind::sync, "hierarchical", 0), (seen{6, 0, 6 * flag}));     // nodes of 3, 3 and 1
  EXPECT_EQ(sent_by(8, 4, kind::sync, "dissemination", 0), (seen{14, 0, 14 * flag}));  // 2, 4 and 8 in its rounds
}

// A message is a payload and its flag. The payload is put separately, or fits into a step slot beside the flag.
TEST(NetworkMessages, OfABroadcast) {
  EXPECT_EQ(sent_by(8, 4, kind::broadcast, "hierarchical-put", 64), (seen{2, 0, 64 + flag}));
  EXPECT_EQ(sent_by(9, 3, kind::broadcast, "hierarchical-put", 8192), (seen{4, 0, 2 * (8192 + flag)}));
  EXPECT_EQ(sent_by(3, 1, kind::broadcast, "chain-put", 200000), (seen{8, 0, 2 * (200000 + 2 * flag)}));
  // The root sends a block and a flag to every far PE.
  EXPECT_EQ(sent_by(8, 4, kind::broadcast, "linear-put", 64), (seen{8, 0, 4 * (64 + flag)}));
  // In a large team the deposits are counted, by an AM request, whose reply is not counted here.
  EXPECT_EQ(sent_by(29, 15, kind::broadcast, "linear-put", 64), (seen{14, 14, 14 * (64 + flag)}));
}

TEST(NetworkMessages, OfAReduction) {
  EXPECT_EQ(sent_by(8, 4, kind::reduce, "hierarchical-put", 64), (seen{4, 0, 2 * (64 + flag)}));
  EXPECT_EQ(sent_by(8, 4, kind::reduce, "recursive-doubling-put", 64), (seen{16, 0, 8 * (64 + flag)}));
  // Vectors that exceed a step slot have a reserved place if they are short. For long ones, the receiver first sends a
  // flag that it is ready: three messages for each vector.
  EXPECT_EQ(sent_by(8, 4, kind::reduce, "hierarchical-put", 1024), (seen{4, 0, 2 * (1024 + flag)}));
  EXPECT_EQ(sent_by(8, 4, kind::reduce, "recursive-doubling-put", 1024), (seen{16, 0, 8 * (1024 + flag)}));
  EXPECT_EQ(sent_by(8, 4, kind::reduce, "hierarchical-put", 8192), (seen{6, 0, 2 * (8192 + 2 * flag)}));
  EXPECT_EQ(sent_by(8, 4, kind::reduce, "recursive-doubling-put", 8192), (seen{24, 0, 8 * (8192 + 2 * flag)}));
  // Three leaders: one first sends its data to another, and receives the result at the end.
  EXPECT_EQ(sent_by(6, 2, kind::reduce, "hierarchical-put", 64), (seen{8, 0, 4 * (64 + flag)}));
  EXPECT_EQ(sent_by(6, 2, kind::reduce, "hierarchical-put", 2048), (seen{8, 0, 4 * (2048 + flag)}));
  // Two PEs exchange a short vector whole: operands with their flag, and a credit. Of a longer one each sends half in
  // two chunks, and then half of the result. With three PEs two segments of one chunk go round, each with a credit,
  // then two segments of results.
  EXPECT_EQ(sent_by(2, 1, kind::reduce, "ring-put", 512 << 10),
            (seen{2 * (2 + 1), 0, 2 * ((512 << 10) + (1 + 1) * flag)}));
  EXPECT_EQ(sent_by(2, 1, kind::reduce, "ring-put", 1536 << 10),
            (seen{2 * (4 * 2 + 2), 0, 2 * ((1536 << 10) + (4 + 2) * flag)}));
  EXPECT_EQ(sent_by(3, 1, kind::reduce, "ring-put", 1536 << 10),
            (seen{3 * (2 * 4 + 2), 0, 3 * (4 * (512 << 10) + (4 + 2) * flag)}));
}

// Each block is sent to each node once: n b bytes for every other node. Flat schedules send it to every PE.
TEST(NetworkMessages, OfAnAllgather) {
  EXPECT_EQ(sent_by(8, 4, kind::fcollect, "hierarchical-put", 64), (seen{4, 0, 2 * (4 * 64 + flag)}));
  EXPECT_EQ(sent_by(6, 2, kind::fcollect, "hierarchical-put", 64).bytes, 2 * 6 * 64 + 6 * flag);
  EXPECT_EQ(sent_by(8, 4, kind::fcollect, "linear-put", 64), (seen{64, 0, 32 * (64 + flag)}));
}

// The blocks of a node for another node are one message.
TEST(NetworkMessages, OfAnAlltoall) {
  EXPECT_EQ(sent_by(8, 4, kind::alltoall, "hierarchical-put", 16), (seen{4, 0, 2 * (16 * 16 + flag)}));
  EXPECT_EQ(sent_by(8, 4, kind::alltoall, "hierarchical-put", 64), (seen{6, 0, 2 * (16 * 64 + 2 * flag)}));
  EXPECT_EQ(sent_by(8, 4, kind::alltoall, "pairwise-put", 16), (seen{64, 0, 32 * (16 + flag)}));
}

// One message from each PE to each other node, and not one to each PE there. Syncs of the leaders are before and after.
TEST(NetworkMessages, OfAnAlltoallByAllPes) {
  const auto sent = [](int pes, int node_pes, count messages, count message, count flags_of_syncs) {
    for (const kind k : {kind::alltoall, kind::alltoalls})
      EXPECT_EQ(sent_by(pes, node_pes, k, "multi-leader-put", message / static_cast<count>(node_pes)),
                (seen{messages + flags_of_syncs, messages, messages * (message + flag) + flags_of_syncs * flag}));
  };
  sent(8, 4, 8, 4 * 64, 2 * 2);
  sent(8, 2, 8 * 3, 2 * 64, 2 * 8);
  // A PE receives two messages of 64 KiB, one after the other: three syncs.
  sent(6, 2, 6 * 2, 2 * 32768, 3 * 6);
}

// Each PE of a node exchanges its share with its counterpart, in halves. The first half exceeds a step slot, so that
// the receiver first signals that it is ready.
TEST(NetworkMessages, OfAReductionInShares) {
  EXPECT_EQ(sent_by(8, 4, kind::reduce, "multi-leader-put", 8192), (seen{8 * 5, 0, 8 * (2 * 1024 + 3 * flag)}));
  // Nodes of 3, 3 and 1 PEs: one share. One leader first sends its data to another, and receives the result at the end.
  EXPECT_EQ(sent_by(7, 3, kind::reduce, "multi-leader-put", 64), (seen{12, 0, 2 * (64 + flag) + 4 * (32 + flag)}));
}

// One message from node to node. Flat algorithms send the sum of each PE.
TEST(NetworkMessages, OfAScan) {
  for (const kind k : {kind::inscan, kind::exscan}) {
    EXPECT_EQ(sent_by(8, 4, k, "hierarchical-put", 64), (seen{2, 0, 64 + flag}));
    EXPECT_EQ(sent_by(7, 3, k, "hierarchical-put", 64), (seen{6, 0, 3 * (64 + flag)}));
  }
  EXPECT_EQ(sent_by(8, 4, kind::inscan, "hillis-steele-put", 64), (seen{14, 0, 7 * (64 + flag)}));
}

// Blocks that are adjacent in the root's dest are sent in one message, and a deposit acknowledges their arrival.
TEST(NetworkMessages, OfAGather) {
  EXPECT_EQ(sent_by(8, 4, kind::gather, "hierarchical-put", 64), (seen{1, 1, 4 * 64 + flag}));
  EXPECT_EQ(sent_by(7, 3, kind::gather, "hierarchical-put", 64), (seen{2, 2, 4 * 64 + 2 * flag}));
  EXPECT_EQ(sent_by(8, 4, kind::gather, "linear-put", 64), (seen{8, 0, 4 * (64 + flag)}));
  // Four positions of 16 bytes in one step slot; the blocks of 1, 0, 2 and 0 words are not adjacent.
  EXPECT_EQ(sent_by(8, 4, kind::gatherv, "hierarchical-put", 64), (seen{4, 1, 4 * 16 + flag + 3 * 8 + flag}));
  EXPECT_EQ(sent_by(8, 4, kind::gatherv, "linear-put", 64), (seen{14, 0, 4 * (16 + flag) + 3 * 8 + 4 * flag}));
}

// The blocks of a node arrive in one message: in a step slot, or after the leader has signalled that it has room.
TEST(NetworkMessages, OfAScatter) {
  EXPECT_EQ(sent_by(8, 4, kind::scatter, "hierarchical-put", 64), (seen{2, 0, 4 * 64 + flag}));
  EXPECT_EQ(sent_by(8, 4, kind::scatter, "hierarchical-put", 256), (seen{2, 1, 4 * 256 + 2 * flag}));
  EXPECT_EQ(sent_by(8, 4, kind::scatter, "linear-put", 64), (seen{8, 0, 4 * (64 + flag)}));
  // Four lengths, and blocks of 1, 2, 4 and 0 words.
  EXPECT_EQ(sent_by(8, 4, kind::scatterv, "hierarchical-put", 64), (seen{4, 1, 4 * 8 + flag + 7 * 8 + 2 * flag}));
}

TEST(NetworkMessages, OfAReduceScatter) {
  EXPECT_EQ(sent_by(8, 4, kind::reduce_scatter, "hierarchical-put", 64), (seen{4, 0, 2 * (4 * 64 + flag)}));
  EXPECT_EQ(sent_by(8, 2, kind::reduce_scatter, "hierarchical-put", 64), (seen{24, 0, 12 * (2 * 64 + flag)}));
}

// Two levels: sixteen positions of 16 bytes in each direction, then a message with few words. Flat: 32 positions, as
// many blocks, and a flag for each position and block, between two syncs.
TEST(NetworkMessages, OfAnAlltoallv) {
  EXPECT_EQ(sent_by(8, 4, kind::alltoallv, "hierarchical-put", 64),
            (seen{8, 0, 2 * (16 * 16 + flag) + 200 + flag + 168 + flag}));
}

// Without a setting, the library chooses the algorithm that sends least.
TEST(NetworkMessages, TwoLevelsAreChosen) {
  run_job(
      8,
      [](world& w) {
        team& t = w.team_world;
        EXPECT_STREQ(algorithm_for(t, kind::sync, 0).name, "hierarchical");
        for (const kind k : {kind::broadcast, kind::reduce, kind::fcollect, kind::alltoall, kind::reduce_to_root,
                             kind::inscan, kind::exscan, kind::gather, kind::gatherv, kind::scatter, kind::scatterv,
                             kind::reduce_scatter, kind::alltoallv})
          EXPECT_STREQ(algorithm_for(t, k, size_class(64)).name, "hierarchical-put") << name_of(k);
        EXPECT_STREQ(algorithm_for(t, kind::reduce, size_class(std::size_t{4} << 20)).name, "multi-leader-put");
        EXPECT_STRNE(algorithm_for(w.team_shared, kind::sync, 0).name, "hierarchical");  // one node has one level
      },
      std::size_t{4} << 20, 4);
  run_job(
      3,
      [](world& w) {  // one PE on each node, so that there are no leaders
        EXPECT_STREQ(algorithm_for(w.team_world, kind::sync, 0).name, "dissemination");
      },
      std::size_t{4} << 20, 1);
}

// Two nodes of one PE each: one step for short vectors, and no bounce buffer for long ones.
TEST(NetworkMessages, ReductionsBetweenTwo) {
  run_job(
      2,
      [](world& w) {
        const auto chosen = [&](count bytes) {
          return std::string(algorithm_for(w.team_world, kind::reduce, size_class(bytes)).name);
        };
        for (const count bytes : {8u, 1024u, 2048u}) EXPECT_EQ(chosen(bytes), "recursive-doubling-put") << bytes;
        for (const count kib : {64u, 1024u, 8192u}) EXPECT_EQ(chosen(kib << 10), "ring-put") << kib << " KiB";
      },
      std::size_t{4} << 20, 1);
}

// ---- blocks -------------------------------------------------------------------------------------------------------

// Counts the gets that begin while the previous one is under way, so that its word has not arrived.
struct overlap : transport::traffic_hook {
  static constexpr long nothing = -1;
  overlap() : traffic_hook{see} { words.fill(nothing); }
  // A look at a word that the transport may write at the same time: ThreadSanitizer must not see it.
  [[gnu::no_sanitize_thread]] static void see(traffic_hook& self, transport::traffic, int, std::size_t) {
    auto& mine = static_cast<overlap&>(self);
    if (mine.begun != 0)
      mine.overlapping += *static_cast<volatile long*>(&mine.words.data()[mine.begun - 1]) == nothing;
    ++mine.begun;
  }
  std::array<long, 64> words;
  count begun = 0, overlapping = 0;
};

// With a round trip for each block they would be as slow as separate calls.
TEST(NetworkBlocks, AreUnderWayTogether) {
  run_job(
      2,
      [](world& w) {
        overlap seen;
        const count n = seen.words.size();
        arena a(w, std::size_t{1} << 16);
        auto* source = reinterpret_cast<long*>(a.take(2 * n * sizeof(long)));
        for (count i = 0; i < 2 * n; ++i) source[i] = static_cast<long>(i);
        sync_team(w.team_world, "test");
        w.beyond->endpoint.observe(&seen);
        op::ibget({&w.default_context, "test"}, seen.words.data(), source, {1, 2, 1, n}, 1 - w.pe);
        w.beyond->endpoint.observe(nullptr);
        EXPECT_EQ(seen.begun, n);
        EXPECT_GT(seen.overlapping, 0u);
        for (count i = 0; i < n; ++i) EXPECT_EQ(seen.words[i], static_cast<long>(2 * i));
        sync_team(w.team_world, "test");
      },
      std::size_t{4} << 20, 1);
}

// ---- waiting ------------------------------------------------------------------------------------------------------

// An arrival itself wakes the thread that waits for a far PE, without another thread of its PE.
TEST(NetworkWaits, SleepWhereTheyAreWokenAtOnce) {
  for (const int node_pes : {1, 2})
    run_job(
        2 * node_pes,
        [node_pes](world& w) {
          sync_team(w.team_world, "test");
          const auto& wakes = w.own_control().wakeup.wakes;
          const std::uint32_t before = wakes.load();
          for (int round = 0; round < 3; ++round) {
            if (w.pe == w.n_pes - 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
            sync_team(w.team_world, "test");
          }
          EXPECT_TRUE(node_pes != 1 || wakes.load() == before) << "somebody woke it";
          EXPECT_FALSE(w.beyond->progress.has_poller.load());
          EXPECT_EQ(w.beyond->progress.sleepers.load(), 0u);
        },
        std::size_t{4} << 20, node_pes);
}

// ---- teams of any shape -------------------------------------------------------------------------------------------

const std::pair<kind, const char*> two_levels[] = {
    {kind::broadcast, "hierarchical-put"}, {kind::reduce, "hierarchical-put"},    {kind::fcollect, "hierarchical-put"},
    {kind::collect, "hierarchical-put"},   {kind::alltoall, "hierarchical-put"},  {kind::reduce, "multi-leader-put"},
    {kind::alltoall, "multi-leader-put"},  {kind::alltoalls, "multi-leader-put"}, {kind::inscan, "hierarchical-put"},
    {kind::exscan, "hierarchical-put"}};
const kind extended[] = {kind::gather,         kind::gatherv,        kind::scatter,  kind::scatterv,
                         kind::reduce_to_root, kind::reduce_scatter, kind::alltoallv};

// More words than leaders forward, or have room for.
constexpr count many = 6000;

// Tests the collectives of shmemx.h, with every root.
void try_extensions(team& t, const testing::extensions::buffers& b) {
  for (const kind k : extended)
    for (const count words : {count{1}, count{100}, many})
      for (int round = 0; round < 2 * t.n_pes; ++round) {
        const algorithm& row = row_of(k, "hierarchical-put");
        if (testing::extensions::force(t, &row, words)) testing::extensions::try_row(t, b, row, words, round);
      }
}

void try_two_levels(team& t, arena& a) {
  const auto row = static_cast<std::uint8_t>(find_algorithm(kind::sync, "hierarchical"));
  t.chosen_algorithms[static_cast<int>(kind::sync)][0] = row;
  for (const auto& [k, name] : two_levels)
    for (const count bytes : {count{8}, count{3000}, count{40000}})
      for (int round = 0; round < (k == kind::broadcast && bytes == 8 ? t.n_pes : 1); ++round) {  // every root once
        a.reset();
        if (!testing::force(t, row_of(k, name), bytes)) continue;
        call c(k, t, a, bytes, round);
        sync_team(t, "test");
        c.run();
        sync_team(t, "test");
        c.holds(std::string(name_of(k)) + "/" + name + " with " + std::to_string(bytes) + " bytes");
      }
}

// Nodes of 3, 3 and 2 PEs. The teams have different numbers of PEs on each node, and the PEs of a node are not
// adjacent.
TEST(TwoLevels, OnTeamsOfAnyShape) {
  run_job(
      8,
      [](world& w) {
        arena a(w, std::size_t{2} << 20);
        const testing::extensions::buffers b(w, many);
        const int round_robin[] = {0, 3, 6, 1, 4, 7, 2, 5}, mixed[] = {7, 2, 0, 6, 5}, lone[] = {4, 1, 2, 0};
        for (const membership& who :
             {membership{.n_pes = 8, .start = 0, .stride = 1}, membership{.n_pes = 8, .list = round_robin},
              membership{.n_pes = 5, .list = mixed}, membership{.n_pes = 4, .list = lone},
              membership{.n_pes = 4, .start = 7, .stride = -2}}) {
          if (who.find(w.pe) < 0) continue;
          team* t = form(w, who, "test");
          ASSERT_NE(t, nullptr);
          try_two_levels(*t, a);
          try_extensions(*t, b);
          dissolve(*t, "test");
        }
      },
      std::size_t{4} << 20, 3);
}

TEST(TwoLevels, UnderChaos) {
  run_job(
      5,
      [](world& w) {
        arena a(w, std::size_t{2} << 20);
        try_two_levels(w.team_world, a);
        try_extensions(w.team_world, testing::extensions::buffers(w, many));
      },
      std::size_t{4} << 20, 2, 7);
}

TEST(Domains, AreTheNodesOfATeam) {
  run_job(
      8,
      [](world& w) {
        const int pes[] = {6, 1, 7, 4, 0};
        const membership who{.n_pes = 5, .list = pes};
        if (who.find(w.pe) < 0) return;
        team* t = form(w, who, "test");
        ASSERT_NE(t, nullptr);
        const domains& d = domains_of(*t);
        EXPECT_EQ(d.count, 3);
        EXPECT_EQ(d.largest, 2);
        const int of[] = {0, 1, 0, 2, 1}, leaders[] = {0, 1, 3}, order[] = {0, 2, 1, 4, 3}, begin[] = {0, 2, 4, 5};
        EXPECT_TRUE(std::equal(of, of + 5, d.of));
        EXPECT_TRUE(std::equal(leaders, leaders + 3, d.leaders));
        EXPECT_TRUE(std::equal(order, order + 5, d.order));
        EXPECT_TRUE(std::equal(begin, begin + 4, d.begin));
        EXPECT_EQ(d.mine, of[t->my_pe]);
        dissolve(*t, "test");
      },
      std::size_t{4} << 20, 3);
}

}  // namespace
}  // namespace oshen::coll
