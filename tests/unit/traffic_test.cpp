// Proves the statements of the table of algorithms about messages and bytes. An observer counts every flag, copy and
// message of one call on all PEs. The counts must equal those of the schedule.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <optional>

#include "coll/shared_memory/peer_memory.hpp"
#include "support/calls.hpp"

namespace oshen::coll {
namespace {

using testing::arena;
using testing::call;
using testing::run_job;
using count = std::size_t;

// ---- counting -----------------------------------------------------------------------------------------------------

struct tally : observer {
  std::atomic<count> flags{0}, told{0}, copied{0}, messages{0}, sent{0};

  tally() : observer{see} {}
  static void see(observer& self, const team&, event what, int, std::size_t bytes) {
    auto& mine = static_cast<tally&>(self);
    switch (what) {
      case event::flag: mine.flags += 1, mine.told += bytes; return;
      case event::copy: mine.copied += bytes; return;
      case event::message: mine.messages += 1, mine.sent += bytes; return;
      case event::sync: return;
      case event::received: return;
    }
  }
  void clear() { flags = told = copied = messages = sent = 0; }
};

// ---- the acts of schedules ------------------------------------------------------------------------------------------

// The number of acts of each kind of a protocol (coll/protocol/README.md), and the bytes of all of them.
struct act {
  count times = 0, bytes = 0;
};
struct acts {
  act send{}, pass{}, trade{}, deposit{}, give{};
  count later = 0;  // passes that are not the first of their step, so that the step slot is occupied
  count ready = 0;  // one-sided only
  count posts = 0;  // slot offers, single-copy only
};

count ceil_div(count a, count b) { return (a + b - 1) / b; }
count log2_floor(count n) { return static_cast<count>(std::bit_width(n)) - 1; }
count power(count n) { return std::bit_floor(n); }
act times(count n, count b) { return {n, n * b}; }

// PEs below a place of a binomial tree of n.
count below(count place, count n) { return std::min(place & (~place + 1), n - place); }

count scatter_messages(count n) {
  count messages = n - 1;
  for (count place = 1; place < n; ++place) messages += n - below(place, n);
  return messages;
}

count bruck_messages(count n) {
  count messages = 0;
  for (count width = 1; width < n; width *= 2)
    for (count pe = 0; pe < n; ++pe) messages += pe + std::min(width, n - width) > n ? 2 : 1;
  return messages;
}

acts bruck_alltoall(count n, count b) {
  acts a;
  for (count bit = 1; bit < n; bit *= 2) {
    count blocks = 0;
    for (count j = 1; j < n; ++j) blocks += (j & bit) != 0;
    a.send.times += n;
    a.send.bytes += n * blocks * b;
    if (blocks * b > step_payload) a.ready += n;
  }
  return a;
}

count hillis_steele_messages(count n) {
  count messages = 0;
  for (count far = 1; far < n; far *= 2) messages += n - far;
  return messages;
}

count blelloch_messages(count n) {
  count messages = 0;
  for (count half = 1; half < n; half *= 2) messages += n / (2 * half) + (n - half) / (2 * half);
  return messages;
}

// A short vector is posted by one flag. A longer one needs a credit of the leader.
acts hierarchical_reduce(count n, count b, count domain) {
  const count leaders = ceil_div(n, domain), p = power(leaders), others = n - leaders;
  const bool is_posted = b <= long_payload_bytes;
  return {.send = times(leaders - p, b),
          .pass = times(leaders - p, b),
          .trade = times(p * log2_floor(p), b),
          .deposit = times(is_posted ? 2 * others : others, b),
          .give = times(is_posted ? 0 : others, b),
          .posts = n};
}

constexpr count domain = 3;  // PEs of a domain in the jobs of the unit tests

// There are as many shares as PEs in the smallest domain; each is reduced by Rabenseifner's schedule between the
// domains.
acts multi_leader_reduce(count n, count b) {
  const count leaders = ceil_div(n, domain), p = power(leaders);
  const count shares = n % domain != 0 ? n % domain : domain;
  const act each_way{shares * (p * log2_floor(p) + leaders - p), (leaders - 1) * b};
  const count read = n * b, written = (n - leaders) * b;
  return {.send = each_way, .pass = each_way, .deposit = {shares * (n - leaders), read + written}, .ready = n};
}

// Within domains all PEs exchange their data. The last PE adds the data of the domains before, and signals the others.
acts hierarchical_scan(count n, count b) {
  const count leaders = ceil_div(n, domain);
  acts a{.pass = times(hillis_steele_messages(leaders), b), .ready = n};
  for (count i = 0; i < leaders; ++i) {
    const count own = std::min(domain, n - i * domain);
    a.deposit.times += own * (own - 1) + (i > 0 ? own - 1 : 0);
    a.deposit.bytes += own * b + (i > 0 ? own * b : 0);
  }
  return a;
}

// Counts the acts up to the leaders, between the leaders, down again, and the reads by the others.
acts hierarchical_fcollect(count n, count b) {
  const count leaders = ceil_div(n, domain), others = n - leaders;
  acts a{.deposit = times(others, b)};
  a.deposit.times += others;  // acknowledges their reads
  for (count width = 1; width < leaders; width *= 2)
    for (count at = 0; at < leaders; ++at) {
      ++a.send.times;
      for (count i = 0; i < std::min(width, leaders - width); ++i) {
        const count which = (at + leaders - i) % leaders;
        a.send.bytes += std::min(domain, n - which * domain) * b;
      }
    }
  a.send.times += others;
  a.send.bytes += others * n * b;
  return a;
}

// Within domains, blocks move directly; between domains they are packed, sent, and distributed.
acts hierarchical_alltoall(count n, count b) {
  const count leaders = ceil_div(n, domain);
  acts a{.deposit = {n - leaders, 0}};
  a.send = {n - leaders, 0};
  for (count i = 0; i < leaders; ++i) {
    const count own = std::min(domain, n - i * domain);
    a.send.bytes += own * (own - 1) * b;
    for (count k = 0; k < leaders; ++k) {
      if (k == i) continue;
      const count message = own * std::min(domain, n - k * domain) * b;
      a.send.times += 1;
      a.send.bytes += 3 * message;
      if (message > step_payload) a.ready += 1;
    }
  }
  return a;
}

// A message from each PE to each other domain, which is then distributed; blocks within a domain move directly.
acts multi_leader_alltoall(count n, count b) {
  const count domains = ceil_div(n, domain);
  acts a{.deposit = {n * (domains - 1), 0}};
  for (count i = 0; i < domains; ++i) {
    const count own = std::min(domain, n - i * domain);
    a.deposit.bytes += own * (own - 1 + 2 * (n - own)) * b;
  }
  return a;
}

using paper = std::function<acts(count n, count b)>;

const std::map<std::string, paper>& papers() {
  static const auto collect_by_doubling = [](count n, count b) -> acts {
    const count p = power(n);
    return {.send = {p * log2_floor(p) + 2 * (n - p), n * (p - 1) * b + (n - p) * (n + 1) * b}};
  };
  static const std::map<std::string, paper> all = {
      {"broadcast/linear", [](count n, count b) -> acts { return {.deposit = times(n - 1, b), .posts = 1}; }},
      {"broadcast/binomial", [](count n, count b) -> acts { return {.send = times(n - 1, b)}; }},
      {"broadcast/knomial", [](count n, count b) -> acts { return {.send = times(n - 1, b)}; }},
      {"broadcast/scatter-allgather",
       [](count n, count b) -> acts { return {.send = {scatter_messages(n), (n - 1) * b}}; }},
      {"broadcast/chain",
       [](count n, count b) -> acts { return {.send = {(n - 1) * ceil_div(b, 16384), (n - 1) * b}}; }},
      {"broadcast/hierarchical",
       [](count n, count b) -> acts {
         const count leaders = ceil_div(n, domain);
         return {.send = times(leaders - 1, b), .deposit = times(n - leaders, b), .posts = n};
       }},
      {"fcollect/hierarchical", hierarchical_fcollect},
      {"alltoall/hierarchical", hierarchical_alltoall},
      {"alltoall/multi-leader", multi_leader_alltoall},
      {"alltoalls/multi-leader", multi_leader_alltoall},
      {"fcollect/linear", [](count n, count b) -> acts { return {.deposit = times(n * (n - 1), b), .posts = n}; }},
      {"fcollect/ring", [](count n, count b) -> acts { return {.send = times(n * (n - 1), b)}; }},
      {"fcollect/bruck", [](count n, count b) -> acts { return {.send = {bruck_messages(n), n * (n - 1) * b}}; }},
      {"fcollect/recursive-doubling", collect_by_doubling},
      {"alltoall/linear", [](count n, count b) -> acts { return {.deposit = times(n * (n - 1), b), .posts = n}; }},
      {"alltoall/pairwise", [](count n, count b) -> acts { return {.send = times(n * (n - 1), b)}; }},
      {"alltoall/bruck", bruck_alltoall},
      {"alltoalls/linear", [](count n, count b) -> acts { return {.deposit = times(n * (n - 1), b), .posts = n}; }},
      {"alltoalls/pairwise", [](count n, count b) -> acts { return {.send = times(n * (n - 1), b)}; }},
      {"reduce/linear",
       [](count n, count b) -> acts { return {.deposit = times(n - 1, b), .give = times(n - 1, b), .posts = n}; }},
      {"reduce/recursive-doubling",
       [](count n, count b) -> acts {
         const count p = power(n);
         return {.send = times(n - p, b), .pass = times(n - p, b), .trade = times(p * log2_floor(p), b)};
       }},
      {"reduce/rabenseifner",
       [](count n, count b) -> acts {
         const count p = power(n);
         const act each_way{p * log2_floor(p) + n - p, (p - 1 + n - p) * b};
         return {.send = each_way, .pass = each_way};
       }},
      {"reduce/ring",
       [](count n, count b) -> acts {
         const act each_way{n * (n - 1), (n - 1) * b};
         return {.send = each_way, .pass = each_way, .later = n * (n - 2)};
       }},
      {"reduce/hierarchical", [](count n, count b) -> acts { return hierarchical_reduce(n, b, domain); }},
      {"reduce/multi-leader", multi_leader_reduce},
      {"inscan/hierarchical", hierarchical_scan},
      {"exscan/hierarchical", hierarchical_scan},
      {"inscan/linear", [](count n, count b) -> acts { return {.pass = times(n - 1, b)}; }},
      {"inscan/hillis-steele", [](count n, count b) -> acts { return {.trade = times(hillis_steele_messages(n), b)}; }},
      {"inscan/blelloch", [](count n, count b) -> acts { return {.pass = times(blelloch_messages(n), b)}; }},
  };
  return all;
}

// ---- the counts of protocols ----------------------------------------------------------------------------------------

struct totals {
  count flags, told_or_copied, messages, sent;
  bool operator==(const totals&) const = default;
};
std::ostream& operator<<(std::ostream& out, const totals& t) {
  return out << t.flags << " flags, " << t.told_or_copied << " bytes by flags and copies, " << t.messages
             << " messages, " << t.sent << " bytes in messages";
}

// A flag for each act. If data to be combined does not fit into the step slot, the receiver first sends another flag.
totals by_put(const acts& a, count b) {
  const count combined = a.pass.times + a.trade.times;
  const count asked_for = b > step_payload ? combined : a.later;
  return {.flags = a.send.times + combined + asked_for + a.deposit.times + 2 * a.give.times + a.ready,
          .told_or_copied = a.send.bytes + a.pass.bytes + a.trade.bytes + a.deposit.bytes + a.give.bytes,
          .messages = 0,
          .sent = 0};
}

// Data that may change during the call, or that must be packed, is sent one eager slot at a time.
totals by_message(const acts& a, count b, bool strided) {
  const count eager_slots = ceil_div(b, eager_payload);
  return {.flags = 0,
          .told_or_copied = 0,
          .messages = (a.send.times + a.deposit.times) * (strided ? eager_slots : 1) + a.pass.times +
                      a.trade.times * eager_slots + a.give.times,
          .sent = a.send.bytes + a.pass.bytes + a.trade.bytes + a.deposit.bytes + a.give.bytes};
}

// An offer with an address, and a reply, for each act. Data that may change during the call is copied first.
totals by_pull(const acts& a) {
  constexpr count address = sizeof(std::uint64_t);
  const count offers = a.send.times + a.pass.times;
  return {.flags = 2 * (offers + a.trade.times) + a.posts,
          .told_or_copied =
              offers * address + a.send.bytes + a.pass.bytes + 2 * a.trade.bytes + a.deposit.bytes + a.give.bytes,
          .messages = 0,
          .sent = 0};
}

// Rows that exist in one design only.
std::optional<totals> of_their_own(const std::string& name, count n, count b) {
  const count counts = n * (b <= flag_payload ? b : 8);  // a flag slot of collect has the data, or its address
  if (name == "collect/inline") return totals{n, counts, 0, 0};
  if (name == "collect/push") return totals{n, counts + n * (n - 1) * b, 0, 0};
  return std::nullopt;
}

std::optional<totals> on_paper(const algorithm& row, count n, count b) {
  const std::string name = testing::name_of(row);
  const auto cut = name.rfind('-');
  const std::string protocol = cut == std::string::npos ? "" : name.substr(cut);
  if (protocol != "-put" && protocol != "-message" && protocol != "-pull") return of_their_own(name, n, b);
  std::string schedule = name.substr(0, cut);
  const bool collect = row.collective == kind::collect, exscan = row.collective == kind::exscan;
  if (collect) schedule = "f" + schedule;
  const bool moves_on = exscan && !papers().contains(schedule);
  if (moves_on) schedule = "in" + schedule.substr(2);
  const auto found = papers().find(schedule);
  if (found == papers().end()) {
    ADD_FAILURE() << name << ": write down here what it sends";
    return std::nullopt;
  }
  acts a = found->second(n, b);
  if (moves_on) a.trade.times += n - 1, a.trade.bytes += (n - 1) * b;  // each sum moves to the next PE
  if (collect) a.posts = 0;                                            // all have posted their counts
  totals all = protocol == "-put"       ? by_put(a, b)
               : protocol == "-message" ? by_message(a, b, row.collective == kind::alltoalls)
                                        : by_pull(a);
  if (collect) all.flags += n, all.told_or_copied += n * (b <= flag_payload ? b : 8);
  return all;
}

// ---- the test -------------------------------------------------------------------------------------------------------

class Traffic : public ::testing::TestWithParam<int> {};

// All messages of a case fit into the step slot, or none does, including every chunk that a schedule cuts. Operands of
// the reduction by leaders also fit just, or just not, into the flag slot.
TEST_P(Traffic, IsWhatTheScheduleSays) {
  tally seen;
  int measured = 0;
  run_job(
      GetParam(),
      [&](world& w) {
        team& t = w.team_world;
        const auto n = static_cast<count>(t.n_pes);
        arena a(w, std::size_t{4} << 20);
        for (const algorithm* row : registry())
          for (const count b : {count{64}, long_payload_bytes, long_payload_bytes + 8, count{8192}}) {
            const bool is_beside_switch = b != 64 && b != 8192;
            if (is_beside_switch && testing::name_of(*row) != "reduce/hierarchical-put") continue;
            if (row->collective == kind::sync || !testing::force(t, *row, b)) continue;
            a.reset();
            call c(row->collective, t, a, b, row->collective == kind::collect ? 1 : 0);  // the same count on every PE
            sync_team(t, "test");
            t.watcher = &seen;
            c.run();
            t.watcher = nullptr;
            sync_team(t, "test");
            if (t.my_pe == 0) {
              const auto expected = on_paper(*row, n, b);
              const totals found{seen.flags, seen.told + seen.copied, seen.messages, seen.sent};
              if (expected) {
                EXPECT_EQ(found, *expected) << testing::name_of(*row) << " with " << b << " bytes";
                ++measured;
              }
              seen.clear();
            }
            sync_team(t, "test");
          }
      },
      std::size_t{8} << 20);
  EXPECT_GT(measured, 100);
}

INSTANTIATE_TEST_SUITE_P(Pes, Traffic, ::testing::Values(2, 3, 5, 7, 8, 13));

}  // namespace
}  // namespace oshen::coll
