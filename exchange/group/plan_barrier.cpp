#include "exchange/group/plan_barrier.hpp"

namespace oshen::exchange {

void plan_barrier::init(const oshen_group& group, std::size_t first_flag) {
  group_ = &group;
  first_flag_ = first_flag;
  flag_offsets_.assign(group.members.size(), 0);
  for (rounds_ = 0; (1 << rounds_) < group.size(); rounds_++) continue;
}

int plan_barrier::source_in(int round) const {
  const int n = group_->size();
  return (group_->me + n - (1 << round)) % n;
}

void plan_barrier::enter(flag_wait& flags, std::uint64_t run) {
  run_ = run;
  round_ = 0;
  if (rounds_ > 0) signal_next(flags);
}

// A peer may be one run ahead in a round. Its flag is then larger than needed, which does no harm.
void plan_barrier::signal_next(flag_wait& flags) {
  const int to = (group_->me + (1 << round_)) % group_->size();
  const std::uint64_t flag =
      flag_offsets_[static_cast<std::size_t>(to)] + static_cast<std::uint64_t>(round_) * sizeof(std::uint64_t);
  raise_flag(*group_->arena, flag, run_, group_->at(to).pe);
  flags.arm(first_flag_ + static_cast<std::size_t>(round_), run_);
}

bool plan_barrier::advance(flag_wait& flags) {
  bool moved = false;
  while (entered() && !passed() && flags.take(first_flag_ + static_cast<std::size_t>(round_))) {
    moved = true;
    if (++round_ < rounds_) signal_next(flags);
  }
  return moved;
}

}  // namespace oshen::exchange
