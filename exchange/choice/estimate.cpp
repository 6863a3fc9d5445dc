#include "exchange/choice/estimate.hpp"

#include <shmem.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <iterator>
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

handshake_message traffic_here(oshen_group& group, const oshen_plan_attr_t& attr) {
  handshake_message mine{};
  const auto fields = static_cast<std::uint64_t>(std::max(attr.n_fields, 1));
  std::vector<bool> peers(group.members.size());
  double rows = 0;
  for (const oshen_message_t& m : sends_of(attr)) {
    if (m.peer == group.me || m.bytes == 0) continue;
    (group.at(m.peer).mapped != nullptr ? mine.expected_bytes : mine.slot) += m.bytes * fields;
    peers[static_cast<std::size_t>(m.peer)] = true;
    const auto number = &m - attr.sends;
    if (attr.pack == nullptr) rows += rows_of(m, attr.send_offsets != nullptr && attr.send_offsets[number] != nullptr);
  }
  for (const oshen_message_t& m : receives_of(attr)) {
    if (m.peer != group.me) mine.packed += m.bytes * fields;
  }
  mine.n_send_boxes = static_cast<std::uint64_t>(std::ranges::count(peers, true));
  mine.n_receive_boxes = static_cast<std::uint64_t>(rows) * fields;
  mine.extent[0] = chunks_here(group, attr);
  return mine;
}

// The fields of a message that carry the costs of the sender's machine, which may differ from those of others.
constexpr std::uint64_t handshake_message::* cost_fields[] = {
    &handshake_message::slot_stride,   &handshake_message::arrived_flag,  &handshake_message::in_addresses,
    &handshake_message::receive_boxes, &handshake_message::packed_stride, &handshake_message::ready_flag};
constexpr double machine_costs::* costs[] = {&machine_costs::line,
                                             &machine_costs::copy,
                                             &machine_costs::turn,
                                             &machine_costs::network,
                                             &machine_costs::network_message,
                                             &machine_costs::network_byte};

void add_machine(handshake_message& mine) {
  for (std::size_t i = 0; i < std::size(costs); i++)
    mine.*cost_fields[i] = std::bit_cast<std::uint64_t>(costs_here().*costs[i]);
  mine.signature = shmem_n_pes() > sysconf(_SC_NPROCESSORS_ONLN) ? 1 : 0;
}

void take_machine(const handshake_message& from, plan_traffic& t) {
  for (std::size_t i = 0; i < std::size(costs); i++) t.costs.*costs[i] = std::bit_cast<double>(from.*cost_fields[i]);
  t.crowded = from.signature != 0;
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
  handshake_message mine = traffic_here(group, attr);
  add_machine(mine);
  mine.key = hash_of(group, attr);
  mine.seconds = remaining;
  plan_traffic t;
  t.members = group.size();
  t.apart = (attr.buffers & OSHEN_BUFFERS_APART) != 0;
  t.remaining = remaining;
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  const auto replies = group.handshake(mine);
  take_machine(replies[0], t);
  std::uint64_t chunks = ~std::uint64_t{0};
  for (const handshake_message& m : replies) {
    t.sent = std::max(t.sent, number(m.expected_bytes));
    t.sent_far = std::max(t.sent_far, number(m.slot));
    t.received = std::max(t.received, number(m.packed));
    t.peers = std::max(t.peers, number(m.n_send_boxes));
    t.rows = std::max(t.rows, number(m.n_receive_boxes));
    t.remaining = std::min(t.remaining, m.seconds);
    t.key += m.key;
    chunks &= m.extent[0];
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
