#include "fft/transform/transform.hpp"

#include <fftw3.h>

#include <algorithm>

#include "fft/geometry/cost.hpp"
#include "fft/moves/make_plan.hpp"
#include "fft/transform/transform_plan.hpp"

namespace oshen::fft {
namespace {

struct fftw_deleter {
  void operator()(void* memory) const { fftw_free(memory); }
};

template <class T>
class staged_transform : public transform {
 public:
  staged_transform(oshen_group_t* group, const request& wanted, const route& chain, const tuning& options,
                   oshen_status_t* status)
      : me_(oshen_group_rank(group)), problem_(wanted.problem) {
    if (problem_.direct && !arrange(group, wanted, chain, status)) {
      if (*status != OSHEN_UNSUPPORTED) return;
      problem_.direct = false;
    }
    if (!problem_.direct && !arrange(group, wanted, chain, status)) return;
    for (std::size_t w = 0; w < plan_.directions.size(); w++) {
      engines_.push_back(std::make_unique<engine<T>>(plan_.directions[w], me_, *backend_, plan_.first_move[w],
                                                     problem_.fields, options));
    }
    prepare();
  }

  bool made() const { return !engines_.empty(); }

  void start(direction dir, const void* in, void* out, double scale) override {
    now_ = (dir == direction::forward ? engines_.front() : engines_.back()).get();
    now_->start(in, out, static_cast<T>(scale));
  }
  bool test() override { return now_ == nullptr || now_->test(); }
  void wait() override {
    if (now_ != nullptr) now_->wait();
  }

  void peers_are_done() override { backend_->peers_are_done(); }

  oshen_fft_workspace_t workspace() const override {
    std::size_t ordinary = backend_->ordinary_bytes() + scratch_bytes_ + factors_.size() * sizeof(T);
    for (const auto& e : engines_) ordinary += e->table_bytes();
    return {backend_->symmetric_bytes(), ordinary};
  }
  oshen_fft_cost_t cost() const override {
    oshen_fft_cost_t sum{};
    const route_plan& there = plan_.directions[0];
    for (std::size_t s = 0; s < there.chain.stages.size(); s++) {
      const stage_traffic b = traffic_of(there.chain, there.steps, problem_, s, me_);
      sum.passes += b.read + b.written != 0;
      sum.exchanges += s < there.steps.size() && there.steps[s].syncs;
      sum.messages += b.messages;
      sum.bytes += b.remote;
      sum.bytes_pass += b.read + b.written;
    }
    return sum;
  }
  oshen_fft_stats_t stats() const override {
    oshen_fft_stats_t sum{};
    for (std::size_t w = 0; w < engines_.size(); w++) {
      const auto& spent = engines_[w]->spent();
      sum.runs += spent.runs;
      sum.transform_seconds += spent.transform;
      sum.copy_seconds += spent.copy;
      count_bytes(plan_.directions[w], spent.runs, sum);
    }
    const move_backend::times moves = backend_->spent();
    sum.exchange_seconds = moves.exchange;
    sum.wait_seconds = moves.wait;
    return sum;
  }
  std::string text() const override {
    const char* output = shares_output(plan_.directions[0].steps) ? ", in the output itself" : "";
    std::string shape;
    if (problem_.is_matrix)
      shape = std::to_string(problem_.extent[1]) + " rows of " + std::to_string(problem_.extent[0]) + ", ";
    const char* why = problem_.drops() ? "it drops modes" : "the length is prime";
    const std::string alone = problem_.undivided ? std::string(", all on one PE: ") + why : "";
    return shape + plan_.directions[0].chain.text(problem_.names) + " by " + backend_->name() + output + alone;
  }

  oshen_status_t set_factors(oshen_group_t* group, const void* factors) override {
    const stage* turning = turning_stage();
    if (turning == nullptr) return OSHEN_INVALID;
    oshen_plan_t* plan = nullptr;
    const move_attr options{number_bytes(), 1, 0, 0, nullptr};  // the first strategy needs no promise
    const oshen_status_t status = make_plan(group, problem_.out, factors_boxes(*turning), options, &plan);
    if (status != OSHEN_OK) return status;
    oshen_plan_run(plan, factors, factors_.data());
    oshen_plan_destroy(plan);
    return OSHEN_OK;
  }

