// Atomic operations on a field of any PE's control page. They need no team, so they also serve to create one.
#pragma once

#include "op/remote.hpp"
#include "wait/wake.hpp"
#include "world/world.hpp"

namespace oshen::op {

// A field of another PE is given by the same field of this PE's own control page.
struct control_access {
  world& w;
  const char* routine;

  // Applies `operation` to the field of PE `pe`, wakes that PE, and returns the old value.
  template <class T>
  T change(int pe, const std::atomic<T>& field, transport::operation operation, T value) const {
    const transport::atomic_op atomic{operation, static_cast<transport::width>(sizeof(T)), true,
                                      static_cast<std::uint64_t>(value), 0};
    if (!w.is_near(pe))
      return static_cast<T>(remote::atomic(site_of(w.team_world, routine), pe, offset_in_slice(&field), atomic));
    control_page& theirs = w.control(pe);
    const std::uint64_t before = transport::apply(reinterpret_cast<char*>(&theirs) + offset_in_slice(&field), atomic);
    if (operation != transport::operation::fetch) wake(theirs.wakeup);
    return static_cast<T>(before);
  }
  template <class T>
  T load(int pe, const std::atomic<T>& field) const {
    return change(pe, field, transport::operation::fetch, T{});
  }

  std::uint64_t offset_in_slice(const void* field) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(field) -
                                      reinterpret_cast<const char*>(&w.own_control()));
  }
};

}  // namespace oshen::op
