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
 *     oshen::sum_reduce(total, field);                         // collectives of arrays
 *     oshen::request sum = oshen::sum_reduce_async(total, field);   // completed by sum.wait(), or the end of its life
 *     oshen::symmetric<long> counter;                          // one object, with atomics and waits
 *     long before = counter.fetch_add(0, 1);
 *
 * Objects that are created collectively are destroyed collectively: all PEs destroy them in the same order, as
 * scopes do. Objects can be moved but not copied; a moved-from object is empty. If a C call fails, std::bad_alloc or
 * std::runtime_error is thrown. The rules for threads are those of the C calls. */
#ifndef OSHEN_OSHEN_HPP
#define OSHEN_OSHEN_HPP

#include <shmem.h>
#include <shmemx.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#if __cplusplus < 202002L
#error "oshen/oshen.hpp needs C++20: compile with oshc++ or -std=c++20"
#else

#include <concepts>
#include <ranges>
#include <version>
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

namespace oshen {

/** Types of the tables of the standard: for sums, minima and bits of reductions; for all atomics; for set, fetch and
 * swap; for bits of atomics; for waits. */
template <class T>
concept summable = requires(T* to, const T* from) { shmem_sum_reduce(SHMEM_TEAM_WORLD, to, from, 1); };
template <class T>
concept ordered = requires(T* to, const T* from) { shmem_max_reduce(SHMEM_TEAM_WORLD, to, from, 1); };
template <class T>
concept bitwise = requires(T* to, const T* from) { shmem_and_reduce(SHMEM_TEAM_WORLD, to, from, 1); };
template <class T>
concept countable = requires(T* to, T value) { shmem_atomic_add(to, value, 0); };
template <class T>
concept swappable = requires(T* to, T value) { shmem_atomic_swap(to, value, 0); };
template <class T>
concept maskable = requires(T* to, T value) { shmem_atomic_or(to, value, 0); };
template <class T>
concept awaitable = requires(T* object, T value) { shmem_wait_until(object, SHMEM_CMP_EQ, value); };

/** A range whose elements lie one after the other, but are no T: puts and gets of a symmetric_array<T> refuse it. */
template <class R, class T>
concept range_of_others = std::ranges::contiguous_range<R> && !std::is_same_v<std::ranges::range_value_t<R>, T>;

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

/** Operations that were begun and may not be complete. wait(), or the end of its life, completes them by a quiet of
 * their context, and with them the other operations of that context. Does nothing a second time, or after a move. */
class [[nodiscard]] pending {
 public:
  explicit pending(shmem_ctx_t ctx) noexcept : ctx_(ctx) {}
  pending(pending&& other) noexcept : ctx_(std::exchange(other.ctx_, SHMEM_CTX_INVALID)) {}
  pending& operator=(pending&& other) noexcept {
    std::swap(ctx_, other.ctx_);
    return *this;
  }
  ~pending() { wait(); }

  void wait() {
    const shmem_ctx_t ctx = std::exchange(ctx_, SHMEM_CTX_INVALID);
    if (ctx != SHMEM_CTX_INVALID) shmem_ctx_quiet(ctx);
  }

