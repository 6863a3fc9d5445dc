#include "wait/liveness.hpp"

#include "os/liveness_lock.hpp"
#include "os/process.hpp"

namespace oshen {

void show_life(world& w) {
  const bool has_liveness_lock = os::hold_liveness_lock(w.segment.descriptor(), w.pe);
  w.own_control().has_liveness_lock.store(has_liveness_lock ? 1 : 0, std::memory_order_relaxed);
}

// A program that closes all unknown descriptors also loses the lock of its PE. Such a PE still maps the segment, unlike
// a PE that has ended.
bool is_gone(const world& w, int pe) {
  if (!w.is_near(pe)) return false;  // the launcher reports PEs of other nodes
  const control_page& its = w.control(pe);
  const int pid = its.pid.load(std::memory_order_relaxed);
  if (pid == 0) return false;
  const int fd = w.segment.descriptor();
  if (its.has_liveness_lock.load(std::memory_order_relaxed) != 0) {
    if (os::liveness_lock_is_held(fd, pe)) return false;
    const os::answer has_memory = os::maps_file(pid, fd);
    if (has_memory != os::answer::unknown) return has_memory == os::answer::no;
  }
  return !os::process_exists(pid);
}

bool is_stopped(const world& w, int pe) {
  if (!w.is_near(pe)) return false;
  const int pid = w.control(pe).pid.load(std::memory_order_relaxed);
  return pid != 0 && os::process_is_stopped(pid);
}

}  // namespace oshen
