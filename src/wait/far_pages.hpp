// Copies of control pages of PEs on other nodes, for the last report of a job.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"
#include "world/control.hpp"
#include "world/world.hpp"

namespace oshen {

class far_pages {
 public:
  explicit far_pages(world& w);
  far_pages(const far_pages&) = delete;
  far_pages& operator=(const far_pages&) = delete;

  // A copy of the beginning of a control page, with state, activity and `looked_ns`; valid until the next call. Null if
  // no PE has answered for a while: then this PE and all later ones are left out.
  const control_page* fetch(int pe);
  const world& home() const { return w_; }

 private:
  static constexpr std::size_t copied = offsetof(control_page, looked_ns) + sizeof(control_page::looked_ns);
  world& w_;
  std::uint64_t end_ns_;
  transport::completion pending_get_;
  alignas(control_page) std::byte copy_[copied];
};

}  // namespace oshen
