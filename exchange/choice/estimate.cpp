#include "exchange/choice/estimate.hpp"

#include <shmem.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <new>
#include <string_view>

#include "exchange/choice/pattern_key.hpp"
#include "exchange/copy/box_copy.hpp"
#include "exchange/plan/plan_setup.hpp"
#include "exchange/strategies/pipeline_chunks.hpp"
#include "exchange/strategies/table.hpp"
#include "trials/strategy_estimates.hpp"

namespace oshen::exchange {
namespace {

// Slots that are larger than this leave the second-level cache between the sender and the receiver.
constexpr double cache_bytes = 1 << 20;
constexpr double through_memory = 1.6;  // for a copy that misses this cache
constexpr double row = 15e-9;           // each contiguous row that is stored into another PE's memory by itself
constexpr double call = 0.1e-6;         // each put
constexpr double mpi_call = 1e-6;

double rows_of(const oshen_message_t& m, bool has_list) {
  if (m.bytes == 0) return 0;
  if (has_list) return static_cast<double>(volume(m.box));
  if (m.box.element == 0 || m.box.stride[0] != m.box.element) return static_cast<double>(volume(m.box));
  return static_cast<double>(m.box.extent[1] * m.box.extent[2]);
}

// The numbers of chunks that `pipeline` can use here. The plan also compares which axis the peers cut; the model does
// not, because such messages are rare.
std::uint64_t chunks_here(oshen_group& group, const oshen_plan_attr_t& attr) {
  try {
    oshen_plan plan;
    plan.group = &group;
    plan.strategy = plan.effective = &pipeline;
    fill_plan(plan, attr);
    chunked_remap remap;
    return possible_chunks(plan, remap);
  } catch (const std::bad_alloc&) {
    return 1;
  }
}

// One PE's part in the traffic of a run.
struct traffic_message {
  std::uint64_t sent, sent_far;  // bytes, as in plan_traffic
  std::uint64_t received;
  std::uint64_t peers;
  std::uint64_t rows;
  std::uint64_t possible_chunks;  // a set of numbers
  std::uint64_t key;              // this PE's part of the hash
  double remaining;               // seconds
  machine_costs costs;            // of the sender's machine, which may differ from those of others
  bool crowded;
};

traffic_message traffic_here(oshen_group& group, const oshen_plan_attr_t& attr) {
  traffic_message mine{};
  const auto fields = static_cast<std::uint64_t>(std::max(attr.n_fields, 1));
  std::vector<bool> peers(group.members.size());
  double rows = 0;
  for (const oshen_message_t& m : sends_of(attr)) {
    if (m.peer == group.me || m.bytes == 0) continue;
    (group.at(m.peer).mapped != nullptr ? mine.sent : mine.sent_far) += m.bytes * fields;
    peers[static_cast<std::size_t>(m.peer)] = true;
    const auto number = &m - attr.sends;
    if (attr.pack == nullptr) rows += rows_of(m, attr.send_offsets != nullptr && attr.send_offsets[number] != nullptr);
  }
  for (const oshen_message_t& m : receives_of(attr)) {
    if (m.peer != group.me) mine.received += m.bytes * fields;
  }
  mine.peers = static_cast<std::uint64_t>(std::ranges::count(peers, true));
  mine.rows = static_cast<std::uint64_t>(rows) * fields;
  mine.possible_chunks = chunks_here(group, attr);
  mine.key = hash_of(group, attr);
  mine.costs = costs_here();
  mine.crowded = shmem_n_pes() > sysconf(_SC_NPROCESSORS_ONLN);
  return mine;
}

double waits_of(const strategy& s, const plan_traffic& t) {
  double waits = s.acknowledges || s.sends_when == send_condition::receiver_ready ? 2 : 1;
  if (s.notifies_by == notification::barrier || s.completes_with == completion::barrier)
    waits += std::bit_width(static_cast<unsigned>(std::max(t.members, 1) - 1)) -
             (s.notifies_by == notification::barrier ? 1 : 0);
  return waits;
}

// Copies of the bytes that one PE sends: into the slot, and out of it.
double copies(const strategy& s, const plan_traffic& t) {
  const machine_costs& on = t.costs;
  const double bytes = t.sent + t.sent_far;
  const bool direct = (s.needs & (need_in_symmetric | need_out_symmetric)) != 0;
  const double slots = direct ? bytes : static_cast<double>(std::max(s.slots + s.packs, 1)) * t.received;
  const double each = on.copy * (slots > cache_bytes ? through_memory : 1) * (slots > 2 * t.received ? 1.05 : 1);
  const double packed = direct && t.apart ? 0 : bytes;
  return each * (packed + t.received) + (t.sent_far > 0 && s.packs == 0 ? on.copy * t.sent_far : 0);
}

double pipelined(const plan_traffic& t) {
  const machine_costs& on = t.costs;
  const double bytes = t.sent + t.sent_far, chunks = static_cast<double>(t.chunks);
  const double wait = t.sent_far > 0 ? on.network : t.crowded ? on.turn : on.line;
  // In place, blocks go round once more.
  const double copied = bytes + t.received + (t.apart ? 0 : 0.5 * t.received);
  const double copy = on.copy * (bytes / chunks > cache_bytes ? through_memory : 1);
  return copied * copy + (chunks + 1) * wait + t.sent_far * (on.network_byte + on.copy) +
         chunks * t.peers * (t.sent_far > 0 ? on.network_message : call);
}

}  // namespace

plan_traffic traffic_of(oshen_group& group, const oshen_plan_attr_t& attr, double remaining) {
  traffic_message mine = traffic_here(group, attr);
  mine.remaining = remaining;
  plan_traffic t;
  t.members = group.size();
  t.apart = (attr.buffers & OSHEN_BUFFERS_APART) != 0;
  t.remaining = remaining;
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  const auto replies = group.handshake_with_all(mine);
  t.costs = replies[0].costs;
  t.crowded = replies[0].crowded;
  std::uint64_t chunks = ~std::uint64_t{0};
  for (const traffic_message& m : replies) {
    t.sent = std::max(t.sent, number(m.sent));
    t.sent_far = std::max(t.sent_far, number(m.sent_far));
    t.received = std::max(t.received, number(m.received));
    t.peers = std::max(t.peers, number(m.peers));
    t.rows = std::max(t.rows, number(m.rows));
    t.remaining = std::min(t.remaining, m.remaining);
    t.key += m.key;
    chunks &= m.possible_chunks;
  }
  t.chunks = common_chunks(chunks);
  return t;
}

double estimate(const strategy& s, const plan_traffic& t) {
  const machine_costs& on = t.costs;
  if (&s == &pipeline && t.chunks > 1) return pipelined(t);
  const double wait = t.sent_far > 0 ? on.network : t.crowded ? on.turn : on.line;
  double seconds = copies(s, t) + waits_of(s, t) * wait + t.peers * call + t.sent_far * on.network_byte;
  if (t.sent_far > 0) seconds += t.peers * on.network_message * (s.acknowledges ? 2 : 1);
  const std::string_view name = s.name;
  const bool by_rows = name.find("nopack") != std::string_view::npos;
  if (by_rows) seconds += t.rows * (t.sent_far > 0 ? on.network_message / 4 : row);
  if (name.starts_with("mpi")) seconds += 2 * t.peers * mpi_call + 1.5 * on.copy * (t.sent + t.received);
  return seconds;
}

std::vector<ranked_strategy> ranking(const oshen_plan_attr_t& attr, const plan_traffic& t) {
  std::vector<ranked_strategy> all;
  for (int index = 0; strategy_at(index) != nullptr; index++) {
    const strategy& s = *strategy_at(index);
    if (meets_requirements(attr, s)) all.push_back({&s, estimate(s, t)});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return all;
}

}  // namespace oshen::exchange

bool oshen_strategy_estimates(oshen_group_t* group, const oshen_plan_attr_t* attr, int n, double* seconds) {
  using namespace oshen::exchange;
  const plan_traffic all = traffic_of(*group, *attr, 0);
  std::fill_n(seconds, n, -1.0);
  for (const ranked_strategy& r : ranking(*attr, all)) {
    const int index = strategy_index(*r.used);
    if (index < n) seconds[index] = r.seconds;
  }
  return all.sent + all.sent_far > 0;
}
