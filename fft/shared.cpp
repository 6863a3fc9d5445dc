// Transit on a node: passes write straight into the work arrays of the receivers.
// Messages: none, one flag per partner and move. Copies: none beyond those of the passes. Memory:
// two work arrays, each as large as the largest that this PE needs between input and output.
#include <algorithm>

#include "meeting.hpp"
#include "transit.hpp"

namespace oshen::fft {
namespace {

class shared : public transit {
 public:
  shared(std::unique_ptr<meeting> place, std::vector<move> moves, int me)
      : meeting_(std::move(place)), moves_(std::move(moves)), me_(me) {}

  layout targets(int move) const override { return of(move).to; }
  bool copies() const override { return false; }

  void find_places(int move, std::span<const int> receivers, std::vector<place>& to) override {
    to.clear();
    for (const int r : receivers) to.push_back({meeting_->work(r), distance(move, r)});
  }
  void send(int, bool, source_place) override { meeting_->finished_writing(); }
  bool test(int) override { return meeting_->all_finished(); }
  void wait(int) override { meeting_->wait_for_all(); }
  source_place received(int move) const override {
    return {meeting_->last_work(), distance(move, me_)};
  }

  std::size_t symmetric_bytes() const override { return meeting_->bytes(); }
  std::size_t ordinary_bytes() const override { return 0; }
  const char* name() const override { return "shared work arrays"; }

 private:
  const move& of(int move) const { return moves_[static_cast<std::size_t>(move)]; }
  std::size_t distance(int move, int member) const {
    return of(move).to[static_cast<std::size_t>(member)].volume() * of(move).element;
  }

  std::unique_ptr<meeting> meeting_;
  std::vector<move> moves_;
  int me_;
};

std::vector<int> partners_of(const std::vector<move>& moves, int me) {
  std::vector<int> partners;
  const auto mine = static_cast<std::size_t>(me);
  const int n = moves.empty() ? 0 : static_cast<int>(moves[0].from.size());
  for (int i = 1; i < n; i++) {
    const int r = (me + i) % n;
    const auto other = static_cast<std::size_t>(r);
    const bool meets = std::any_of(moves.begin(), moves.end(), [&](const move& m) {
      return !overlap(m.from[mine], m.to[other]).empty() ||
             !overlap(m.from[other], m.to[mine]).empty();
    });
    if (meets) partners.push_back(r);
  }
  return partners;
}

}  // namespace

std::unique_ptr<transit> make_shared(oshen_group_t* group, std::vector<move> moves, int fields,
                                     oshen_status_t* status) {
  const int me = oshen_group_rank(group);
  std::size_t bytes = 0;
  for (const move& m : moves) {
    bytes = std::max(bytes, m.to[static_cast<std::size_t>(me)].volume() * m.element *
                                static_cast<std::size_t>(fields));
  }
  auto place = meeting::make(group, partners_of(moves, me), bytes, status);
  if (place == nullptr) return nullptr;
  return std::make_unique<shared>(std::move(place), std::move(moves), me);
}

}  // namespace oshen::fft
