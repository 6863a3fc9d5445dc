// Transit on a node: passes read and write the work arrays of others.
// Messages: none, one flag per partner and sync. Copies: none beyond those of the passes.
// Memory: one or two work arrays, each as large as the largest that a route needs on this PE. Where it is lent, PEs
// meet before the first pass, so that nobody is written to who has other work there, and at the end unless all are at
// home then.
#include <algorithm>

#include "neighbour_sync.hpp"
#include "transit.hpp"

namespace oshen::fft {
namespace {

class shared : public transit {
 public:
  shared(std::unique_ptr<neighbour_sync> place, std::vector<move> moves, bool at_home, bool is_lent)
      : sync_(std::move(place)), moves_(std::move(moves)), at_home_(at_home), is_lent_(is_lent) {}
  ~shared() override {
    if (at_home_ || is_lent_) return;
    sync_->finished();
    sync_->wait_for_all();
  }

  void begin(int move) override {
    if (of(move).swaps) sync_->swap_arrays();
  }
  array_view target(int move, int pe) const override {
    const std::size_t points = of(move).written[static_cast<std::size_t>(pe)].volume();
    return {sync_->work(pe), points * of(move).element};
  }
  array_view source(int move, int pe) const override { return target(move, pe); }
  bool copies() const override { return false; }

  bool offer(std::byte* output) override { return sync_->offer(output); }
  std::byte* offered(int pe) const override { return sync_->offered(pe); }

  void send(int, bool, const_array_view) override { sync_->finished(); }
  bool test(int) override { return sync_->all_finished(); }
  void wait(int) override { sync_->wait_for_all(); }

  bool meets_first() const override { return is_lent_; }
  bool meets_last() const override { return is_lent_ && !at_home_; }

  std::size_t symmetric_bytes() const override { return sync_->bytes(); }
  std::size_t ordinary_bytes() const override { return 0; }
  const char* name() const override { return "shared work arrays"; }

 private:
  const move& of(int move) const { return moves_[static_cast<std::size_t>(move)]; }

  std::unique_ptr<neighbour_sync> sync_;
  std::vector<move> moves_;
  bool at_home_, is_lent_;
};

}  // namespace

work_arrays shared_arrays(const std::vector<move>& moves, int me, int fields) {
  work_arrays need;
  for (const move& m : moves) {
    const std::size_t points = m.written[static_cast<std::size_t>(me)].volume() * static_cast<std::size_t>(fields);
    need.bytes = std::max(need.bytes, points * m.element);
    if (m.swaps) need.count = 2;
  }
  return need;
}

std::size_t work_arrays::all() const {
  return static_cast<std::size_t>(count) * neighbour_sync::rounded(bytes);
}

std::unique_ptr<transit> make_shared(oshen_group_t* group, std::vector<move> moves,
                                     std::vector<int> partners, bool at_home, int fields,
                                     const lent_memory& lent, oshen_status_t* status) {
  const work_arrays need = shared_arrays(moves, oshen_group_rank(group), fields);
  auto place = neighbour_sync::make(group, std::move(partners), need, lent, status);
  if (place == nullptr) return nullptr;
  return std::make_unique<shared>(std::move(place), std::move(moves), at_home, lent.base != nullptr);
}

}  // namespace oshen::fft
