// Statistics and descriptions of a plan.
#include "exchange/plan/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "exchange/strategies/table.hpp"
#include "trials/sized_struct.hpp"

namespace oshen::exchange {
namespace {

// The lateness of each peer: the sum over its flags.
std::vector<lateness> late_peers(const oshen_plan& plan) {
  std::vector<lateness> peers(plan.group->members.size());
  for (std::size_t w = 0; w < plan.late.size(); w++) {
    auto& peer = peers[static_cast<std::size_t>(plan.peer_of_flag(w))];
    peer.runs += plan.late[w].runs;
    peer.seconds += plan.late[w].seconds;
  }
  return peers;
}

// The source of the strategy, and the strategies that were tried with their milliseconds.
std::string choice_of(const oshen_plan& plan) {
  std::string text = text_of(plan.source);
  const char* separator = ": ";
  for (std::size_t i = 0; i < plan.measured.size(); i++) {
    if (plan.measured[i] < 0) continue;
    char one[80];
    std::snprintf(one, sizeof one, "%s%s %.3g ms", std::exchange(separator, ", "),
                  strategy_at(static_cast<int>(i))->name, plan.measured[i] * 1e3);
    text += one;
  }
  return text;
}

// The statistics, with the peer that this PE waited for most often.
oshen_plan_stats_t stats_of(const oshen_plan& plan) {
  oshen_plan_stats_t stats = plan.stats;
  const auto peers = late_peers(plan);
  const auto latest =
      std::max_element(peers.begin(), peers.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  if (latest->runs == 0) return stats;
  stats.latest_peer = static_cast<int>(latest - peers.begin());
  stats.latest_runs = latest->runs;
  stats.latest_seconds = latest->seconds;
  return stats;
}

}  // namespace
}  // namespace oshen::exchange

void oshen_plan_stats(const oshen_plan_t* plan, oshen_plan_stats_t* stats, std::size_t size) {
  oshen::fill_struct(stats, size, oshen::exchange::stats_of(*plan));
}

const char* oshen_plan_strategy(const oshen_plan_t* plan) { return plan->strategy->name; }

const char* oshen_plan_source(const oshen_plan_t* plan) { return text_of(plan->source); }

double oshen_plan_measured(const oshen_plan_t* plan, int index) {
  if (index < 0 || index >= static_cast<int>(plan->measured.size())) return -1;
  return plan->measured[static_cast<std::size_t>(index)];
}

std::size_t oshen_plan_describe(const oshen_plan_t* plan, char* text, std::size_t size) {
  const oshen_plan_stats_t s = oshen::exchange::stats_of(*plan);
  std::size_t bytes = 0;
  for (const auto& p : plan->sends) bytes += p.bytes;
  char late[96] = "no late peer";
  if (s.latest_peer >= 0) {
    std::snprintf(late, sizeof late, "latest %d (%llu waits, %.3g s)", s.latest_peer,
                  static_cast<unsigned long long>(s.latest_runs), s.latest_seconds);
  }
  const int length = std::snprintf(
      text, size,
      "%s (%s): %zu field%s, %zu bytes to %zu peers, %zu to itself; %llu runs: packed %.3g s, waited %.3g s, "
      "unpacked %.3g s, %s",
      plan->strategy->name, oshen::exchange::choice_of(*plan).c_str(), plan->n_fields, plan->n_fields == 1 ? "" : "s",
      bytes, plan->sends.size(), plan->own_send.bytes, static_cast<unsigned long long>(s.runs), s.pack_seconds,
      s.wait_seconds, s.unpack_seconds, late);
  return length < 0 ? 0 : static_cast<std::size_t>(length);
}

const char* oshen_status_text(oshen_status_t status) {
  switch (status) {
    case OSHEN_OK: return "no error";
    case OSHEN_INVALID: return "invalid argument";
    case OSHEN_UNSUPPORTED: return "the strategy is not available for this plan or on this machine";
    case OSHEN_NO_SPACE: return "not enough memory: make the arena larger";
    case OSHEN_MISMATCH: return "sent and received messages do not match";
  }
  return "unknown status";
}
