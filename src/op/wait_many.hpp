// Waiting for and testing several variables at once (OpenSHMEM 1.6, 9.10.2 to 9.10.10).
//
// `status` is a mask of the caller's: a non-zero entry leaves its variable out; it is never written. Where no
// variable is left, `all` holds, `any` is SIZE_MAX and `some` is 0. `any` and `some` begin each time where the
// last call of this thread left off, so that no variable is starved.
#pragma once

#include <cstdint>

#include "op/wait.hpp"

namespace oshen::op {

// One value for all variables, or one for each.
template <class T>
struct same_value {
  T value;
  T operator[](std::size_t) const { return value; }
};

// Where this thread's next search begins, counted on by each search.
unsigned next_start();

// The variables of one call.
template <class T, class Values>
class watched_set {
 public:
  watched_set(site at, T* ivars, std::size_t n, const int* status, int cmp, Values wanted)
      : at_(at), ivars_(ivars), n_(n), status_(status), cmp_(cmp), wanted_(wanted) {
    if (n != 0) check_watched(at, "ivars", ivars, n, cmp);
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
    const std::size_t start = n_ == 0 ? 0 : next_start() % n_;
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
  template <class Ready>
  void wait(Ready ready) const {
    const wait_note note{.routine = at_.routine, .address = ivars_, .relation = comparison_name(cmp_),
                         .wanted = static_cast<long long>(wanted_[0])};
    wait_for(*at_.where->home, note, ready);
  }

 private:
  bool counts(std::size_t i) const { return status_ == nullptr || status_[i] == 0; }
  bool holds_at(std::size_t i) const { return holds(look(ivars_ + i), cmp_, static_cast<T>(wanted_[i])); }

  site at_;
  T* ivars_;
  std::size_t n_;
  const int* status_;
  int cmp_;
  Values wanted_;
};

template <class T, class Values>
inline void wait_all(const watched_set<T, Values>& set) {
  if (!set.empty()) set.wait([&] { return set.all_hold(); });
}
template <class T, class Values>
inline std::size_t wait_any(const watched_set<T, Values>& set) {
  std::size_t found = SIZE_MAX;
  if (!set.empty()) set.wait([&] { return (found = set.find_any()) != SIZE_MAX; });
  return found;
}
template <class T, class Values>
inline std::size_t wait_some(const watched_set<T, Values>& set, std::size_t* indices) {
  std::size_t found = 0;
  if (!set.empty()) set.wait([&] { return (found = set.find_some(indices)) != 0; });
  return found;
}

// ---- the routines: one value for all --------------------------------------------------------------------

template <class T>
inline watched_set<T, same_value<T>> watch(site at, T* ivars, std::size_t n, const int* status, int cmp, T value) {
  return {at, ivars, n, status, cmp, same_value<T>{value}};
}
template <class T>
inline void wait_until_all(site at, T* ivars, std::size_t n, const int* status, int cmp, T value) {
  wait_all(watch(at, ivars, n, status, cmp, value));
}
template <class T>
inline std::size_t wait_until_any(site at, T* ivars, std::size_t n, const int* status, int cmp, T value) {
  return wait_any(watch(at, ivars, n, status, cmp, value));
}
template <class T>
inline std::size_t wait_until_some(site at, T* ivars, std::size_t n, std::size_t* indices, const int* status, int cmp,
                                   T value) {
  return wait_some(watch(at, ivars, n, status, cmp, value), indices);
}
template <class T>
inline int test_all(site at, T* ivars, std::size_t n, const int* status, int cmp, T value) {
  return watch(at, ivars, n, status, cmp, value).all_hold() ? 1 : 0;
}
template <class T>
inline std::size_t test_any(site at, T* ivars, std::size_t n, const int* status, int cmp, T value) {
  return watch(at, ivars, n, status, cmp, value).find_any();
}
template <class T>
inline std::size_t test_some(site at, T* ivars, std::size_t n, std::size_t* indices, const int* status, int cmp,
                             T value) {
  return watch(at, ivars, n, status, cmp, value).find_some(indices);
}

// ---- the routines: a value for each ---------------------------------------------------------------------

template <class T>
inline watched_set<T, const T*> watch_each(site at, T* ivars, std::size_t n, const int* status, int cmp,
                                           const T* values) {
  return {at, ivars, n, status, cmp, values};
}
template <class T>
inline void wait_until_all_vector(site at, T* ivars, std::size_t n, const int* status, int cmp, const T* values) {
  wait_all(watch_each(at, ivars, n, status, cmp, values));
}
template <class T>
inline std::size_t wait_until_any_vector(site at, T* ivars, std::size_t n, const int* status, int cmp,
                                         const T* values) {
  return wait_any(watch_each(at, ivars, n, status, cmp, values));
}
template <class T>
inline std::size_t wait_until_some_vector(site at, T* ivars, std::size_t n, std::size_t* indices, const int* status,
                                          int cmp, const T* values) {
  return wait_some(watch_each(at, ivars, n, status, cmp, values), indices);
}
template <class T>
inline int test_all_vector(site at, T* ivars, std::size_t n, const int* status, int cmp, const T* values) {
  return watch_each(at, ivars, n, status, cmp, values).all_hold() ? 1 : 0;
}
template <class T>
inline std::size_t test_any_vector(site at, T* ivars, std::size_t n, const int* status, int cmp, const T* values) {
  return watch_each(at, ivars, n, status, cmp, values).find_any();
}
template <class T>
inline std::size_t test_some_vector(site at, T* ivars, std::size_t n, std::size_t* indices, const int* status,
                                    int cmp, const T* values) {
  return watch_each(at, ivars, n, status, cmp, values).find_some(indices);
}

}  // namespace oshen::op
