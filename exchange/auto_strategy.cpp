// "auto": makes and runs a plan with every usable strategy on trial buffers, tells all PEs the time of the slowest PE,
// and keeps the fastest strategy. All plans of a process share a budget of time; later plans take the last choice.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "choice_file.hpp"
#include "plan_setup.hpp"
#include "stopwatch.hpp"

namespace oshen::exchange {
namespace {

constexpr double not_tried = -1;
constexpr double longest_measurement = 0.03;  // seconds for each strategy
// A later strategy of the table must be faster than an earlier one by this factor, and again when both are measured
// anew. This guards against noise. It also compensates for memory that is warmer here than in a program, which favours
// strategies that touch more of it.
constexpr double required_gain = 0.9;
constexpr int confirmations = 3;

// Buffers like the user's: symmetric if that is promised, and one buffer for both sides unless they are promised to be
// apart.
class trial_buffers {
 public:
  trial_buffers(const oshen_plan& plan) : arena_(plan.group->arena), plan_(plan) {
    const std::size_t in = plan.n_fields * plan.in_range.high, out = plan.n_fields * plan.out_range.high;
    const bool apart = (plan.buffers & OSHEN_BUFFERS_APART) != 0;
    in_bytes_ = in;
    in_ = take(apart ? in : std::max(in, out), OSHEN_IN_SYMMETRIC | (apart ? 0u : OSHEN_OUT_SYMMETRIC), in_private_);
    out_ = apart ? take(out, OSHEN_OUT_SYMMETRIC, out_private_) : in_;
  }
  ~trial_buffers() {
    if (!in_private_) oshen_arena_free(arena_, in_);
    if (!out_private_ && out_ != in_) oshen_arena_free(arena_, out_);
  }
  trial_buffers(const trial_buffers&) = delete;
  trial_buffers& operator=(const trial_buffers&) = delete;

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
  // Overwrites the input between runs, as programs do. Otherwise strategies that profit from data left in the nearest
  // caches would look better than they are.
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

// The time that this process has spent on measurements, and its last choice. The PEs of a group agree on both.
std::atomic<double> spent{0};
std::atomic<int> last_choice{0};

// Seconds (OSHEN_EXCHANGE_TRIALS, in milliseconds). The library checked the format at its start.
double budget() {
  double milliseconds = 200;
  const char* text = std::getenv("OSHEN_EXCHANGE_TRIALS");
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), milliseconds);
  return milliseconds / 1000;
}

// The largest value of all PEs.
double largest(oshen_group& group, double mine) {
  handshake_message local{};
  local.seconds = mine;
  double worst = mine;
  for (const handshake_message& reply : group.handshake(local)) worst = std::max(worst, reply.seconds);
  return worst;
}

// Whether no PE sends anything to another, so that all strategies do the same.
bool sends_nothing(oshen_group& group, const oshen_plan_attr_t& attr) {
  double sent = 0;
  for (const auto& m : std::span(attr.sends, static_cast<std::size_t>(attr.n_sends)))
    sent += m.peer == group.me ? 0 : static_cast<double>(m.bytes);
  return largest(group, sent) == 0;
}

// Seconds of a run: the median of several, on the slowest PE. The minimum would be a run in which the peers happened
// to be early. The PEs derive the number of runs from the first, which counts alone if it takes longer than `share`.
double measure(oshen_plan& plan, trial_buffers& buffers, double share) {
  buffers.run(plan);  // touches the pages
  const double first = largest(*plan.group, buffers.run(plan));
  if (first > share) return first;
  std::vector<double> runs(static_cast<std::size_t>(std::clamp(share / std::max(first, 1e-9), 7.0, 51.0)));
  for (double& seconds : runs) seconds = buffers.run(plan);
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end());
  return largest(*plan.group, *middle);
}

// Returns a negative number when the strategy cannot be used here.
double measure_strategy(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& candidate, double share) {
  std::unique_ptr<oshen_plan> plan;
  if (make_plan(group, attr, candidate, plan) != OSHEN_OK) return not_tried;
  double seconds = not_tried;
  {
    trial_buffers buffers(*plan);
    const bool there = group.agree(buffers.there() ? OSHEN_OK : OSHEN_NO_SPACE) == OSHEN_OK;
    if (there) seconds = measure(*plan, buffers, share);
    group.agree(OSHEN_OK);  // all flags have been raised, so the memory may be reused
  }
  if (candidate.close != nullptr) candidate.close(*plan);
  discard_plan(std::move(plan));
  return seconds;
}

