/* SPDX-License-Identifier: BSD-3-Clause
 * Exchange plans for C++20: oshen/exchange.h with ends by scope, typed buffers and exceptions. Header-only.
 *
 *     oshen::arena arena(64 << 20);
 *     oshen::group group(arena);                                // all PEs; or of a team, or of a list
 *     oshen::messages<double> who;
 *     who.send(right, 0, 100);                                  // elements 0 to 99 of `in`, to PE `right` of the group
 *     who.receive(left, 100, 100);                              // elements 100 to 199 of `out`
 *     oshen::plan<double> plan(group, who);
 *     plan.run(in, out);                                        // std::span; `in` may be `out`
 *
 * What is made collectively ends collectively, in the opposite order, as scopes do; objects are moved, not copied, and a
 * moved-from one holds nothing. Where C returns a status, status_error is thrown, on all PEs of the group: the reason is
 * on standard error already. Threads, and what each call promises: oshen/exchange.h. */
#ifndef OSHEN_EXCHANGE_HPP
#define OSHEN_EXCHANGE_HPP

#include <oshen/exchange.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#if __cplusplus < 202002L
#error "oshen/exchange.hpp needs C++20"
#endif

namespace oshen {

/** What a call of C refused, and why. */
class status_error : public std::runtime_error {
 public:
  status_error(const char* routine, oshen_status_t why)
      : std::runtime_error(std::string(routine) + ": " + oshen_status_text(why)), why_(why) {}
  oshen_status_t status() const { return why_; }

 private:
  oshen_status_t why_;
};

namespace detail {

inline void demand(oshen_status_t status, const char* routine) {
  if (status != OSHEN_OK) throw status_error(routine, status);
}

template <auto destroy>
struct ender {
  template <class Handle>
  void operator()(Handle* handle) const {
    destroy(handle);
  }
};
template <class Handle, auto destroy>
using owned = std::unique_ptr<Handle, ender<destroy>>;

// Of a buffer that messages or boxes reach to element `needed` of.
inline void demand_size(std::size_t has, std::size_t needed, const char* which) {
  if (has < needed)
    throw std::out_of_range(std::string("oshen: ") + which + " has " + std::to_string(has) + " elements: expected " +
                            std::to_string(needed));
}

}  // namespace detail

/** Symmetric memory that plans share. Made and ended collectively over all PEs. */
class arena {
 public:
  explicit arena(std::size_t bytes) {
    oshen_arena_t* made = nullptr;
    detail::demand(oshen_arena_create(bytes, &made), "oshen_arena_create");
    it_.reset(made);
  }
  /** As the C calls take it. */
  operator oshen_arena_t*() const { return it_.get(); }

 private:
  detail::owned<oshen_arena_t, oshen_arena_destroy> it_;
};

/** The PEs that make plans together. Made and ended collectively over them; the arena must outlive it. */
class group {
 public:
#if OSHEN_EXCHANGE_TEAMS
  explicit group(oshen_arena_t* memory, shmem_team_t team = SHMEM_TEAM_WORLD) {
    oshen_group_t* made = nullptr;
    detail::demand(oshen_group_create(memory, team, &made), "oshen_group_create");
    it_.reset(made);
  }
#endif
  /** Of any PEs, numbers of the world, in the same order on all of them. */
  group(oshen_arena_t* memory, std::span<const int> pes) {
    oshen_group_t* made = nullptr;
    detail::demand(oshen_group_create_from_list(memory, pes.data(), static_cast<int>(pes.size()), &made),
                   "oshen_group_create_from_list");
    it_.reset(made);
  }
  operator oshen_group_t*() const { return it_.get(); }
  /** Which PE of the group this is, and how many it has. */
  int rank() const { return oshen_group_rank(it_.get()); }
  int size() const { return oshen_group_size(it_.get()); }

