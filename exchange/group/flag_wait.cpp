#include "exchange/group/flag_wait.hpp"

#include <algorithm>

namespace oshen::exchange {

void flag_wait::attach(std::uint64_t* flags, std::size_t n) {
  flags_ = flags;
  std::fill_n(flags, n, std::uint64_t{0});
  values_.assign(n, 0);
  disarmed_.assign(n, 1);
}

void flag_wait::arm(std::size_t flag, std::uint64_t value) {
  values_[flag] = value;
  n_armed_ += disarmed_[flag] != 0 ? 1 : 0;
  disarmed_[flag] = 0;
}

void flag_wait::disarm(std::size_t flag) {
  n_armed_ -= disarmed_[flag] == 0 ? 1 : 0;
  disarmed_[flag] = 1;
}

bool flag_wait::take(std::size_t flag) {
  if (disarmed_[flag] != 0) return false;
  if (shmem_uint64_test(flags_ + flag, SHMEM_CMP_GE, values_[flag]) == 0) return false;
  disarm(flag);
  return true;
}

#if OSHEN_EXCHANGE_TEAMS  // OpenSHMEM 1.5 also has waits for several variables

std::size_t flag_wait::wait() {
  if (n_armed_ == 1) {
    const auto only = static_cast<std::size_t>(std::find(disarmed_.begin(), disarmed_.end(), 0) - disarmed_.begin());
    shmem_uint64_wait_until(flags_ + only, SHMEM_CMP_GE, values_[only]);
    return only;
  }
  return shmem_uint64_wait_until_any_vector(flags_, values_.size(), disarmed_.data(), SHMEM_CMP_GE, values_.data());
}

#else

bool flag_wait::find(std::size_t& flag) const {
  for (flag = 0; flag < values_.size(); flag++) {
    if (disarmed_[flag] == 0 && shmem_uint64_test(flags_ + flag, SHMEM_CMP_GE, values_[flag]) != 0) return true;
  }
  return false;
}

#endif

}  // namespace oshen::exchange
