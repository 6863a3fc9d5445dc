#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "fft/choice/find.hpp"
#include "fft/moves/make_plan.hpp"

namespace oshen::fft {
namespace {

// A move between the caller's blocks and the rounded ones, at one end of a run.
struct block_move {
  const layout &from, &to;
  move_attr attr;
};

// The move at the start (enters) or at the end of a run. Both ends of a convolution are those of its input.
std::optional<block_move> block_move_of(const request& wanted, direction dir, bool enters, std::size_t me) {
  const bool input = wanted.problem.convolves || (dir == direction::forward) == enters;
  const blocks& at = input ? wanted.line_in : wanted.line_out;
  if (!at.differ()) return std::nullopt;
  const std::size_t element = wanted.problem.complex_bytes, rounded = at.rounded[me].volume() * element;
  const std::size_t given = (input ? wanted.line_distances[me].in : wanted.line_distances[me].out) * element;
  const int fields = wanted.problem.fields;
  if (enters) return block_move{at.given, at.rounded, {element, fields, given, rounded, wanted.strategy}};
  return block_move{at.rounded, at.given, {element, fields, rounded, given, wanted.strategy}};
}

std::vector<block_move> block_moves_of(const request& wanted, direction dir, std::size_t me) {
  std::vector<block_move> moves;
  for (const bool enters : {true, false}) {
    if (auto one = block_move_of(wanted, dir, enters, me)) moves.push_back(*one);
  }
  return moves;
}

std::vector<direction> directions_of(const request& wanted) {
  if (wanted.problem.convolves) return {direction::forward};
  return {direction::forward, direction::backward};
}

// Bytes of the rounded blocks at the ends where data moves.
std::size_t buffer_bytes(const request& wanted, std::size_t me) {
  std::size_t points = 0;
  for (const blocks* at : {&wanted.line_in, &wanted.line_out}) {
    if (at->differ()) points = std::max(points, at->rounded[me].volume());
  }
  return points * wanted.problem.complex_bytes * static_cast<std::size_t>(wanted.problem.fields);
}

class reblocked_transform : public transform {
 public:
  reblocked_transform(oshen_group_t* group, const request& wanted)
      : me_(static_cast<std::size_t>(oshen_group_rank(group))), wanted_(wanted), buffer_(buffer_bytes(wanted, me_)) {}

  // Makes the plans first: after routes have been measured, the arena may be fragmented.
  oshen_status_t make(oshen_group_t* group) {
    oshen_status_t status = plan(group);
    if (status == OSHEN_OK) inside_ = find_transform(group, wanted_, &status);
    return status;
  }

  void start(direction dir, const void* in, void* out, double scale) override {
    enter_ = plan_of(dir, true).get();
    leave_ = plan_of(dir, false).get();
    dir_ = dir;
    in_ = in;
    out_ = out;
    scale_ = scale;
    now_ = phase::entering;
    if (enter_ != nullptr) return oshen_plan_start(enter_, in, buffer_.data());
    start_inside();
  }
  bool test() override {
    if (now_ == phase::entering && oshen_plan_test(enter_)) entered();
    if (now_ == phase::inside && inside_->test()) passed();
    if (now_ == phase::leaving && oshen_plan_test(leave_)) left();
    return now_ == phase::over;
  }
  void wait() override {
    if (now_ == phase::entering) entered();
    if (now_ == phase::inside) passed();
    if (now_ == phase::leaving) left();
  }

  oshen_fft_workspace_t workspace() const override {
    oshen_fft_workspace_t held = inside_->workspace();
    held.ordinary += buffer_.size();
    return held;
  }
  oshen_fft_cost_t cost() const override {
    oshen_fft_cost_t sum = inside_->cost();
    for (const block_move& one : block_moves_of(wanted_, direction::forward, me_)) {
      sum.passes++;
      sum.exchanges++;
      count(one, sum);
    }
    return sum;
  }
  oshen_fft_stats_t stats() const override {
    oshen_fft_stats_t sum = inside_->stats();
    for (const auto& plans : plans_) {
      for (const auto& plan : plans) {
        if (plan == nullptr) continue;
        oshen_plan_stats_t of{};
        oshen_plan_stats(plan.get(), &of, sizeof of);
        sum.exchange_seconds += of.pack_seconds + of.unpack_seconds;
        sum.wait_seconds += of.wait_seconds;
        sum.exchange_bytes += of.bytes;
      }
    }
    return sum;
  }
  std::string text() const override { return inside_->text() + ", blocks moved to whole rows by exchange plans"; }

