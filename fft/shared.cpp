// Transit on a node: passes read and write the work arrays of others.
// Messages: none, one flag per partner and sync. Copies: none beyond those of the passes.
// Memory: one or two work arrays, each as large as the largest that a route needs on this PE.
#include <algorithm>

#include "neighbour_sync.hpp"
#include "transit.hpp"

namespace oshen::fft {
namespace {

class shared : public transit {
 public:
  shared(std::unique_ptr<neighbour_sync> place, std::vector<move> moves, bool at_home)
      : sync_(std::move(place)), moves_(std::move(moves)), at_home_(at_home) {}
  ~shared() override {
    if (at_home_) return;
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

  std::size_t symmetric_bytes() const override { return sync_->bytes(); }
  std::size_t ordinary_bytes() const override { return 0; }
  const char* name() const override { return "shared work arrays"; }

 private:
  const move& of(int move) const { return moves_[static_cast<std::size_t>(move)]; }

  std::unique_ptr<neighbour_sync> sync_;
  std::vector<move> moves_;
  bool at_home_;
};

}  // namespace

std::unique_ptr<transit> make_shared(oshen_group_t* group, std::vector<move> moves,
                                     std::vector<int> partners, bool at_home, int fields,
                                     oshen_status_t* status) {
  const auto me = static_cast<std::size_t>(oshen_group_rank(group));
  std::size_t bytes = 0;
  int arrays = 1;
  for (const move& m : moves) {
    bytes = std::max(bytes, m.written[me].volume() * m.element * static_cast<std::size_t>(fields));
    if (m.swaps) arrays = 2;
  }
  auto place = neighbour_sync::make(group, std::move(partners), arrays, bytes, status);
  if (place == nullptr) return nullptr;
  return std::make_unique<shared>(std::move(place), std::move(moves), at_home);
}

}  // namespace oshen::fft
