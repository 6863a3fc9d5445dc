/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of oshen/oshen.hpp: collectives of whole arrays. All PEs of the team call; PE numbers count in the team.
 * std::invalid_argument: the sizes do not fit. Rules for reuse of `dest`: docs/user/races.md. */
#ifndef OSHEN_COLLECTIVES_HPP
#define OSHEN_COLLECTIVES_HPP

#include <oshen/symmetric.hpp>

#if __cplusplus >= 202002L

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace oshen {

namespace detail {
inline std::size_t pes_of(shmem_team_t team) { return static_cast<std::size_t>(shmem_team_n_pes(team)); }
inline void expect(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(what);
}
}  // namespace detail

/** The array of PE `root` becomes that of all PEs. */
template <class T>
void broadcast(const symmetric_array<T>& data, int root, shmem_team_t team = SHMEM_TEAM_WORLD) {
  shmem_broadcastmem(team, data.data(), data.data(), data.size() * sizeof(T), root);
}
/** dest: the arrays `source` of all PEs, one after the other. */
template <class T>
void fcollect(const symmetric_array<T>& dest, const symmetric_array<T>& source, shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size() * detail::pes_of(team), "oshen::fcollect: dest needs n_pes times source");
  shmem_fcollectmem(team, dest.data(), source.data(), source.size() * sizeof(T));
}
/** Block i of source becomes block `my number` of dest on PE i. */
template <class T>
void alltoall(const symmetric_array<T>& dest, const symmetric_array<T>& source, shmem_team_t team = SHMEM_TEAM_WORLD) {
  const std::size_t n = detail::pes_of(team);
  detail::expect(dest.size() == source.size() && source.size() % n == 0,
                 "oshen::alltoall: dest and source need the same size, a multiple of n_pes");
  shmem_alltoallmem(team, dest.data(), source.data(), source.size() / n * sizeof(T));
}

/** Element i of dest becomes the sum of the elements i of all PEs; and so on for the others. dest may be source. */
template <summable T>
void sum_reduce(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::sum_reduce: dest and source need the same size");
  shmem_sum_reduce(team, dest.data(), source.data(), source.size());
}
template <summable T>
void prod_reduce(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                 shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::prod_reduce: dest and source need the same size");
  shmem_prod_reduce(team, dest.data(), source.data(), source.size());
}
template <ordered T>
void min_reduce(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::min_reduce: dest and source need the same size");
  shmem_min_reduce(team, dest.data(), source.data(), source.size());
}
template <ordered T>
void max_reduce(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::max_reduce: dest and source need the same size");
  shmem_max_reduce(team, dest.data(), source.data(), source.size());
}
template <bitwise T>
void and_reduce(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::and_reduce: dest and source need the same size");
  shmem_and_reduce(team, dest.data(), source.data(), source.size());
}
template <bitwise T>
void or_reduce(const symmetric_array<T>& dest, const symmetric_array<T>& source, shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::or_reduce: dest and source need the same size");
  shmem_or_reduce(team, dest.data(), source.data(), source.size());
}
template <bitwise T>
void xor_reduce(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::xor_reduce: dest and source need the same size");
  shmem_xor_reduce(team, dest.data(), source.data(), source.size());
}

/** Element i of dest becomes the sum of the elements i of the PEs up to this one: with it (inscan) or without (exscan).
 */
template <summable T>
void sum_inscan(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::sum_inscan: dest and source need the same size");
  shmem_sum_inscan(team, dest.data(), source.data(), source.size());
}
template <summable T>
void sum_exscan(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::sum_exscan: dest and source need the same size");
  shmem_sum_exscan(team, dest.data(), source.data(), source.size());
}

/** A collective that was begun. wait(), or the end of its life, completes it; before that its arrays must not be
 * changed, read, moved or destroyed. All PEs of a team begin the same ones in the same order. */
class [[nodiscard]] request {
 public:
  explicit request(shmemx_request_t begun) noexcept : begun_(begun) {}
  request(request&& other) noexcept : begun_(std::exchange(other.begun_, SHMEMX_REQUEST_INVALID)) {}
  request& operator=(request&& other) noexcept {
    std::swap(begun_, other.begun_);
    return *this;
  }
  ~request() { wait(); }

  /** Does nothing a second time, or after a move. */
  void wait() { shmemx_coll_wait(&begun_); }
  /** True if it is complete. */
  bool test() { return shmemx_coll_test(&begun_) != 0; }

 private:
  shmemx_request_t begun_;
};

namespace detail {
template <class Call>
request begin(Call call) {
  shmemx_request_t begun = SHMEMX_REQUEST_INVALID;
  if (call(&begun) != 0) throw std::runtime_error("oshen: a non-blocking collective could not begin");
  return request(begun);
}
}  // namespace detail

/** The collectives above, begun. */
template <class T>
request broadcast_async(const symmetric_array<T>& data, int root, shmem_team_t team = SHMEM_TEAM_WORLD) {
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_broadcastmem_nb(team, data.data(), data.data(), data.size() * sizeof(T), root, begun);
  });
}
template <class T>
request fcollect_async(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                       shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size() * detail::pes_of(team), "oshen::fcollect: dest needs n_pes times source");
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_fcollectmem_nb(team, dest.data(), source.data(), source.size() * sizeof(T), begun);
  });
}
template <class T>
request alltoall_async(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                       shmem_team_t team = SHMEM_TEAM_WORLD) {
  const std::size_t n = detail::pes_of(team);
  detail::expect(dest.size() == source.size() && source.size() % n == 0,
                 "oshen::alltoall: dest and source need the same size, a multiple of n_pes");
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_alltoallmem_nb(team, dest.data(), source.data(), source.size() / n * sizeof(T), begun);
  });
}
template <summable T>
request sum_reduce_async(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                         shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::sum_reduce: dest and source need the same size");
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_sum_reduce_nb(team, dest.data(), source.data(), source.size(), begun);
  });
}
template <summable T>
request prod_reduce_async(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                          shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::prod_reduce: dest and source need the same size");
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_prod_reduce_nb(team, dest.data(), source.data(), source.size(), begun);
  });
}
template <ordered T>
request min_reduce_async(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                         shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::min_reduce: dest and source need the same size");
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_min_reduce_nb(team, dest.data(), source.data(), source.size(), begun);
  });
}
template <ordered T>
request max_reduce_async(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                         shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::max_reduce: dest and source need the same size");
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_max_reduce_nb(team, dest.data(), source.data(), source.size(), begun);
  });
}
template <bitwise T>
request and_reduce_async(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                         shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::and_reduce: dest and source need the same size");
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_and_reduce_nb(team, dest.data(), source.data(), source.size(), begun);
  });
}
template <bitwise T>
request or_reduce_async(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                        shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::or_reduce: dest and source need the same size");
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_or_reduce_nb(team, dest.data(), source.data(), source.size(), begun);
  });
}
template <bitwise T>
request xor_reduce_async(const symmetric_array<T>& dest, const symmetric_array<T>& source,
                         shmem_team_t team = SHMEM_TEAM_WORLD) {
  detail::expect(dest.size() == source.size(), "oshen::xor_reduce: dest and source need the same size");
  return detail::begin([&](shmemx_request_t* begun) {
    return shmemx_xor_reduce_nb(team, dest.data(), source.data(), source.size(), begun);
  });
}

}  // namespace oshen
#endif
#endif
