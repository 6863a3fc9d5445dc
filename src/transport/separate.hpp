// Separate paths, each of one stream: an endpoint of libfabric or a worker of UCX. A thread that issues on the stream
// touches no lock and no line that threads with other streams write.
//
// The thread of the stream advances the path in its waits (transport::stream_progress), and other threads leave it
// alone. When that thread is about to sleep, or has not called for a millisecond, the path is *handed over*: progress()
// advances it, and wait_fd() becomes readable for it. Order of locks: that of the list, the guard of a path, those of
// the shared path.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/bits.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/mutex.hpp"
#include "os/poll_set.hpp"
#include "transport/transport.hpp"

namespace oshen::transport {

// The part of a path that separate_paths uses. `Path` derives from it and has:
//   int fd                 readable when there are completions; -1: none
//   guard()                the lock of the thread that advances the path; a `held` holds it
//   int advance()          returns the number of events; the caller holds the guard
//   blocking may_block()   whether its completions come with notice by `fd`; the caller holds the guard
//   calls()                changes with each operation, and with each wait of the thread
//   bool has_operations()
template <class Path>
struct separate_path {
  std::atomic<bool> is_handed_over{false};  // progress() advances it; the guard guards changes
  std::uint32_t calls_at_look = 0;          // calls() at the latest look; the guard guards it
  std::uint32_t calls_at_watch = 0;         // calls() at the latest watch; the lock of the list guards it
  bool has_stream = true;                   // the same lock guards it
  Path* next = nullptr;
};

// The separate paths of an instance.
template <class Path>
class separate_paths {
 public:
  explicit separate_paths(const open_params& how) : how_(how) {}
  bool is_empty() const { return n_.load(std::memory_order_relaxed) == 0; }

  // A path whose stream was closed; null: there is none.
  Path* take_unused() {
    os::locked hold(lock_);
    Path* p = list_;
    while (p != nullptr && p->has_stream) p = p->next;
    if (p != nullptr) p->has_stream = true;
    return p;
  }
  // Adds a path that has a stream. From the first one on, threads block in a set of descriptors.
  void add(Path* made, int shared_fd) {
    os::locked hold(lock_);
    if (shared_fd >= 0 && poll_set_.load(std::memory_order_relaxed) < 0) {
      const int set = os::open_poll_set();
      os::add_to_poll_set(set, shared_fd);
      poll_set_.store(set, std::memory_order_release);
    }
    made->next = list_;
    list_ = made;
    n_.fetch_add(1, std::memory_order_relaxed);
  }
  // The stream was flushed. The path stays open for the next stream.
  void give(Path& p) {
    os::locked hold(lock_);
    p.has_stream = false;
  }
  // The last step of an instance, whose streams are closed; null: all paths are removed.
  Path* remove_one() {
    Path* p = list_;
    if (p != nullptr) list_ = p->next;
    return p;
  }
  void close_poll_set() { os::close_poll_set(poll_set_.exchange(-1)); }

  // Called when an operation on a separate path begins. Pairs with watch(): a thread that stops watching finds the
  // operation, or this call finds that it has stopped. Where the kernel has a remote barrier, the watching thread
  // executes the fence of this side too.
  [[gnu::always_inline]] void note_begun() {
    if (!has_remote_barrier_) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (is_watched_.load(std::memory_order_relaxed) || is_watched_.exchange(true)) return;
    if (how_.request_wake != nullptr) how_.request_wake(how_.owner);
  }

  // Advances the paths that are handed over. Looks every millisecond which of them should be.
  int advance() {
    if (!lock_.try_lock()) return 0;
    const std::uint64_t now = os::now_ns();
    const bool looks = now >= next_look_ns_;
    if (looks) next_look_ns_ = now + look_ns;
    int events = 0;
    for (Path* p = list_; p != nullptr; p = p->next) {
      if (!looks && !p->is_handed_over.load(std::memory_order_acquire)) continue;
      if (!p->guard().try_lock()) continue;
      if (looks) events += look_at(*p);
      if (p->is_handed_over.load(std::memory_order_relaxed)) events += p->advance();
      p->guard().unlock();
    }
    lock_.unlock();
    return events;
  }

