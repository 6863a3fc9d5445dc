#include "transform.hpp"

#include <fftw3.h>

#include <algorithm>

#include "cost.hpp"
#include "journey.hpp"
#include "make_plan.hpp"

namespace oshen::fft {
namespace {

struct fftw_deleter {
  void operator()(void* memory) const { fftw_free(memory); }
};

template <class T>
class travelled : public transform {
 public:
  travelled(oshen_group_t* group, const request& wanted, const route& way, const tuning& how, oshen_status_t* status)
      : me_(oshen_group_rank(group)), what_(wanted.what) {
    if (what_.direct && !arrange(group, wanted, way, status)) {
      if (*status != OSHEN_UNSUPPORTED) return;
      what_.direct = false;
    }
    if (!what_.direct && !arrange(group, wanted, way, status)) return;
    for (std::size_t w = 0; w < it_.ways.size(); w++) {
      engines_.push_back(
          std::make_unique<engine<T>>(it_.ways[w], me_, *through_, it_.first_move[w], what_.fields, how));
    }
    prepare();
  }

  bool made() const { return !engines_.empty(); }

  void start(direction way, const void* in, void* out, double scale) override {
    now_ = (way == direction::forward ? engines_.front() : engines_.back()).get();
    now_->start(in, out, static_cast<T>(scale));
  }
  bool test() override { return now_ == nullptr || now_->test(); }
  void wait() override {
    if (now_ != nullptr) now_->wait();
  }

  oshen_fft_workspace_t workspace() const override {
    std::size_t ordinary = through_->ordinary_bytes() + scratch_bytes_ + factors_.size() * sizeof(T);
    for (const auto& e : engines_) ordinary += e->table_bytes();
    return {through_->symmetric_bytes(), ordinary};
  }
  oshen_fft_cost_t cost() const override {
    oshen_fft_cost_t sum{};
    const route_plan& there = it_.ways[0];
    for (std::size_t s = 0; s < there.way.stages.size(); s++) {
      const burden b = burden_of(there.way, there.steps, what_, s, me_);
      sum.passes += b.read + b.written != 0;
      sum.exchanges += s < there.steps.size() && there.steps[s].syncs;
      sum.messages += b.messages;
      sum.bytes += b.foreign;
      sum.bytes_pass += b.read + b.written;
    }
    return sum;
  }
  std::string text() const override {
    const char* output = shares_output(it_.ways[0].steps) ? ", in the output itself" : "";
    std::string shape;
    if (what_.is_matrix) shape = std::to_string(what_.extent[1]) + " rows of " + std::to_string(what_.extent[0]) + ", ";
    const char* alone = what_.undivided ? ", all on one PE: the length is prime" : "";
    return shape + it_.ways[0].way.text(what_.names) + " by " + through_->name() + output + alone;
  }

  oshen_status_t set_factors(oshen_group_t* group, const void* factors) override {
    const stage* turning = turning_stage();
    if (turning == nullptr) return OSHEN_INVALID;
    oshen_plan_t* plan = nullptr;
    const move_attr how{number_bytes(), 1, 0, 0, nullptr};  // the first strategy does without any promise
    const oshen_status_t status = make_plan(group, what_.out, factors_boxes(*turning), how, &plan);
    if (status != OSHEN_OK) return status;
    oshen_plan_run(plan, factors, factors_.data());
    oshen_plan_destroy(plan);
    return OSHEN_OK;
  }

 private:
  // False with a status.
  bool arrange(oshen_group_t* group, const request& wanted, const route& way, oshen_status_t* status) {
    it_ = journey_of(wanted, way, what_.direct, me_);
    const lent_memory lent{wanted.workspace, wanted.workspace_bytes};
    through_ = what_.direct ? make_shared(group, it_.moves, it_.partners, it_.at_home, what_.fields, lent, status)
                            : make_planned(group, it_.moves, what_.fields, wanted.strategy, lent, status);
    return through_ != nullptr;
  }

  const stage* turning_stage() const {
    for (const stage& s : it_.ways[0].way.stages) {
      if (s.turns()) return &s;
    }
    return nullptr;
  }
  static layout factors_boxes(const stage& turning) {
    layout boxes;
    for (int pe = 0; pe < static_cast<int>(turning.spectrum.size()); pe++) boxes.push_back(factors_box(turning, pe));
    return boxes;
  }
  std::size_t number_bytes() const { return (what_.real_out ? 1 : 2) * sizeof(T); }

  void prepare() {
    std::size_t most = 0;
    for (const auto& e : engines_) most = std::max(most, e->scratch_elements());
    scratch_bytes_ = most * sizeof(std::complex<T>);
    scratch_.reset(fftw_malloc(std::max<std::size_t>(scratch_bytes_, 1)));
    auto* elements = static_cast<std::complex<T>*>(scratch_.get());
    for (const auto& e : engines_) e->prepare(elements);
    std::fill_n(elements, most, std::complex<T>{});  // padding, which is scaled with the rest
    if (const stage* turning = turning_stage()) fill_factors(factors_box(*turning, me_).volume());
  }

  // With ones.
  void fill_factors(std::size_t numbers) {
    const std::size_t parts = number_bytes() / sizeof(T);
    factors_.assign(numbers * parts, T{0});
    for (std::size_t i = 0; i < factors_.size(); i += parts) factors_[i] = T{1};
    engines_[0]->multiply_by(reinterpret_cast<const std::byte*>(factors_.data()));
  }

  int me_;
  problem what_;
  journey it_;
  std::unique_ptr<transit> through_;
  std::unique_ptr<void, fftw_deleter> scratch_;
  std::size_t scratch_bytes_ = 0;
  std::vector<T> factors_;  // as the turning stage has them
  std::vector<std::unique_ptr<engine<T>>> engines_;
  engine<T>* now_ = nullptr;
};

template <class T>
std::unique_ptr<transform> make(oshen_group_t* group, const request& wanted, const route& way,
                                const tuning& how, oshen_status_t* status) {
  auto made = std::make_unique<travelled<T>>(group, wanted, way, how, status);
  return made->made() ? std::move(made) : nullptr;
}

}  // namespace

std::unique_ptr<transform> make_transform(oshen_group_t* group, const request& wanted,
                                          const route& way, const tuning& how,
                                          oshen_status_t* status) {
  return wanted.single ? make<float>(group, wanted, way, how, status)
                       : make<double>(group, wanted, way, how, status);
}

}  // namespace oshen::fft
