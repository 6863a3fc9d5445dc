// "auto": every strategy that works is made and run on memory of its own, all PEs learn what the
// slowest of them needed, and the fastest stays.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "choices.hpp"
#include "plan_setup.hpp"
#include "stopwatch.hpp"

namespace oshen::exchange {
namespace {

constexpr double not_tried = -1;
// A later row must be this much faster than an earlier one, and again when both are measured anew:
// noise does not decide, nor that memory is warmer here than in a program, which favours rows that
// touch more of it.
constexpr double clear_lead = 0.9;
constexpr int confirmations = 3;

// Buffers like the user's: symmetric if that is promised, one for both unless they are apart.
class rehearsal_buffers {
 public:
  rehearsal_buffers(const oshen_plan& plan) : arena_(plan.group->arena), plan_(plan) {
    const std::size_t in = plan.n_fields * plan.in_range.high,
                      out = plan.n_fields * plan.out_range.high;
    const bool apart = (plan.buffers & OSHEN_BUFFERS_APART) != 0;
    in_bytes_ = in;
    in_ = take(apart ? in : std::max(in, out),
               OSHEN_IN_SYMMETRIC | (apart ? 0u : OSHEN_OUT_SYMMETRIC), in_private_);
    out_ = apart ? take(out, OSHEN_OUT_SYMMETRIC, out_private_) : in_;
  }
  ~rehearsal_buffers() {
    if (!in_private_) oshen_arena_free(arena_, in_);
    if (!out_private_ && out_ != in_) oshen_arena_free(arena_, out_);
  }
  rehearsal_buffers(const rehearsal_buffers&) = delete;
  rehearsal_buffers& operator=(const rehearsal_buffers&) = delete;

  bool there() const { return complete_; }

  double run(oshen_plan& plan) {
    const void* in[max_fields];
    void* out[max_fields];
    for (std::size_t f = 0; f < plan.n_fields; f++) {
      in[f] = in_ + f * plan_.in_range.high;
      out[f] = out_ + f * plan_.out_range.high;
    }
    compute();
    const double start = stopwatch::now();
    oshen_plan_start_fields(&plan, in, out);
    oshen_plan_release(&plan);
    return stopwatch::now() - start;
  }

 private:
  // Programs work on their data between runs, and what a strategy has left in the nearest caches is
  // gone: strategies that live on that would look better than they are.
  void compute() {
    constexpr std::size_t line = 64;
    for (std::size_t i = 0; i < in_bytes_; i += line) in_[i] ^= std::byte{1};
  }
  std::byte* take(std::size_t bytes, unsigned promise, std::unique_ptr<std::byte[]>& home) {
    if (bytes == 0) return nullptr;
    if ((plan_.buffers & promise) == 0) {
      home.reset(new std::byte[bytes]());
      return home.get();
    }
    auto* symmetric = static_cast<std::byte*>(oshen_arena_alloc(arena_, bytes));
    complete_ = complete_ && symmetric != nullptr;
    if (symmetric != nullptr) std::memset(symmetric, 0, bytes);
    return symmetric;
  }