  // The descriptor in which threads block; `shared_fd` if no stream ever had a separate path.
  int wait_fd(int shared_fd) const {
    const int all = poll_set_.load(std::memory_order_acquire);
    return all >= 0 ? all : shared_fd;
  }
  blocking may_block() {
    blocking all = blocking::until_readable;
    if (is_empty()) return all;
    os::locked hold(lock_);
    for (Path* p = list_; p != nullptr; p = p->next) {
      if (!p->is_handed_over.load(std::memory_order_acquire)) continue;
      typename Path::held hold_path(p->guard());
      all = std::max(all, p->may_block());
    }
    return all;
  }

  // For transport::stream_hand_over.
  void hand_over_by_thread(Path& p) {
    typename Path::held hold(p.guard());
    p.calls_at_look = p.calls();  // so that the next look does not take it back
    hand_over(p);
  }
  // The thread of the stream advances it. The caller holds the guard.
  void take_back(Path& p) {
    if (!p.is_handed_over.load(std::memory_order_relaxed)) return;
    p.is_handed_over.store(false, std::memory_order_release);
    os::remove_from_poll_set(poll_set_.load(std::memory_order_acquire), p.fd);
  }

  // For transport::watch_streams. A stream begins operations again and again. So one call that finds none does not end
  // the watch.
  bool watch() {
    if (is_empty()) return false;
    os::locked hold(lock_);
    if (!has_own_work()) {
      if (!is_watched_.exchange(false)) return false;
      fence_with_issuers();
      if (!has_own_work()) return false;
    }
    is_watched_.store(true);
    return true;
  }

 private:
  static constexpr std::uint64_t look_ns = 1000000;
  static constexpr int most_last_advances = 64;

  // Pairs with note_begun().
  void fence_with_issuers() {
    if (has_remote_barrier_)
      os::remote_barrier();
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  // Another thread may block in the descriptors already. The path must be able to wake it: UCX gives no notice before
  // may_block() has succeeded. Returns the number of events. The caller holds the guard.
  int hand_over(Path& p) {
    if (p.is_handed_over.load(std::memory_order_relaxed)) return 0;
    p.is_handed_over.store(true, std::memory_order_release);
    os::add_to_poll_set(poll_set_.load(std::memory_order_acquire), p.fd);
    int events = 0;
    for (int i = 0; i < most_last_advances && p.may_block() == blocking::not_now; ++i) events += p.advance();
    return events;
  }
  int look_at(Path& p) {
    const std::uint32_t calls = p.calls();
    int events = 0;
    if (calls == p.calls_at_look && p.has_operations())
      events = hand_over(p);
    else
      take_back(p);
    p.calls_at_look = calls;
    return events;
  }
  // True if a path has operations in progress that progress() does not advance, or was used since the last call. The
  // caller holds the lock.
  bool has_own_work() {
    bool found = false;
    for (Path* p = list_; p != nullptr; p = p->next) {
      const std::uint32_t calls = p->calls();
      if (p->has_operations() && !p->is_handed_over.load(std::memory_order_acquire)) found = true;
      if (calls != p->calls_at_watch) found = true;
      p->calls_at_watch = calls;
    }
    return found;
  }

  // Threads with separate paths only read these.
  const open_params& how_;
  const bool has_remote_barrier_ = os::register_remote_barrier();
  std::atomic<bool> is_watched_{false};  // a thread will look at the paths within a millisecond
  std::atomic<int> n_{0};                // paths in the list
  std::atomic<int> poll_set_{-1};        // the descriptors of all paths; -1: no stream ever had a separate one

  alignas(cache_line) os::mutex lock_;  // guards the list, whose paths stay open
  Path* list_ = nullptr;
  std::uint64_t next_look_ns_ = 0;
};

}  // namespace oshen::transport