 private:
  detail::owned<oshen_group_t, oshen_group_destroy> it_;
};

/** An array cut for `n` PEs: see oshen_grid_dims. Throws status_error where there is no such grid. */
class grid {
 public:
  using three = std::array<int, 3>;
  struct part {
    three low, size;
  };
  /** dims: how many parts along each axis; 0 where that is to be found. */
  grid(int n, const three& extent, const three& dims = {}) : extent_(extent), dims_(dims) {
    detail::demand(oshen_grid_dims(n, extent_.data(), dims_.data()), "oshen_grid_dims");
  }
  const three& dims() const { return dims_; }
  three coords(int member) const {
    three at;
    oshen_grid_coords(dims_.data(), member, at.data());
    return at;
  }
  /** Who is there; -1: nobody. periodic: bit a closes axis a to a ring. */
  int member(const three& coords, unsigned periodic = 0) const {
    return oshen_grid_member(dims_.data(), coords.data(), periodic);
  }
  /** A member's part of the array. */
  part box(int member) const {
    part of;
    oshen_grid_box(extent_.data(), dims_.data(), member, of.low.data(), of.size.data());
    return of;
  }

 private:
  three extent_, dims_;
};

/** Who sends what to whom, in elements of T. Several messages between the same two match in the order of their calls. */
template <class T>
  requires std::is_trivially_copyable_v<T>
class messages {
 public:
  /** `count` elements from element `first` on. */
  void send(int peer, std::size_t first, std::size_t count) { add(sends_, in_elements_, peer, first, {count, 1, 1}, {1, 0, 0}); }
  void receive(int peer, std::size_t first, std::size_t count) {
    add(receives_, out_elements_, peer, first, {count, 1, 1}, {1, 0, 0});
  }
  /** Elements that lie anywhere, by their numbers, in the order in which they travel. The other side may have a list or
   * not. */
  void send(int peer, std::span<const std::size_t> elements) { add(sends_, send_lists_, in_elements_, peer, elements); }
  void receive(int peer, std::span<const std::size_t> elements) {
    add(receives_, receive_lists_, out_elements_, peer, elements);
  }
  /** Three axes, in elements: element (a, b, c) is number first + a * stride[0] + b * stride[1] + c * stride[2]. */
  using three = std::array<std::size_t, 3>;
  void send(int peer, std::size_t first, three extent, three stride) { add(sends_, in_elements_, peer, first, extent, stride); }
  void receive(int peer, std::size_t first, three extent, three stride) {
    add(receives_, out_elements_, peer, first, extent, stride);
  }

  std::span<const oshen_message_t> sends() const { return sends_; }
  std::span<const oshen_message_t> receives() const { return receives_; }
  /** Where the elements of each message lie, in bytes; empty where its box says so. Shorter than sends() and receives()
   * where no later message has a list. */
  std::span<const std::vector<std::size_t>> send_offsets() const { return send_lists_; }
  std::span<const std::vector<std::size_t>> receive_offsets() const { return receive_lists_; }
  /** How many elements `in` and `out` must have. */
  std::size_t in_elements() const { return in_elements_; }
  std::size_t out_elements() const { return out_elements_; }

 private:
  static void add(std::vector<oshen_message_t>& to, std::size_t& reach, int peer, std::size_t first, three extent, three stride) {
    const std::size_t count = extent[0] * extent[1] * extent[2];
    oshen_message_t made{peer, count * sizeof(T), {first * sizeof(T), sizeof(T), {}, {}}};
    std::size_t last = first;
    for (std::size_t a = 0; a < 3; a++) {
      made.box.extent[a] = extent[a];
      made.box.stride[a] = stride[a] * sizeof(T);
      if (count > 0) last += (extent[a] - 1) * stride[a];
    }
    if (count > 0) reach = std::max(reach, last + 1);
    to.push_back(made);
  }
  using lists = std::vector<std::vector<std::size_t>>;
  static void add(std::vector<oshen_message_t>& to, lists& all, std::size_t& reach, int peer,
                  std::span<const std::size_t> elements) {
    std::size_t untouched = 0;  // by the box, whose strides are not read
    add(to, untouched, peer, 0, {elements.size(), 1, 1}, {1, 0, 0});
    all.resize(to.size());
    for (const std::size_t number : elements) {
      all.back().push_back(number * sizeof(T));
      reach = std::max(reach, number + 1);
    }
  }