 private:
  // Returns false with a status.
  bool arrange(oshen_group_t* group, const request& wanted, const route& chain, oshen_status_t* status) {
    plan_ = transform_plan_of(wanted, chain, problem_.direct, me_);
    const lent_memory lent{wanted.workspace, wanted.workspace_bytes};
    backend_ = problem_.direct ? make_shared_backend(group, plan_, problem_.fields, lent, status)
                               : make_plan_backend(group, plan_.moves, problem_.fields, wanted.strategy, lent, status);
    return backend_ != nullptr;
  }

  void count_bytes(const route_plan& plan, std::uint64_t runs, oshen_fft_stats_t& sum) const {
    for (std::size_t s = 0; s < plan.chain.stages.size(); s++) {
      const stage_traffic bytes = traffic_of(plan.chain, plan.steps, problem_, s, me_);
      const bool copies = plan.chain.stages[s].axes.empty();
      const bool left_to_move = copies && s < plan.steps.size() && plan.steps[s].syncs && backend_->copies();
      if (!left_to_move) (copies ? sum.copy_bytes : sum.transform_bytes) += runs * (bytes.read + bytes.written);
      sum.exchange_bytes += runs * bytes.remote;
    }
  }

  const stage* turning_stage() const {
    for (const stage& s : plan_.directions[0].chain.stages) {
      if (s.turns()) return &s;
    }
    return nullptr;
  }
  static layout factors_boxes(const stage& turning) {
    layout boxes;
    for (int pe = 0; pe < static_cast<int>(turning.spectrum.size()); pe++) boxes.push_back(factors_box(turning, pe));
    return boxes;
  }
  std::size_t number_bytes() const { return (problem_.real_out ? 1 : 2) * sizeof(T); }

  void prepare() {
    std::size_t most = 0;
    for (const auto& e : engines_) most = std::max(most, e->scratch_elements());
    scratch_bytes_ = most * sizeof(std::complex<T>);
    scratch_.reset(fftw_malloc(std::max<std::size_t>(scratch_bytes_, 1)));
    auto* elements = static_cast<std::complex<T>*>(scratch_.get());
    for (const auto& e : engines_) e->prepare(elements);
    std::fill_n(elements, most, std::complex<T>{});  // padding is scaled with the data
    if (const stage* turning = turning_stage()) fill_factors(factors_box(*turning, me_).volume());
  }

  // Sets all factors to one.
  void fill_factors(std::size_t numbers) {
    const std::size_t parts = number_bytes() / sizeof(T);
    factors_.assign(numbers * parts, T{0});
    for (std::size_t i = 0; i < factors_.size(); i += parts) factors_[i] = T{1};
    engines_[0]->multiply_by(reinterpret_cast<const std::byte*>(factors_.data()));
  }

  int me_;
  fft_problem problem_;
  transform_plan plan_;
  std::unique_ptr<move_backend> backend_;
  std::unique_ptr<void, fftw_deleter> scratch_;
  std::size_t scratch_bytes_ = 0;
  std::vector<T> factors_;  // in the layout of the stage that turns
  std::vector<std::unique_ptr<engine<T>>> engines_;
  engine<T>* now_ = nullptr;
};

template <class T>
std::unique_ptr<transform> make(oshen_group_t* group, const request& wanted, const route& chain, const tuning& options,
                                oshen_status_t* status) {
  auto made = std::make_unique<staged_transform<T>>(group, wanted, chain, options, status);
  return made->made() ? std::move(made) : nullptr;
}

}  // namespace

std::unique_ptr<transform> make_transform(oshen_group_t* group, const request& wanted, const route& chain,
                                          const tuning& options, oshen_status_t* status) {
  return wanted.single ? make<float>(group, wanted, chain, options, status)
                       : make<double>(group, wanted, chain, options, status);
}

}  // namespace oshen::fft
