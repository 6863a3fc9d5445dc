#include "transform.hpp"

#include <fftw3.h>

#include <algorithm>

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
      : way_(way), me_(oshen_group_rank(group)), fields_(wanted.what.fields) {
    const route back = reversed(way);
    const distances there = bytes_of(wanted);
    const distances home{there.out, there.in};
    std::vector<move> moves = moves_of(way, me_, sizeof(T), there);
    const int first_back = static_cast<int>(moves.size());
    for (move& m : moves_of(back, me_, sizeof(T), home)) moves.push_back(std::move(m));
    count_cost(moves, first_back);
    through_ = make_through(group, std::move(moves), wanted, status);
    if (through_ == nullptr) return;
    forward_ = std::make_unique<engine<T>>(way, me_, direction::forward, *through_, 0, fields_,
                                           there, how);
    backward_ = std::make_unique<engine<T>>(back, me_, direction::backward, *through_, first_back,
                                            fields_, home, how);
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
  oshen_fft_cost_t cost() const override { return cost_; }
  std::string text() const override { return way_.text() + " by " + through_->name(); }

 private:
  static distances bytes_of(const request& wanted) {
    const std::size_t in = wanted.what.real ? sizeof(T) : 2 * sizeof(T);
    return {wanted.user.in * in, wanted.user.out * 2 * sizeof(T)};
  }

  std::unique_ptr<transit> make_through(oshen_group_t* group, std::vector<move> moves,
                                        const request& wanted, oshen_status_t* status) const {
    if (wanted.strategy == nullptr) {
      auto made = make_shared(group, moves, fields_, status);
      if (made != nullptr || *status != OSHEN_UNSUPPORTED) return made;
    }
    return make_planned(group, std::move(moves), fields_, wanted.strategy, status);
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

  void count_cost(const std::vector<move>& moves, int forward) {
    const auto mine = static_cast<std::size_t>(me_);
    cost_.passes = static_cast<int>(way_.stages.size());
    for (int i = 0; i < forward; i++) {
      const move& m = moves[static_cast<std::size_t>(i)];
      cost_.exchanges++;
      for (std::size_t r = 0; r < m.to.size(); r++) {
        const std::size_t points = r == mine ? 0 : overlap(m.from[mine], m.to[r]).volume();
        if (points == 0) continue;
        cost_.messages++;
        cost_.bytes += points * m.element * static_cast<std::size_t>(fields_);
      }
    }
    for (const stage& s : way_.stages) {
      const std::size_t read = s.before[mine].volume() * (s.real_before ? 1 : 2);
      const std::size_t written = s.after[mine].volume() * (s.real_after ? 1 : 2);
      cost_.bytes_pass += (read + written) * sizeof(T) * static_cast<std::size_t>(fields_);
    }
  }

  route way_;
  int me_;
  int fields_;
  std::unique_ptr<transit> through_;
  std::unique_ptr<void, fftw_deleter> scratch_;
  std::size_t scratch_bytes_ = 0;
  std::unique_ptr<engine<T>> forward_, backward_;
  engine<T>* now_ = nullptr;
  oshen_fft_cost_t cost_{};
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