  std::vector<oshen_message_t> sends_, receives_;
  lists send_lists_, receive_lists_;
  std::size_t in_elements_ = 0, out_elements_ = 0;
};

/** An exchange of elements of T. Made collectively over the group, which must outlive it; ends alone. */
template <class T>
  requires std::is_trivially_copyable_v<T>
class plan {
 public:
  /** strategy: a name of oshen_strategy_at or "auto"; nullptr: the first. buffers: promises, OSHEN_OUT_SYMMETRIC, ... */
  plan(oshen_group_t* group, const messages<T>& who, const char* strategy = nullptr, unsigned buffers = 0)
      : in_elements_(who.in_elements()), out_elements_(who.out_elements()) {
    const request asked(who, strategy, buffers);
    oshen_plan_t* made = nullptr;
    detail::demand(oshen_plan_create(group, &asked.attr, &made), "oshen_plan_create");
    it_.reset(made);
  }
  /** Memory that such a plan would take on this PE. Local; see oshen_plan_need. */
  static oshen_need_t need(oshen_group_t* group, const messages<T>& who, const char* strategy = nullptr,
                           unsigned buffers = 0) {
    const request asked(who, strategy, buffers);
    oshen_need_t bytes;
    detail::demand(oshen_plan_need(group, &asked.attr, &bytes), "oshen_plan_need");
    return bytes;
  }
  operator oshen_plan_t*() const { return it_.get(); }
  const char* strategy() const { return oshen_plan_strategy(it_.get()); }

  /** Collective over the group. Throws std::out_of_range before anything is sent when a buffer is too short. */
  void run(std::span<const T> in, std::span<T> out) {
    check(in, out);
    oshen_plan_run(it_.get(), in.data(), out.data());
  }
  /** A run in parts: start, test as often as you like, release. */
  void start(std::span<const T> in, std::span<T> out) {
    check(in, out);
    oshen_plan_start(it_.get(), in.data(), out.data());
  }
  bool test() { return oshen_plan_test(it_.get()) != 0; }
  /** The next peer whose data is in `out`; -1 when all have been. */
  int wait_any() { return oshen_plan_wait_any(it_.get()); }
  void release() { oshen_plan_release(it_.get()); }

 private:
  // What C is asked for, with the lists that it points to.
  struct request {
    request(const messages<T>& who, const char* strategy, unsigned buffers)
        : sends(pointers(who.send_offsets(), who.sends().size())),
          receives(pointers(who.receive_offsets(), who.receives().size())) {
      attr.size = sizeof attr;
      attr.strategy = strategy;
      attr.sends = who.sends().data();
      attr.n_sends = static_cast<int>(who.sends().size());
      attr.receives = who.receives().data();
      attr.n_receives = static_cast<int>(who.receives().size());
      attr.buffers = buffers;
      attr.send_offsets = sends.data();
      attr.receive_offsets = receives.data();
    }
    static std::vector<const std::size_t*> pointers(std::span<const std::vector<std::size_t>> lists, std::size_t n) {
      std::vector<const std::size_t*> all(n);
      for (std::size_t i = 0; i < lists.size(); i++) all[i] = lists[i].empty() ? nullptr : lists[i].data();
      return all;
    }
    std::vector<const std::size_t*> sends, receives;
    oshen_plan_attr_t attr{};
  };

  void check(std::span<const T> in, std::span<T> out) const {
    detail::demand_size(in.size(), in_elements_, "in");
    detail::demand_size(out.size(), out_elements_, "out");
  }

  std::size_t in_elements_, out_elements_;
  detail::owned<oshen_plan_t, oshen_plan_destroy> it_;
};

}  // namespace oshen
#endif
