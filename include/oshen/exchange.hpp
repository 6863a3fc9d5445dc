/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exchange plans for C++20: oshen/exchange.h with RAII, typed buffers and exceptions. Header-only.
 *
 *     oshen::arena arena(64 << 20);
 *     oshen::group group(arena);                                // all PEs; or of a team, or of a list
 *     oshen::messages<double> list;
 *     list.send(right, 0, 100);                                 // elements 0 to 99 of `in`, to PE `right` of the group
 *     list.receive(left, 100, 100);                             // elements 100 to 199 of `out`
 *     oshen::plan<double> plan(group, list);
 *     plan.run(in, out);                                        // std::span; `in` may be `out`
 *
 * Objects that are created collectively are destroyed collectively, in the reverse order, as scopes do. They can be
 * moved but not copied; a moved-from object is empty. If a C call returns an error, status_error is thrown on all
 * PEs of the group, and the reason is on standard error. For threads and the rules of each call see
 * oshen/exchange.h. */
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
#error "oshen/exchange.hpp needs C++20: compile with oshc++ or -std=c++20"
#endif

#if __cplusplus >= 202002L  // else the error above is the only one

namespace oshen {

/** A C call returned an error. */
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
struct deleter {
  template <class Handle>
  void operator()(Handle* handle) const {
    destroy(handle);
  }
};
template <class Handle, auto destroy>
using owned = std::unique_ptr<Handle, deleter<destroy>>;

// Throws if a buffer with `has` elements is shorter than `needed`.
inline void demand_size(std::size_t has, std::size_t needed, const char* which) {
  if (has < needed)
    throw std::out_of_range(std::string("oshen: ") + which + " has " + std::to_string(has) + " elements: expected " +
                            std::to_string(needed));
}

}  // namespace detail

/** Symmetric memory that plans share. Created and destroyed collectively over all PEs. */
class arena {
 public:
  explicit arena(std::size_t bytes) {
    oshen_arena_t* made = nullptr;
    detail::demand(oshen_arena_create(bytes, &made), "oshen_arena_create");
    it_.reset(made);
  }
  /** The handle for C calls. */
  operator oshen_arena_t*() const { return it_.get(); }

 private:
  detail::owned<oshen_arena_t, oshen_arena_destroy> it_;
};

/** A group of PEs. Created and destroyed collectively over its members. The arena must outlive it. */
class group {
 public:
#if OSHEN_EXCHANGE_TEAMS
  explicit group(oshen_arena_t* memory, shmem_team_t team = SHMEM_TEAM_WORLD) {
    oshen_group_t* made = nullptr;
    detail::demand(oshen_group_create(memory, team, &made), "oshen_group_create");
    it_.reset(made);
  }
#endif
  /** `pes`: numbers in SHMEM_TEAM_WORLD, in the same order on all members. */
  group(oshen_arena_t* memory, std::span<const int> pes) {
    oshen_group_t* made = nullptr;
    detail::demand(oshen_group_create_from_list(memory, pes.data(), static_cast<int>(pes.size()), &made),
                   "oshen_group_create_from_list");
    it_.reset(made);
  }
  operator oshen_group_t*() const { return it_.get(); }
  /** The calling PE as a member, and the number of members. */
  int rank() const { return oshen_group_rank(it_.get()); }
  int size() const { return oshen_group_size(it_.get()); }

 private:
  detail::owned<oshen_group_t, oshen_group_destroy> it_;
};

