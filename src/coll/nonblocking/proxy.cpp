#include "coll/nonblocking/threads.hpp"

#include <signal.h>

#include "coll/call/sequence.hpp"
#include "coll/nonblocking/queue.hpp"
#include "coll/run/run.hpp"
#include "coll/team/form.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "wait/backoff.hpp"

namespace oshen::coll::async {
namespace {

constexpr std::uint64_t a_long_time = std::uint64_t{1000000000} * 3600;
constexpr const char* routine = "a non-blocking collective";

step_result await_proxy(queue& q, collective_operation& op) {
  op.awaited = -1;
  return q.proxy_thread->has_done(op.number) ? step_result::over : step_result::waits;
}

// True if the blocking form may write the dest of a PE that has not called it. A reduction writes results only, and a
// result needs all PEs. Under OSHEN_CHECK every blocking form begins with a sync.
bool writes_early(kind k, const world& w) {
  return (k == kind::broadcast || k == kind::alltoall || k == kind::fcollect) && !w.config.check;
}

}  // namespace

constinit const schedule proxy_schedule{{await_proxy}};

bool proxy::begin() {
  sigset_t all, before;  // the new thread blocks all signals: the program's threads handle them
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int problem = pthread_create(&thread_, nullptr, main, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return problem == 0;
}

void proxy::call() {
  calls_.fetch_add(1, std::memory_order_release);
  os::futex_wake_all(calls_);
}

void proxy::end() {
  ending_.store(true, std::memory_order_release);
  call();
  pthread_join(thread_, nullptr);
}

void* proxy::main(void* self) {
  static_cast<proxy*>(self)->serve();
  return nullptr;
}

// The proxies of all members form their own team together, and dissolve it together.
void proxy::serve() {
  team& t = *queue_.members;
  world& w = *t.home;
  const std::uint64_t origin = std::uint64_t{1} << 63 | static_cast<std::uint64_t>(t.slot + 1) << 40;
  own_ = form(w, {.n_pes = t.n_pes, .start = t.start, .stride = t.stride, .list = t.list, .origin = origin}, routine);
  if (own_ == nullptr) end_job(&w, 1, false);
  for (;;) {
    const std::uint32_t seen = calls_.load(std::memory_order_acquire);
    const std::uint64_t next = done_.load(std::memory_order_relaxed) + 1;
    if (queue_.started.load(std::memory_order_acquire) >= next) {
      carry_out(*queue_.entries[next % most_open]);  // the operation stays there until it is done
      done_.store(next, std::memory_order_release);
      wake_own_sleepers(w.own_control().wakeup);
    } else if (ending_.load(std::memory_order_acquire)) {
      break;
    } else {
      const os::library_thread idle;
      os::futex_wait(calls_, seen, a_long_time);
    }
  }
  dissolve(*own_, routine);
}

void proxy::carry_out(const collective_operation& op) {
  const collective_call& asked = op.call;
  collective_call call{.members = *own_,
                       .routine = asked.routine,
                       .dest = asked.dest,
                       .source = asked.source,
                       .elements = asked.elements,
                       .element_bytes = asked.element_bytes,
                       .root = asked.root,
                       .combine = asked.combine};
  if (op.collective == kind::sync) return sync_team(*own_, asked.routine);
  // No PE may write the dest of a PE that has not started. A proxy is in this sync when its PE has started.
  if (writes_early(op.collective, *own_->home)) sync_team(*own_, asked.routine);
  run(op.collective, call);
}

}  // namespace oshen::coll::async
