// Operations that the transport did not accept at once: non-blocking operations, and blocking operations that follow
// them. They wait in a queue for each peer, and progress() starts them in the order of their calls. The queue is
// bounded in bytes; only a caller that finds it full must wait.
#pragma once

#include "os/mutex.hpp"
#include "transport/channel.hpp"
#include "transport/open_transport.hpp"

namespace oshen::transport {

// Bounds of one PE: the memory of the queue, and the bytes that its operations move, which delay all later operations.
inline constexpr std::size_t max_deferred_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_deferred_payload = std::size_t{16} << 20;

struct pack;

// An operation in the queue, or a pack of them.
struct deferred_op {
  deferred_op* next = nullptr;
  channel* on;
  far_op op;                       // of a pack only its target.
  pack* packed = nullptr;          // which the queue owns, or null.
  std::size_t moved_bytes = 0;     // of a pack: its memory
  bool is_blocking = false;        // the caller waits for `op.local`.
  std::uint8_t n_stages_done = 0;  // of a put with signal that the endpoint makes of several operations
  std::uint32_t epoch = 0;         // of the channel's deferred operations
  flush_point point{};             // of the fence in such a put with signal
};

struct deferred_peer {
  deferred_op* first;
  deferred_op* last;
  std::atomic<std::uint32_t> count;  // read without the lock
};

class deferred_queue {
 public:
  // Starts one operation, and returns its outcome.
  using starter = outcome (*)(void* with, deferred_op& op);

  explicit deferred_queue(open_transport& home) : home_(home) {}
  deferred_queue(const deferred_queue&) = delete;
  deferred_queue& operator=(const deferred_queue&) = delete;

  bool open(int n_pes);
  void close();

  // Acquire: the operations that left the queue have entered their streams.
  bool is_empty() const { return static_cast<std::uint32_t>(n_detours_.load(std::memory_order_acquire)) == 0; }
  // Not 0 while operations must not go by a direct path: the number of deferred ones, and `diverted`.
  const std::atomic<std::uint64_t>& detours() const { return n_detours_; }
  void divert(bool all) {
    if (all)
      n_detours_.fetch_or(diverted);
    else
      n_detours_.fetch_and(~diverted);
  }
  // True if an operation failed after its call had returned.
  bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }
  bool has(int pe) const { return !is_empty() && op_queues_[pe].count.load(std::memory_order_acquire) != 0; }
  // True if earlier operations towards the PE are in the queue, behind which those of the channel wait.
  bool must_wait(const channel& c, int pe) const { return c.defers && has(pe); }

  // Appends a copy of `op`. `would_block`: the queue is full. The first operation asks for a wake-up, because a thread
  // that blocks does not know of it.
  outcome add(const deferred_op& op);
  // Starts operations until each peer has none left or refuses one; returns the number of operations that left the
  // queue. If another thread is doing this already, the call returns at once.
  int start(starter begin, void* with);

 private:
  bool is_full_for(const deferred_op& op) const;
  void note_failure(const deferred_op& op, outcome o);
  int start_first(int pe, starter begin, void* with);

  open_transport& home_;
  os::mutex lock_;  // guards all members except the atomics
  deferred_peer* op_queues_ = nullptr;
  int* active_ = nullptr;  // peers with operations
  int n_active_ = 0;
  int n_pes_ = 0;
  std::size_t moved_bytes_ = 0;
  static constexpr std::uint64_t diverted = std::uint64_t{1} << 32;
  std::atomic<std::uint64_t> n_detours_{0};
  std::atomic<bool> has_failed_{false};
};

}  // namespace oshen::transport