/** A partition of an array for `n` PEs: see oshen_grid_dims. Throws status_error if there is none. */
class grid {
 public:
  using three = std::array<int, 3>;
  struct part {
    three low, size;
  };
  /** dims: number of parts along each axis; 0: computed. */
  grid(int n, const three& extent, const three& dims = {}) : extent_(extent), dims_(dims) {
    detail::demand(oshen_grid_dims(n, extent_.data(), dims_.data()), "oshen_grid_dims");
  }
  const three& extent() const { return extent_; }
  const three& dims() const { return dims_; }
  three coords(int member) const {
    three at;
    oshen_grid_coords(dims_.data(), member, at.data());
    return at;
  }
  /** The member at these coordinates; -1: none. periodic: with bit a, axis a is a ring. */
  int member(const three& coords, unsigned periodic = 0) const {
    return oshen_grid_member(dims_.data(), coords.data(), periodic);
  }
  /** The part of a member. */
  part box(int member) const {
    part of;
    oshen_grid_box(extent_.data(), dims_.data(), member, of.low.data(), of.size.data());
    return of;
  }

 private:
  three extent_, dims_;
};

/** The messages of this PE, in elements of T. Several messages between the same two PEs match in the order of the
 * calls. */
template <class T>
  requires std::is_trivially_copyable_v<T>
class messages {
 public:
  /** `count` elements, from element `first` on. */
  void send(int peer, std::size_t first, std::size_t count) {
    add(sends_, in_elements_, peer, first, {count, 1, 1}, {1, 0, 0});
  }
  void receive(int peer, std::size_t first, std::size_t count) {
    add(receives_, out_elements_, peer, first, {count, 1, 1}, {1, 0, 0});
  }
  /** A list of elements, in the order of the transfer. The other side may use a list or not. */
  void send(int peer, std::span<const std::size_t> elements) { add(sends_, send_lists_, in_elements_, peer, elements); }
  void receive(int peer, std::span<const std::size_t> elements) {
    add(receives_, receive_lists_, out_elements_, peer, elements);
  }
  /** A box of three axes: element (a, b, c) is number first + a * stride[0] + b * stride[1] + c * stride[2]. */
  using three = std::array<std::size_t, 3>;
  void send(int peer, std::size_t first, three extent, three stride) {
    add(sends_, in_elements_, peer, first, extent, stride);
  }
  void receive(int peer, std::size_t first, three extent, three stride) {
    add(receives_, out_elements_, peer, first, extent, stride);
  }

  std::span<const oshen_message_t> sends() const { return sends_; }
  std::span<const oshen_message_t> receives() const { return receives_; }
  /** Offsets in bytes of the elements of each message; empty if its box has the positions. May be shorter than
   * sends() and receives() if the last messages have no list. */
  std::span<const std::vector<std::size_t>> send_offsets() const { return send_lists_; }
  std::span<const std::vector<std::size_t>> receive_offsets() const { return receive_lists_; }
  /** Least number of elements of `in` and `out`. */
  std::size_t in_elements() const { return in_elements_; }
  std::size_t out_elements() const { return out_elements_; }

