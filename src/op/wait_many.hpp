// Waiting for and testing several variables at once (OpenSHMEM 1.6, 9.10.2 to 9.10.10).
//
// `status` is the caller's mask, which the library never writes: a non-zero entry excludes its variable. If no variable
// remains, `all` is true, `any` is SIZE_MAX and `some` is 0. `any` begins each search at a random variable, so that no
// variable starves, regardless of the order in which a program polls its sets.
#pragma once

#include <cstdint>

#include "op/wait.hpp"

namespace oshen::op {

// The wanted value of every variable of a call, indexed like an array of values.
template <class T>
struct same_value {
  T value;
  T operator[](std::size_t) const { return value; }
};

// A random number from 0 to n - 1, at which a search begins.
std::size_t draw(std::size_t n);

// The variables of one call.
template <class T, class Values>
class watched_set {
 public:
  watched_set(call_site at, T* ivars, std::size_t n, const int* status, int cmp, Values wanted)
      : at_(at), ivars_(ivars), n_(n), status_(status), cmp_(cmp), wanted_(wanted) {
    if (n != 0) memory_ = check_watched(at, "ivars", ivars, n, cmp);
  }

  bool empty() const {
    for (std::size_t i = 0; i < n_; ++i)
      if (counts(i)) return false;
    return true;
  }
  bool all_hold() const {
    for (std::size_t i = 0; i < n_; ++i)
      if (counts(i) && !holds_at(i)) return false;
    return true;
  }
  std::size_t find_any() const {
    const std::size_t start = draw(n_);
    for (std::size_t k = 0; k < n_; ++k) {
      const std::size_t i = start + k < n_ ? start + k : start + k - n_;
      if (counts(i) && holds_at(i)) return i;
    }
    return SIZE_MAX;
  }
  std::size_t find_some(std::size_t* indices) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < n_; ++i)
      if (counts(i) && holds_at(i)) indices[found++] = i;
    return found;
  }
  // The result of a test. If it fails, this PE gives way to the PE that it waits for, and tests again.
  template <class Find, class Found>
  Found tested(Find find, Found nothing) const {
    const Found found = find();
    if (found != nothing || n_ == 0 || !gives_way(*at_.ctx->home)) [[likely]]
      return found;
    looked_in_vain(*at_.ctx->home, ivars_, sum());
    return find();
  }
  template <class Ready>
  void wait(Ready ready) const {
    check_symmetric(at_, "ivars", ivars_, n_ * sizeof(T));
    const wait_info info{.routine = at_.routine,
                         .address = ivars_,
                         .relation = comparison_name(cmp_),
                         .wanted = static_cast<long long>(wanted_[0]),
                         .object = memory_,
                         .bytes = n_ * sizeof(T),
                         .what = awaited::object};
    wait_for(*at_.ctx->home, info, ready);
  }

 private:
  bool counts(std::size_t i) const { return status_ == nullptr || status_[i] == 0; }
  // Changes when a variable changes or is excluded.
  std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < n_; ++i)
      if (counts(i)) all += static_cast<std::uint64_t>(load(ivars_ + i));
    return all;
  }
  bool holds_at(std::size_t i) const { return holds(load(ivars_ + i), cmp_, static_cast<T>(wanted_[i])); }

  call_site at_;
  T* ivars_;
  const void* memory_ = nullptr;
  std::size_t n_;
  const int* status_;
  int cmp_;
  Values wanted_;
};

// ---- the variables of a call: with one value for all of them, or one for each -------------------------------------

template <class T>
inline watched_set<T, same_value<T>> set_of(call_site at, T* ivars, std::size_t n, const int* status, int cmp,
                                            T value) {
  return {at, ivars, n, status, cmp, same_value<T>{value}};
}
template <class T>
inline watched_set<T, const T*> set_of_each(call_site at, T* ivars, std::size_t n, const int* status, int cmp,
                                            const T* values) {
  return {at, ivars, n, status, cmp, values};
}

// ---- the routines ---------------------------------------------------------------------------------------------

template <class T, class Values>
inline void wait_until_all(const watched_set<T, Values>& set) {
  if (!set.empty()) set.wait([&] { return set.all_hold(); });
}
template <class T, class Values>
inline std::size_t wait_until_any(const watched_set<T, Values>& set) {
  std::size_t found = SIZE_MAX;
  if (!set.empty()) set.wait([&] { return (found = set.find_any()) != SIZE_MAX; });
  return found;
}
template <class T, class Values>
inline std::size_t wait_until_some(const watched_set<T, Values>& set, std::size_t* indices) {
  std::size_t found = 0;
  if (!set.empty()) set.wait([&] { return (found = set.find_some(indices)) != 0; });
  return found;
}

template <class T, class Values>
inline int test_all(const watched_set<T, Values>& set) {
  return set.tested([&] { return set.all_hold() ? 1 : 0; }, 0);
}
template <class T, class Values>
inline std::size_t test_any(const watched_set<T, Values>& set) {
  return set.tested([&] { return set.find_any(); }, SIZE_MAX);
}
template <class T, class Values>
inline std::size_t test_some(const watched_set<T, Values>& set, std::size_t* indices) {
  return set.tested([&] { return set.find_some(indices); }, std::size_t{0});
}

}  // namespace oshen::op