  oshen_arena_t* arena_;
  const oshen_plan& plan_;
  bool complete_ = true;
  std::size_t in_bytes_ = 0;
  std::unique_ptr<std::byte[]> in_private_, out_private_;
  std::byte *in_ = nullptr, *out_ = nullptr;
};

// The largest of all PEs.
double largest(oshen_group& group, double mine) {
  note saying{};
  saying.seconds = mine;
  double worst = mine;
  for (const note& said : group.handshake(saying)) worst = std::max(worst, said.seconds);
  return worst;
}

// Whether no PE sends anything to another: then all strategies do the same.
bool all_stays(oshen_group& group, const oshen_plan_attr_t& attr) {
  double sent = 0;
  for (const auto& m : std::span(attr.sends, static_cast<std::size_t>(attr.n_sends)))
    sent += m.peer == group.me ? 0 : static_cast<double>(m.bytes);
  return largest(group, sent) == 0;
}

// Seconds of a run: the median of some, on the slowest PE. (The best of them would be the one in
// which the others happened to be early.) How many is agreed, from a first one.
double measure(oshen_plan& plan, rehearsal_buffers& buffers) {
  constexpr double budget = 0.03;
  buffers.run(plan);  // pages are touched
  const double first = largest(*plan.group, buffers.run(plan));
  std::vector<double> runs(
      static_cast<std::size_t>(std::clamp(budget / std::max(first, 1e-9), 7.0, 51.0)));
  for (double& seconds : runs) seconds = buffers.run(plan);
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end());
  return largest(*plan.group, *middle);
}

// Negative when the strategy does not work here.
double try_out(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& how) {
  std::unique_ptr<oshen_plan> plan;
  if (make(group, attr, how, plan) != OSHEN_OK) return not_tried;
  double seconds = not_tried;
  {
    rehearsal_buffers buffers(*plan);
    const bool there = group.agree(buffers.there() ? OSHEN_OK : OSHEN_NO_SPACE) == OSHEN_OK;
    if (there) seconds = measure(*plan, buffers);
    group.agree(OSHEN_OK);  // every last word has come: the memory may be used again
  }
  if (how.close != nullptr) how.close(*plan);
  unmake(std::move(plan));
  return seconds;
}

std::vector<double> try_all(oshen_group& group, const oshen_plan_attr_t& attr) {
  std::vector<double> seconds;
  for (int row = 0; strategy_at(row) != nullptr; row++)
    seconds.push_back(try_out(group, attr, *strategy_at(row)));
  return seconds;
}

int fastest(const std::vector<double>& seconds) {
  int best = 0;
  for (int row = 1; row < static_cast<int>(seconds.size()); row++) {
    const double candidate = seconds[static_cast<std::size_t>(row)],
                 leader = seconds[static_cast<std::size_t>(best)];
    if (candidate >= 0 && (leader < 0 || candidate < clear_lead * leader)) best = row;
  }
  return best;
}

// The fastest, when it is so again: it and the row of first preference are measured anew.
int confirmed(oshen_group& group, const oshen_plan_attr_t& attr, std::vector<double>& seconds) {
  const auto again = [&](int row) {
    double& best = seconds[static_cast<std::size_t>(row)];
    best = std::min(best, try_out(group, attr, *strategy_at(row)));
  };
  int row = fastest(seconds);
  for (int i = 0; row != 0 && seconds[0] >= 0 && i < confirmations; i++) {
    again(0);
    again(row);
    const int challenger = std::exchange(row, fastest(seconds));
    if (challenger == row) break;
  }
  return row;
}

}  // namespace

oshen_status_t make_fastest(oshen_group& group, const oshen_plan_attr_t& attr,
                            std::unique_ptr<oshen_plan>& plan) {
  // Nobody knows how large the buffers of callbacks are: the row of first preference.
  if (attr.pack != nullptr) return make(group, attr, *strategy_at(0), plan);
  const std::uint64_t key = attr.choices == nullptr ? 0 : key_of(group, attr);
  const int remembered = attr.choices == nullptr ? -1 : look_up(group, attr.choices, key);
  if (remembered >= 0 && make(group, attr, *strategy_at(remembered), plan) == OSHEN_OK)
    return OSHEN_OK;
  if (all_stays(group, attr)) return make(group, attr, *strategy_at(0), plan);
  std::vector<double> seconds = try_all(group, attr);
  const int row = confirmed(group, attr, seconds);
  if (attr.choices != nullptr && group.me == 0)
    store(attr.choices, key, *strategy_at(row), seconds[static_cast<std::size_t>(row)]);
  const oshen_status_t status = make(group, attr, *strategy_at(row), plan);
  if (status == OSHEN_OK) plan->measured = std::move(seconds);
  return status;
}

}  // namespace oshen::exchange