 private:
  static void add(std::vector<oshen_message_t>& to, std::size_t& reach, int peer, std::size_t first, three extent,
                  three stride) {
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
    std::size_t ignored = 0;  // the strides of the box are not read
    add(to, ignored, peer, 0, {elements.size(), 1, 1}, {1, 0, 0});
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

/** Ghost elements around the parts of a grid; see oshen_halo_t. The buffer of a PE holds its part and all ghost
 * elements without gaps, axis 0 fastest. */
struct halo {
  grid parts;
  grid::three below, above; /* layers along each axis */
  unsigned periodic = 0;    /* with bit a, axis a is a ring */
  bool faces_only = false;  /* without edges and corners */
  /** Extents of the buffer of a member. */
  grid::three extents(int member) const {
    grid::three all = parts.box(member).size;
    for (std::size_t a = 0; a < 3; a++) all[a] += below[a] + above[a];
    return all;
  }
};

/** An exchange of elements of T. Created collectively over the group, which must outlive it. Destroyed locally. */
template <class T>
  requires std::is_trivially_copyable_v<T>
class plan {
 public:
  /** strategy: a name of oshen_strategy_at or "auto"; nullptr: the first strategy. buffers: OSHEN_OUT_SYMMETRIC, ...
   * expected_runs: for "auto", the number of runs that will follow; 0: unknown. */
  plan(oshen_group_t* group, const messages<T>& list, const char* strategy = nullptr, unsigned buffers = 0,
       int expected_runs = 0)
      : in_elements_(list.in_elements()), out_elements_(list.out_elements()) {
    request asked(list, strategy, buffers);
    asked.attr.expected_runs = expected_runs;
    oshen_plan_t* made = nullptr;
    detail::demand(oshen_plan_create(group, &asked.attr, &made), "oshen_plan_create");
    it_.reset(made);
  }
  /** A plan that fills the ghost elements of a field; see oshen_halo_create. */
  plan(oshen_group_t* group, const halo& around, const char* strategy = nullptr, unsigned buffers = 0,
       int expected_runs = 0) {
    oshen_plan_attr_t attr{};
    attr.size = sizeof attr;
    attr.strategy = strategy;
    attr.buffers = buffers;
    attr.expected_runs = expected_runs;
    oshen_halo_t asked{};
    asked.size = sizeof asked;
    asked.periodic = around.periodic;
    asked.faces_only = around.faces_only ? 1 : 0;
    asked.element = sizeof(T);
    std::ranges::copy(around.parts.extent(), asked.extent);
    std::ranges::copy(around.parts.dims(), asked.dims);
    std::ranges::copy(around.below, asked.below);
    std::ranges::copy(around.above, asked.above);
    oshen_plan_t* made = nullptr;
    detail::demand(oshen_halo_create(group, &asked, &attr, &made), "oshen_halo_create");
    it_.reset(made);
    in_elements_ = 1;
    for (const int n : around.extents(oshen_group_rank(group))) in_elements_ *= static_cast<std::size_t>(n);
    out_elements_ = in_elements_;
  }
  /** Memory of such a plan on this PE. Local; see oshen_plan_need. */
  static oshen_need_t need(oshen_group_t* group, const messages<T>& list, const char* strategy = nullptr,
                           unsigned buffers = 0) {
    const request asked(list, strategy, buffers);
    oshen_need_t bytes;
    detail::demand(oshen_plan_need(group, &asked.attr, &bytes, sizeof bytes), "oshen_plan_need");
    return bytes;
  }
  operator oshen_plan_t*() const { return it_.get(); }
  const char* strategy() const { return oshen_plan_strategy(it_.get()); }

  /** Collective over the group. Throws std::out_of_range, before it sends, if a buffer is too short. */
  void run(std::span<const T> in, std::span<T> out) {
    check(in, out);
    oshen_plan_run(it_.get(), in.data(), out.data());
  }
  /** A run in one buffer, for halos. */
  void run(std::span<T> field) { run(field, field); }
  /** A run in parts: start, any number of tests, release. */
  void start(std::span<const T> in, std::span<T> out) {
    check(in, out);
    oshen_plan_start(it_.get(), in.data(), out.data());
  }
  bool test() { return oshen_plan_test(it_.get()) != 0; }
  /** Waits for a further peer whose data is in `out`; -1 after the last one. */
  int wait_any() { return oshen_plan_wait_any(it_.get()); }
  void release() { oshen_plan_release(it_.get()); }

 private:
  // The attributes for C, and the lists to which they point.
  struct request {
    request(const messages<T>& list, const char* strategy, unsigned buffers)
        : sends(pointers(list.send_offsets(), list.sends().size())),
          receives(pointers(list.receive_offsets(), list.receives().size())) {
      attr.size = sizeof attr;
      attr.strategy = strategy;
      attr.sends = list.sends().data();
      attr.n_sends = static_cast<int>(list.sends().size());
      attr.receives = list.receives().data();
      attr.n_receives = static_cast<int>(list.receives().size());
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

  std::size_t in_elements_ = 0, out_elements_ = 0;
  detail::owned<oshen_plan_t, oshen_plan_destroy> it_;
};

}  // namespace oshen
#endif
#endif