// The measurements of one plan: for each strategy of the table its seconds.
class trials {
 public:
  trials(oshen_group& group, const oshen_plan_attr_t& attr) : group_(group), attr_(attr) {}

  bool has_time() { return largest(group_, spent.load() - budget()) < 0; }

  // Measures the strategies in the order of the table until the budget is spent.
  void try_all() {
    int n = 0;
    while (strategy_at(n) != nullptr) n++;
    seconds_.assign(static_cast<std::size_t>(n), not_tried);
    for (n_tried_ = 0; n_tried_ < n && has_time(); n_tried_++)
      seconds_[static_cast<std::size_t>(n_tried_)] = measure(n_tried_, (budget() - spent.load()) / (n - n_tried_));
  }
  void try_again(int index) {
    double& best = seconds_[static_cast<std::size_t>(index)];
    best = std::min(best, measure(index, longest_measurement));
  }

  bool is_complete() const { return n_tried_ == static_cast<int>(seconds_.size()); }
  std::vector<double>& seconds() { return seconds_; }

 private:
  double measure(int index, double share) {
    const double start = stopwatch::now();
    const double agreed_share = largest(group_, std::min(share, longest_measurement));
    const double found = measure_strategy(group_, attr_, *strategy_at(index), agreed_share);
    spent += largest(group_, stopwatch::now() - start);
    return found;
  }

  oshen_group& group_;
  const oshen_plan_attr_t& attr_;
  std::vector<double> seconds_;
  int n_tried_ = 0;
};

int fastest(const std::vector<double>& seconds) {
  int best = 0;
  for (int index = 1; index < static_cast<int>(seconds.size()); index++) {
    const double candidate = seconds[static_cast<std::size_t>(index)], leader = seconds[static_cast<std::size_t>(best)];
    if (candidate >= 0 && (leader < 0 || candidate < required_gain * leader)) best = index;
  }
  return best;
}

// The fastest strategy, if it wins again: it and the first strategy of the table are measured anew.
int confirmed(trials& all) {
  int index = fastest(all.seconds());
  for (int i = 0; index != 0 && all.seconds()[0] >= 0 && i < confirmations && all.has_time(); i++) {
    all.try_again(0);
    all.try_again(index);
    const int challenger = std::exchange(index, fastest(all.seconds()));
    if (challenger == index) break;
  }
  return index;
}

// The budget is spent: the last choice, if it can be used here, else the first strategy.
oshen_status_t make_unmeasured_plan(oshen_group& group, const oshen_plan_attr_t& attr,
                                    std::unique_ptr<oshen_plan>& plan) {
  const int index = static_cast<int>(largest(group, last_choice.load()));
  if (index != 0 && make_plan(group, attr, *strategy_at(index), plan) == OSHEN_OK) return OSHEN_OK;
  return make_plan(group, attr, *strategy_at(0), plan);
}

}  // namespace

oshen_status_t make_auto_plan(oshen_group& group, const oshen_plan_attr_t& attr, std::unique_ptr<oshen_plan>& plan) {
  // The sizes of buffers behind callbacks are unknown: use the first strategy.
  if (attr.pack != nullptr) return make_plan(group, attr, *strategy_at(0), plan);
  const std::uint64_t key = attr.choices == nullptr ? 0 : key_of(group, attr);
  const int remembered = attr.choices == nullptr ? -1 : look_up(group, attr.choices, key);
  if (remembered >= 0 && make_plan(group, attr, *strategy_at(remembered), plan) == OSHEN_OK) return OSHEN_OK;
  if (sends_nothing(group, attr)) return make_plan(group, attr, *strategy_at(0), plan);
  trials all(group, attr);
  if (!all.has_time()) return make_unmeasured_plan(group, attr, plan);
  all.try_all();
  const int index = confirmed(all);
  last_choice = index;
  if (attr.choices != nullptr && all.is_complete() && group.me == 0)
    store(attr.choices, key, *strategy_at(index), all.seconds()[static_cast<std::size_t>(index)]);
  const oshen_status_t status = make_plan(group, attr, *strategy_at(index), plan);
  if (status == OSHEN_OK) plan->measured = std::move(all.seconds());
  return status;
}

}  // namespace oshen::exchange
