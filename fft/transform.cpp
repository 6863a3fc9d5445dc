#include "transform.hpp"

#include <fftw3.h>

#include <algorithm>

#include "cost.hpp"

namespace oshen::fft {
namespace {

struct fftw_deleter {
  void operator()(void* memory) const { fftw_free(memory); }
};

template <class T>
class both_ways : public transform {
 public:
  both_ways(oshen_group_t* group, const request& wanted, const route& way, const tuning& how,
            oshen_status_t* status)
      : me_(oshen_group_rank(group)), what_(wanted.what) {
    if (what_.direct && !arrange(group, wanted, way, status)) {
      if (*status != OSHEN_UNSUPPORTED) return;
      what_.direct = false;
    }
    if (!what_.direct && !arrange(group, wanted, way, status)) return;
    const int fields = what_.fields;
    forward_ =
        std::make_unique<engine<T>>(there_, me_, direction::forward, *through_, 0, fields, how);
    backward_ = std::make_unique<engine<T>>(back_, me_, direction::backward, *through_, first_back_,
                                            fields, how);
    prepare();
  }

  bool made() const { return forward_ != nullptr; }

  void start(direction way, const void* in, void* out, double scale) override {
    now_ = way == direction::forward ? forward_.get() : backward_.get();
    now_->start(in, out, static_cast<T>(scale));
  }
  bool test() override { return now_ == nullptr || now_->test(); }
  void wait() override {
    if (now_ != nullptr) now_->wait();
  }

  oshen_fft_workspace_t workspace() const override {
    return {through_->symmetric_bytes(), through_->ordinary_bytes() + scratch_bytes_};
  }
  oshen_fft_cost_t cost() const override {
    oshen_fft_cost_t sum{};
    for (std::size_t s = 0; s < there_.way.stages.size(); s++) {
      const burden b = burden_of(there_.way, there_.steps, what_, s, me_);
      sum.passes += b.read + b.written != 0;
      sum.exchanges += s < there_.steps.size() && there_.steps[s].syncs;
      sum.messages += b.messages;
      sum.bytes += b.foreign;
      sum.bytes_pass += b.read + b.written;
    }
    return sum;
  }
  std::string text() const override {
    const char* output = shares_output(there_.steps) ? ", in the output itself" : "";
    return there_.way.text() + " by " + through_->name() + output;
  }

 private:
  // Steps there and back, and what carries them. False with a status.
  bool arrange(oshen_group_t* group, const request& wanted, const route& way,
               oshen_status_t* status) {
    route forth = way;
    forth.pull = way.pull && what_.direct;
    route home = reversed(forth);
    there_ = {forth, steps_of(forth, {what_.direct, what_.symmetric_out}), bytes_of(wanted, false)};
    back_ = {home, steps_of(home, {what_.direct, what_.symmetric_in}), bytes_of(wanted, true)};
    const bool at_home = ends_at_home(forth, there_.steps) && ends_at_home(home, back_.steps);
    std::vector<move> moves = moves_of(there_, me_, sizeof(T), at_home);
    first_back_ = static_cast<int>(moves.size());
    for (move& m : moves_of(back_, me_, sizeof(T), at_home)) moves.push_back(std::move(m));
    through_ = what_.direct
                   ? make_shared(group, std::move(moves), partners(), at_home, what_.fields, status)
                   : make_planned(group, std::move(moves), what_.fields, wanted.strategy, status);
    return through_ != nullptr;
  }

  std::vector<int> partners() const {
    return partners_of(there_.way, there_.steps, back_.way, back_.steps, me_);
  }

  static std::vector<distances> bytes_of(const request& wanted, bool backward) {
    const std::size_t in = wanted.what.real ? sizeof(T) : 2 * sizeof(T), out = 2 * sizeof(T);
    std::vector<distances> all;
    for (const distances& d : wanted.user)
      all.push_back(backward ? distances{d.out * out, d.in * in}
                             : distances{d.in * in, d.out * out});
    return all;
  }

  void prepare() {
    const std::size_t most = std::max(forward_->scratch_elements(), backward_->scratch_elements());
    scratch_bytes_ = most * sizeof(std::complex<T>);
    scratch_.reset(fftw_malloc(std::max<std::size_t>(scratch_bytes_, 1)));
    auto* elements = static_cast<std::complex<T>*>(scratch_.get());
    forward_->prepare(elements);
    backward_->prepare(elements);
    std::fill_n(elements, most, std::complex<T>{});  // padding, which is scaled with the rest
  }

  int me_;
  problem what_;
  route_plan there_, back_;
  int first_back_ = 0;
  std::unique_ptr<transit> through_;
  std::unique_ptr<void, fftw_deleter> scratch_;
  std::size_t scratch_bytes_ = 0;
  std::unique_ptr<engine<T>> forward_, backward_;
  engine<T>* now_ = nullptr;
};

template <class T>
std::unique_ptr<transform> make(oshen_group_t* group, const request& wanted, const route& way,
                                const tuning& how, oshen_status_t* status) {
  auto made = std::make_unique<both_ways<T>>(group, wanted, way, how, status);
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
