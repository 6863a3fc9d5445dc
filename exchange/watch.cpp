#include "watch.hpp"

#include <algorithm>

namespace oshen::exchange {

void watch::lie_at(std::uint64_t* words, std::size_t n) {
  words_ = words;
  std::fill_n(words, n, std::uint64_t{0});
  values_.assign(n, 0);
  unwanted_.assign(n, 1);
}

void watch::want(std::size_t word, std::uint64_t value) {
  values_[word] = value;
  n_wanted_ += unwanted_[word] != 0 ? 1 : 0;
  unwanted_[word] = 0;
}

void watch::want_no_more(std::size_t word) {
  n_wanted_ -= unwanted_[word] == 0 ? 1 : 0;
  unwanted_[word] = 1;
}

bool watch::take(std::size_t word) {
  if (unwanted_[word] != 0) return false;
  if (shmem_uint64_test(words_ + word, SHMEM_CMP_GE, values_[word]) == 0) return false;
  want_no_more(word);
  return true;
}

#if OSHEN_EXCHANGE_TEAMS  // 1.5 has waits on several words as well

std::size_t watch::wait() {
  if (n_wanted_ == 1) {
    const auto only = static_cast<std::size_t>(std::find(unwanted_.begin(), unwanted_.end(), 0) -
                                               unwanted_.begin());
    shmem_uint64_wait_until(words_ + only, SHMEM_CMP_GE, values_[only]);
    return only;
  }
  return shmem_uint64_wait_until_any_vector(words_, values_.size(), unwanted_.data(), SHMEM_CMP_GE,
                                            values_.data());
}

#else

bool watch::find(std::size_t& word) const {
  for (word = 0; word < values_.size(); word++) {
    if (unwanted_[word] == 0 && shmem_uint64_test(words_ + word, SHMEM_CMP_GE, values_[word]) != 0)
      return true;
  }
  return false;
}

#endif

}  // namespace oshen::exchange
