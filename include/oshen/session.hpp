/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of oshen/oshen.hpp: start and end of the library, contexts, teams. */
#ifndef OSHEN_SESSION_HPP
#define OSHEN_SESSION_HPP

#if __cplusplus < 202002L
#error "oshen/oshen.hpp needs C++20: compile with oshc++ or -std=c++20"
#else

#include <shmem.h>
#include <shmemx.h>

#include <stdexcept>
#include <utility>

namespace oshen {

/** The number of this PE, and the number of PEs. */
inline int my_pe() { return shmem_my_pe(); }
inline int n_pes() { return shmem_n_pes(); }
/** shmem_barrier_all, shmem_sync_all. Collective over all PEs. */
inline void barrier_all() { shmem_barrier_all(); }
inline void sync_all() { shmem_sync_all(); }

/** Initialises the library, and finalises it at the end of the scope. Collective over all PEs. */
class session {
 public:
  session() { shmem_init(); }
  /** requested: SHMEM_THREAD_...; throws std::runtime_error if the library cannot start. */
  explicit session(int requested) {
    if (shmem_init_thread(requested, &provided_) != 0)
      throw std::runtime_error("shmem_init_thread: the library could not start");
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() { shmem_finalize(); }

  /** The thread level in force. */
  int provided() const { return provided_; }

 private:
  int provided_ = SHMEM_THREAD_SINGLE;
};

/** A context. Its end completes its operations. Not collective. */
class context {
 public:
  context() = default;  // empty
  /** options: SHMEM_CTX_... or 0. PE numbers count in the team of the context, which must outlive the context. */
  static context create(long options = 0) {
    context made;
    if (shmem_ctx_create(options, &made.ctx_) != 0) throw std::runtime_error("shmem_ctx_create: no context");
    return made;
  }
  static context create(shmem_team_t team, long options = 0) {
    context made;
    if (shmem_team_create_ctx(team, options, &made.ctx_) != 0)
      throw std::runtime_error("shmem_team_create_ctx: no context");
    return made;
  }
  context(context&& other) noexcept : ctx_(std::exchange(other.ctx_, SHMEM_CTX_INVALID)) {}
  context& operator=(context&& other) noexcept {
    std::swap(ctx_, other.ctx_);
    return *this;
  }
  ~context() { shmem_ctx_destroy(ctx_); }

  /** The handle for C calls. */
  operator shmem_ctx_t() const { return ctx_; }
  void fence() const { shmem_ctx_fence(ctx_); }
  void quiet() const { shmem_ctx_quiet(ctx_); }
  /** Waits until the sources of earlier non-blocking puts may be changed; quiet() completes the puts. */
  void quiet_local() const { shmemx_ctx_quiet_local(ctx_); }

 private:
  shmem_ctx_t ctx_ = SHMEM_CTX_INVALID;
};

/** A team of PEs. Destroyed collectively over its members. */
class team {
 public:
  team() = default;  // SHMEM_TEAM_INVALID
  /** The `size` PEs start, start + stride, ... of parent. On other PEs the result is empty. Collective over parent. */
  static team split(shmem_team_t parent, int start, int stride, int size) {
    team made;
    if (shmem_team_split_strided(parent, start, stride, size, nullptr, 0, &made.team_) != 0)
      throw std::runtime_error("shmem_team_split_strided: no team");
    return made;
  }
  /** The row of `xrange` PEs and the column of this PE: first and second. Collective over parent. */
  static std::pair<team, team> split_2d(shmem_team_t parent, int xrange) {
    std::pair<team, team> made;
    if (shmem_team_split_2d(parent, xrange, nullptr, 0, &made.first.team_, nullptr, 0, &made.second.team_) != 0)
      throw std::runtime_error("shmem_team_split_2d: no teams");
    return made;
  }
  team(team&& other) noexcept : team_(std::exchange(other.team_, SHMEM_TEAM_INVALID)) {}
  team& operator=(team&& other) noexcept {
    std::swap(team_, other.team_);
    return *this;
  }
  ~team() { shmem_team_destroy(team_); }

  operator shmem_team_t() const { return team_; }
  /** True if this PE is a member. */
  explicit operator bool() const { return team_ != SHMEM_TEAM_INVALID; }
  int my_pe() const { return shmem_team_my_pe(team_); }
  int n_pes() const { return shmem_team_n_pes(team_); }
  /** Collective over the team. */
  void sync() const { shmem_team_sync(team_); }
  /** The number of PE `pe` of this team in team `to`; -1 if it is not a member. */
  int translate(int pe, shmem_team_t to = SHMEM_TEAM_WORLD) const { return shmem_team_translate_pe(team_, pe, to); }

 private:
  shmem_team_t team_ = SHMEM_TEAM_INVALID;
};

}  // namespace oshen
#endif
#endif