  oshen_status_t set_factors(oshen_group_t* group, const void* factors) override {
    if (!wanted_.problem.convolves) return OSHEN_INVALID;
    if (!wanted_.line_out.differ()) return inside_->set_factors(group, factors);
    std::vector<std::byte> rounded(wanted_.line_out.rounded[me_].volume() * wanted_.problem.complex_bytes);
    oshen_plan_t* plan = nullptr;
    const move_attr attr{wanted_.problem.complex_bytes, 1, 0, 0, nullptr};
    const oshen_status_t status = make_plan(group, wanted_.line_out.given, wanted_.line_out.rounded, attr, &plan);
    if (status != OSHEN_OK) return status;
    oshen_plan_run(plan, factors, rounded.data());
    oshen_plan_destroy(plan);
    return inside_->set_factors(group, rounded.data());
  }

 private:
  enum class phase { entering, inside, leaving, over };

  oshen_status_t plan(oshen_group_t* group) {
    for (const direction dir : directions_of(wanted_)) {
      for (const bool enters : {true, false}) {
        const auto move = block_move_of(wanted_, dir, enters, me_);
        if (!move) continue;
        oshen_plan_t* made = nullptr;
        const oshen_status_t status = make_plan(group, move->from, move->to, move->attr, &made);
        if (status != OSHEN_OK) return status;
        plan_of(dir, enters).reset(made);
      }
    }
    return OSHEN_OK;
  }

  plan_pointer& plan_of(direction dir, bool enters) {
    return plans_[dir == direction::forward ? 0 : 1][enters ? 0 : 1];
  }

  void count(const block_move& one, oshen_fft_cost_t& sum) const {
    const std::size_t element = one.attr.element * static_cast<std::size_t>(one.attr.fields);
    sum.bytes_pass += (one.from[me_].volume() + one.to[me_].volume()) * element;
    for (std::size_t pe = 0; pe < one.to.size(); pe++) {
      const std::size_t points = overlap(one.from[me_], one.to[pe]).volume();
      if (pe == me_ || points == 0) continue;
      sum.messages++;
      sum.bytes += points * element;
    }
  }

  void start_inside() {
    now_ = phase::inside;
    inside_->start(dir_, enter_ != nullptr ? buffer_.data() : in_, leave_ != nullptr ? buffer_.data() : out_, scale_);
  }
  void entered() {
    oshen_plan_release(enter_);
    start_inside();
  }
  void passed() {
    inside_->wait();
    now_ = leave_ != nullptr ? phase::leaving : phase::over;
    if (leave_ != nullptr) oshen_plan_start(leave_, buffer_.data(), out_);
  }
  void left() {
    oshen_plan_release(leave_);
    now_ = phase::over;
  }

  std::size_t me_;
  request wanted_;
  std::unique_ptr<transform> inside_;
  std::vector<std::byte> buffer_;
  plan_pointer plans_[2][2];  // [direction][0: start of a run, 1: end]

  // The run under way.
  oshen_plan_t *enter_ = nullptr, *leave_ = nullptr;
  direction dir_ = direction::forward;
  const void* in_ = nullptr;
  void* out_ = nullptr;
  double scale_ = 1;
  phase now_ = phase::over;
};

}  // namespace

std::unique_ptr<transform> find_reblocked(oshen_group_t* group, const request& wanted, oshen_status_t* status) {
  auto made = std::make_unique<reblocked_transform>(group, wanted);
  *status = made->make(group);
  return *status == OSHEN_OK ? std::move(made) : nullptr;
}

oshen_need_t reblocking_need(oshen_group_t* group, const request& wanted) {
  const auto me = static_cast<std::size_t>(oshen_group_rank(group));
  oshen_need_t sum{};
  for (const direction dir : directions_of(wanted)) {
    for (const block_move& one : block_moves_of(wanted, dir, me)) {
      const oshen_need_t need = plan_need(group, one.from, one.to, one.attr);
      sum.symmetric += need.symmetric;
      sum.ordinary += need.ordinary;
    }
  }
  sum.ordinary += buffer_bytes(wanted, me);
  return sum;
}

}  // namespace oshen::fft
