// A word in the control page of any PE of the job, while there is no team to reach it by. `word` is that of this PE.
#pragma once

#include "op/remote.hpp"
#include "world/idle.hpp"
#include "world/world.hpp"

namespace oshen::coll {

struct remote {
  world& w;
  const char* routine;

  // Applies `op` to the word of PE `pe`, wakes it, and returns the value before.
  template <class T>
  T change(int pe, const std::atomic<T>& word, transport::operation op, T value) const {
    const transport::change what{op, static_cast<transport::width>(sizeof(T)), true, static_cast<std::uint64_t>(value),
                                 0};
    if (!w.is_near(pe)) return static_cast<T>(op::remote::change(here(), pe, offset_in_slice(&word), what));
    control_page& theirs = w.control(pe);
    const std::uint64_t before = transport::apply(reinterpret_cast<char*>(&theirs) + offset_in_slice(&word), what);
    if (op != transport::operation::fetch) wake(theirs.wakeup);
    return static_cast<T>(before);
  }
  template <class T>
  T load(int pe, const std::atomic<T>& word) const {
    return change(pe, word, transport::operation::fetch, T{});
  }

  op::call_site here() const { return {&w.team_world.ctx, routine}; }
  std::uint64_t offset_in_slice(const void* object) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(object) -
                                      reinterpret_cast<const char*>(&w.own_control()));
  }
};

}  // namespace oshen::coll
