/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenSHMEM for C++20: RAII objects and typed symmetric memory. Header-only, on the public C API. For all other
 * routines call shmem.h, where shmem_put and others are overloaded.
 *
 *     oshen::session session;                                  // shmem_init, shmem_finalize
 *     oshen::symmetric_array<double> field(1000);              // the same on every PE
 *     field.put(oshen::my_pe() == 0 ? 1 : 0, values);          // std::span<const double>
 *     oshen::barrier_all();
 *     for (double x : field) ...
 *
 * Objects that are created collectively are destroyed collectively: all PEs destroy them in the same order, as
 * scopes do. Objects can be moved but not copied; a moved-from object is empty. If a C call fails, std::bad_alloc or
 * std::runtime_error is thrown. The rules for threads are those of the C calls. */
#ifndef OSHEN_OSHEN_HPP
#define OSHEN_OSHEN_HPP

#include <shmem.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#if __cplusplus < 202002L
#error "oshen/oshen.hpp needs C++20"
#endif

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

/** An array on the symmetric heap: `size` elements on every PE, initially zero. Created and destroyed collectively
 * over all PEs, with the same size. Elements are copied as bytes. In puts and gets `first` is the first element of
 * the array; completion is as for the C calls. */
template <class T>
  requires std::is_trivially_copyable_v<T>
class symmetric_array {
 public:
  using value_type = T;

  symmetric_array() = default;  // empty
  explicit symmetric_array(std::size_t size) : size_(size) {
    if (size == 0) return;
    if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T*>(shmem_calloc(size, sizeof(T)));
    if (data_ == nullptr) throw std::bad_alloc();
  }
  symmetric_array(symmetric_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  symmetric_array& operator=(symmetric_array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~symmetric_array() {
    if (data_ != nullptr) shmem_free(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() const { return {data_, size_}; }
  operator std::span<T>() const { return span(); }

  /** Puts all of `source` into the array of PE `pe`, from element `first` on. */
  void put(int pe, std::span<const T> source, std::size_t first = 0) const {
    put(SHMEM_CTX_DEFAULT, pe, source, first);
  }
  void put(shmem_ctx_t ctx, int pe, std::span<const T> source, std::size_t first = 0) const {
    shmem_ctx_putmem(ctx, range(first, source.size()), source.data(), source.size_bytes(), pe);
  }
  /** The same, non-blocking: do not change `source` before quiet. */
  void put_nbi(shmem_ctx_t ctx, int pe, std::span<const T> source, std::size_t first = 0) const {
    shmem_ctx_putmem_nbi(ctx, range(first, source.size()), source.data(), source.size_bytes(), pe);
  }
  /** put with signal: *signal of PE `pe` is then set to value, or increased by it (SHMEM_SIGNAL_ADD). */
  void put_signal(int pe, std::span<const T> source, std::uint64_t* signal, std::uint64_t value,
                  int operation = SHMEM_SIGNAL_SET, std::size_t first = 0) const {
    shmem_putmem_signal(range(first, source.size()), source.data(), source.size_bytes(), signal, value, operation, pe);
  }
  /** Gets all of `target` from the array of PE `pe`, from element `first` on. */
  void get(int pe, std::span<T> target, std::size_t first = 0) const {
    shmem_getmem(target.data(), range(first, target.size()), target.size_bytes(), pe);
  }
  /** Gets element `i` of PE `pe`. */
  T get(int pe, std::size_t i) const {
    T value;
    shmem_getmem(&value, range(i, 1), sizeof value, pe);
    return value;
  }
  /** The array of PE `pe` for loads and stores; empty if shmem_ptr does not reach it. */
  std::span<T> near(int pe) const {
    T* found = data_ != nullptr ? static_cast<T*>(shmem_ptr(data_, pe)) : nullptr;
    return found != nullptr ? std::span<T>{found, size_} : std::span<T>{};
  }

 private:
  T* range(std::size_t first, std::size_t count) const {
    if (first > size_ || count > size_ - first)
      throw std::out_of_range("oshen::symmetric_array: past the end of the array");
    return data_ + first;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace oshen
#endif
