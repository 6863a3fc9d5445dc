// Transit on a node: passes read and write the work arrays of others.
// Messages: none, one flag per partner and meeting. Copies: none beyond those of the passes.
// Memory: one or two work arrays, each as large as the largest that a route needs on this PE.
#include <algorithm>

#include "meeting.hpp"
#include "transit.hpp"

namespace oshen::fft {
namespace {

class shared : public transit {
 public:
  shared(std::unique_ptr<meeting> place, std::vector<move> moves, bool at_home)
      : meeting_(std::move(place)), moves_(std::move(moves)), at_home_(at_home) {}
  ~shared() override {
    if (at_home_) return;
    meeting_->finished();
    meeting_->wait_for_all();
  }

  void begin(int move) override {
    if (of(move).turns) meeting_->turn();
  }
  place target(int move, int pe) const override {
    const std::size_t points = of(move).written[static_cast<std::size_t>(pe)].volume();
    return {meeting_->work(pe), points * of(move).element};
  }
  place source(int move, int pe) const override { return target(move, pe); }
  bool copies() const override { return false; }

  bool offer(std::byte* output) override { return meeting_->offer(output); }
  std::byte* offered(int pe) const override { return meeting_->offered(pe); }

  void send(int, bool, source_place) override { meeting_->finished(); }
  bool test(int) override { return meeting_->all_finished(); }
  void wait(int) override { meeting_->wait_for_all(); }

  std::size_t symmetric_bytes() const override { return meeting_->bytes(); }
  std::size_t ordinary_bytes() const override { return 0; }
  const char* name() const override { return "shared work arrays"; }

 private:
  const move& of(int move) const { return moves_[static_cast<std::size_t>(move)]; }

  std::unique_ptr<meeting> meeting_;
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
    if (m.turns) arrays = 2;
  }
  auto place = meeting::make(group, std::move(partners), arrays, bytes, status);
  if (place == nullptr) return nullptr;
  return std::make_unique<shared>(std::move(place), std::move(moves), at_home);
}

}  // namespace oshen::fft
