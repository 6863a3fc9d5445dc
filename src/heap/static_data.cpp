#include "heap/static_data.hpp"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic>

#include "base/log.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"

namespace oshen::heap {
namespace {

// After fork() parent and child share the variables until the child has its copy. The parent waits for the copy in its
// handler, so that the child starts with the values at the time of fork().
struct fork_gate {
  std::atomic<std::uint32_t> copied{0};
};

static_data::location adopted;  // read by the handlers; empty if nothing is adopted
fork_gate* gate = nullptr;      // in shared anonymous memory
bool handlers_installed = false;

constexpr std::uint64_t patience_ns = 1000000;  // per wait
constexpr int most_waits = 2000;                // the child may die before it has copied

// Makes the variables private, with their present values.
bool make_private(const static_data::location& at) {
  bool done = true;
  for (int i = 0; i < at.program.n; ++i)
    done = os::replace_by_private(at.program.parts[i], at.fd, at.offset_of(at.program.parts[i])) && done;
  return done;
}

void before_fork() {
  if (adopted.program.n != 0) gate->copied.store(0, std::memory_order_relaxed);
}

void in_parent() {
  if (adopted.program.n == 0) return;
  for (int i = 0; i < most_waits && gate->copied.load(std::memory_order_acquire) == 0; ++i)
    os::futex_wait(gate->copied, 0, patience_ns);
}

void in_child() {
  if (adopted.program.n == 0) return;
  if (!make_private(adopted)) os::leave_at_once(127);  // otherwise it would write to its parent's variables
  adopted = {};
  gate->copied.store(1, std::memory_order_release);
  os::futex_wake_all(gate->copied);
}

bool install_handlers() {
  if (handlers_installed) return true;
  void* page = mmap(nullptr, sizeof(fork_gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  gate = static_cast<fork_gate*>(page);
  handlers_installed = pthread_atfork(before_fork, in_parent, in_child) == 0;
  return handlers_installed;
}

}  // namespace

status static_data::adopt(const segment& home, int slice) {
  location at{os::program_data(), home.descriptor(), static_cast<std::size_t>(home.data(slice) - home.node())};
  if (at.program.n == 0) return status::ok;
  if (!install_handlers()) {
    log::error("cannot install the fork handlers of static data: %s", strerror(errno));
    return status::no_memory;
  }
  for (int i = 0; i < at.program.n; ++i) {
    const os::memory_range& part = at.program.parts[i];
    os::copy_pages(home.node() + at.offset_of(part), part.start, part.bytes);
    if (os::replace_by_shared(part, at.fd, at.offset_of(part))) continue;
    log::error("cannot share the static data of the program: %s", strerror(errno));
    at.program.n = i;
    make_private(at);
    return status::no_memory;
  }
  adopted = at_ = at;
  return status::ok;
}

bool static_data::give_back() {
  if (at_.program.n == 0) return true;  // PEs that are threads adopt nothing, and must not change `adopted`
  bool done = true;
  adopted = {};
  for (int i = 0; i < at_.program.n; ++i)
    done = os::take_back(at_.program.parts[i], at_.fd, at_.offset_of(at_.program.parts[i])) && done;
  if (!done) log::error("cannot make static data private again: %s", strerror(errno));
  at_ = {};
  return done;
}

}  // namespace oshen::heap
