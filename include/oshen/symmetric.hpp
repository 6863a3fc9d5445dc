/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of oshen/oshen.hpp: typed symmetric memory. Puts, gets, atomics, waits and signals. */
#ifndef OSHEN_SYMMETRIC_HPP
#define OSHEN_SYMMETRIC_HPP

#include <oshen/session.hpp>

#if __cplusplus >= 202002L

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <ranges>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
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

class signal;

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
  /** put with signal: `arrived` of PE `pe` is then set to value, or increased by it (SHMEM_SIGNAL_ADD). */
  void put_signal(int pe, std::span<const T> source, const signal& arrived, std::uint64_t value,
                  int operation = SHMEM_SIGNAL_SET, std::size_t first = 0) const;
  /** Begins such a put; its completion is that of the result. Do not change `source` before. */
  pending put_signal_async(int pe, std::span<const T> source, const signal& arrived, std::uint64_t value,
                           int operation = SHMEM_SIGNAL_SET, std::size_t first = 0) const;
  /** put with signal, for any object in symmetric memory. */
  void put_signal(int pe, std::span<const T> source, std::uint64_t* arrived, std::uint64_t value,
                  int operation = SHMEM_SIGNAL_SET, std::size_t first = 0) const {
    shmem_putmem_signal(range(first, source.size()), source.data(), source.size_bytes(), arrived, value, operation, pe);
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
  template <range_of_others<T> R, class... More>
  void put_signal(int pe, const R& source, const More&... more) const = delete;
  template <range_of_others<T> R, class... More>
  pending put_signal_async(int pe, const R& source, const More&... more) const = delete;
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
  /** For calls of shmem.h. */
  std::uint64_t* address() const { return cell_.address(); }

 private:
  symmetric<std::uint64_t> cell_;
};

template <class T>
  requires std::is_trivially_copyable_v<T>
void symmetric_array<T>::put_signal(int pe, std::span<const T> source, const signal& arrived, std::uint64_t value,
                                    int operation, std::size_t first) const {
  put_signal(pe, source, arrived.address(), value, operation, first);
}

template <class T>
  requires std::is_trivially_copyable_v<T>
pending symmetric_array<T>::put_signal_async(int pe, std::span<const T> source, const signal& arrived,
                                             std::uint64_t value, int operation, std::size_t first) const {
  shmem_putmem_signal_nbi(range(first, source.size()), source.data(), source.size_bytes(), arrived.address(), value,
                          operation, pe);
  return pending(SHMEM_CTX_DEFAULT);
}

}  // namespace oshen
#endif
#endif