 private:
  shmem_ctx_t ctx_;
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

#ifdef __cpp_lib_mdspan
  /** The first elements as an array of these extents, the last index running fastest; for oshen/mdspan.hpp. Throws
   * std::out_of_range if there are fewer. */
  template <class Index, std::size_t... extent>
  std::mdspan<T, std::extents<Index, extent...> > mdspan(const std::extents<Index, extent...>& extents) const {
    std::size_t room = size_;
    bool empty = false;
    for (std::size_t i = 0; i < sizeof...(extent); ++i) {
      const auto count = static_cast<std::size_t>(extents.extent(i));
      if (count == 0)
        empty = true;
      else
        room /= count;
    }
    if (room == 0 && !empty) throw std::out_of_range("oshen::symmetric_array::mdspan: past the end of the array");
    return std::mdspan<T, std::extents<Index, extent...> >(data_, extents);
  }
  template <std::convertible_to<std::size_t>... Extents>
  auto mdspan(Extents... extents) const {
    return mdspan(std::dextents<std::size_t, sizeof...(Extents)>(static_cast<std::size_t>(extents)...));
  }
#endif

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
  /** Begins a put; its completion is that of the result. Do not change `source` before. PE numbers count in the team of
   * `ctx`. */
  pending put_async(int pe, std::span<const T> source, std::size_t first = 0,
                    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const {
    put_nbi(ctx, pe, source, first);
    return pending(ctx);
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
  /** The same, non-blocking: `target` is valid after quiet. */
  void get_nbi(shmem_ctx_t ctx, int pe, std::span<T> target, std::size_t first = 0) const {
    shmem_ctx_getmem_nbi(ctx, target.data(), range(first, target.size()), target.size_bytes(), pe);
  }
  /** Begins a get; `target` is valid when the result is complete. PE numbers count in the team of `ctx`. */
  pending get_async(int pe, std::span<T> target, std::size_t first = 0, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const {
    get_nbi(ctx, pe, target, first);
    return pending(ctx);
  }
  /** Gets element `i` of PE `pe`. */
  T get(int pe, std::size_t i) const {
    T value;
    shmem_getmem(&value, range(i, 1), sizeof value, pe);
    return value;
  }
  /** No conversion of elements: copy them into a range of T first. */
  template <range_of_others<T> R>
  void put(int pe, const R& source, std::size_t first = 0) const = delete;
  template <range_of_others<T> R>
  pending put_async(int pe, const R& source, std::size_t first = 0, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const = delete;
  template <range_of_others<T> R>
  void get(int pe, R& target, std::size_t first = 0) const = delete;
  template <range_of_others<T> R>
  pending get_async(int pe, R& target, std::size_t first = 0, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const = delete;

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

/** One object of type T on every PE. Created and destroyed by all PEs together; the constructor ends with a sync. `ctx`
 * may be a context; PE numbers then count in its team. */
template <class T>
  requires std::is_trivially_copyable_v<T>
class symmetric {
 public:
  explicit symmetric(const T& first = T{}) : cell_(1) {
    cell_[0] = first;
    sync_all();
  }

  /** This PE's object. Other PEs may change it: read it after a wait, a barrier or fetch. */
  T& operator*() const { return cell_[0]; }
  T* address() const { return cell_.data(); }

  void put(int pe, const T& value, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const { cell_.put(ctx, pe, {&value, 1}); }
  T get(int pe) const { return cell_.get(pe, 0); }

  T fetch(int pe, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const
    requires swappable<T>
  {
    return shmem_atomic_fetch(ctx, address(), pe);
  }
  void set(int pe, T value, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const
    requires swappable<T>
  {
    shmem_atomic_set(ctx, address(), value, pe);
  }
  T swap(int pe, T value, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const
    requires swappable<T>
  {
    return shmem_atomic_swap(ctx, address(), value, pe);
  }
  /** Stores `value` if the object is equal to `expected`; returns what it was. */
  T compare_swap(int pe, T expected, T value, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const
    requires countable<T>
  {
    return shmem_atomic_compare_swap(ctx, address(), expected, value, pe);
  }
  void add(int pe, T value, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const
    requires countable<T>
  {
    shmem_atomic_add(ctx, address(), value, pe);
  }
  T fetch_add(int pe, T value, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const
    requires countable<T>
  {
    return shmem_atomic_fetch_add(ctx, address(), value, pe);
  }
  /** Combines the object with `value` bit by bit; returns what it was. */
  T fetch_and(int pe, T value, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const
    requires maskable<T>
  {
    return shmem_atomic_fetch_and(ctx, address(), value, pe);
  }
  T fetch_or(int pe, T value, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const
    requires maskable<T>
  {
    return shmem_atomic_fetch_or(ctx, address(), value, pe);
  }
  T fetch_xor(int pe, T value, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) const
    requires maskable<T>
  {
    return shmem_atomic_fetch_xor(ctx, address(), value, pe);
  }

  /** Waits until this PE's object compares so with `value`; comparison: SHMEM_CMP_... */
  void wait_until(int comparison, T value) const
    requires awaitable<T>
  {
    shmem_wait_until(address(), comparison, value);
  }
  bool test(int comparison, T value) const
    requires awaitable<T>
  {
    return shmem_test(address(), comparison, value) != 0;
  }

 private:
  symmetric_array<T> cell_;
};

/** A signal on every PE, at first 0. Created and destroyed by all PEs together. */
class signal {
 public:
  void set(int pe, std::uint64_t value) const { shmem_signal_set(address(), value, pe); }
  void add(int pe, std::uint64_t value) const { shmem_signal_add(address(), value, pe); }
  /** Waits until this PE's signal compares so with `value`, and returns it. Data put with the signal has then arrived.
   */
  std::uint64_t wait_until(int comparison, std::uint64_t value) const {
    return shmem_signal_wait_until(address(), comparison, value);
  }
  /** This PE's signal now. */
  std::uint64_t fetch() const { return shmem_signal_fetch(address()); }
  /** For put_signal. */
  std::uint64_t* address() const { return cell_.address(); }

 private:
  symmetric<std::uint64_t> cell_;
};

/* Collectives of whole arrays. All PEs of the team call; PE numbers count in the team. std::invalid_argument: the sizes
 * do not fit. Rules for reuse of `dest`: docs/user/races.md. */

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
