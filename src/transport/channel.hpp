// The channel of a context: a stream of the transport, its AM requests that have no reply yet, its deferred
// operations, and its packs.
#pragma once

#include "base/bits.hpp"
#include "transport/epochs.hpp"
#include "transport/far_op.hpp"

namespace oshen::transport {

struct packer;

// The progress of one flush or fence through its repeated calls. It covers all operations before the first call.
struct flush_point {
  enum : std::uint8_t { begins, defers, flushes } stage = begins;
  std::uint32_t deferred_epoch = 0;
  std::uint32_t request_epoch = 0;
  std::uint32_t sources_epoch = 0;
  std::uint64_t n_changes = 0;  // of the channel, when the flush began
  stream_point handle{};
};

struct alignas(cache_line) channel {
  stream* handle = nullptr;
  direct_path* direct = nullptr;                   // null: the stream has none
  std::atomic<direct_path*> open_direct{nullptr};  // the same; null while a session is open, which packs
  // All operations except atomic fetches, which change no memory of the program until they return; and how many of them
  // a flush has completed. A deferred operation counts when it is deferred.
  std::atomic<std::uint64_t> n_changes{0};
  std::atomic<std::uint64_t> n_complete{0};
  // Operations that did not go by the direct path, fetches too; and how many of them began before the latest quiet.
  std::atomic<std::uint64_t> n_general{0};
  std::atomic<std::uint64_t> n_quieted{0};
  const direct_counts* direct_ops = &no_direct_ops;
  bool keeps_order = false;  // puts of the direct path; a fence has nothing to wait for
  bool has_one_thread = false;
  bool is_separate = false;  // the stream has an endpoint of its own
  channel* next = nullptr;   // in the list of the network (world/network.hpp)
  bool defers = false;       // non-blocking operations may be deferred
  epochs requests;
  epochs deferred;
  epochs sources;                               // of nonblocking puts: the transport may still read them.
  std::atomic<outcome> failure{outcome::done};  // of a deferred operation.
  std::atomic<int> failed_pe{-1};               // its target
  flush_point delivery_point;                   // of the flushes that ask whether all has arrived (wait/delivery.hpp)
  std::atomic<int> n_sessions{0};               // open ones; not 0: small operations are packed
  std::atomic<packer*> packing{nullptr};        // from the first session on
  // `n_changes` after the latest atomic operation of the card on an object of this node.
  std::atomic<std::uint64_t> n_card_changes_here{0};

  // Counts an operation, if it was accepted.
  outcome count(const far_op& op, outcome o) {
    if (o != outcome::done) return o;
    if (!op.is_atomic_fetch()) n_changes.fetch_add(1, std::memory_order_release);
    n_general.fetch_add(1, std::memory_order_release);
    return o;
  }
  void count_pack() {
    n_changes.fetch_add(1, std::memory_order_release);
    n_general.fetch_add(1, std::memory_order_release);
  }

  // True if all operations that did not go by the direct path are complete.
  bool is_quiet_generally() const {
    return n_quieted.load(std::memory_order_acquire) == n_general.load(std::memory_order_acquire);
  }
  bool is_quiet() const { return is_quiet_generally() && direct_ops->are_flushed(); }
  // True if nothing is open that has not gone by the direct path.
  bool is_idle_generally() const {
    return n_complete.load(std::memory_order_acquire) == n_changes.load(std::memory_order_acquire) &&
           requests.is_idle();
  }
  // True if the card may still change objects of this node.
  bool has_card_changes_here() const {
    return n_complete.load(std::memory_order_acquire) < n_card_changes_here.load(std::memory_order_relaxed);
  }
  // To be called after an atomic operation of the card on an object of this node.
  void note_card_change_here() { raise(n_card_changes_here, n_changes.load(std::memory_order_acquire)); }
  // A flush has completed so many operations.
  void note_complete(std::uint64_t n) { raise(n_complete, n); }
  // True: small operations are packed.
  bool is_packing() const { return n_sessions.load(std::memory_order_acquire) != 0; }

 private:
  // Several threads may raise a count at once; the highest value stays.
  static void raise(std::atomic<std::uint64_t>& count, std::uint64_t least) {
    std::uint64_t now = count.load(std::memory_order_relaxed);
    while (now < least && !count.compare_exchange_weak(now, least, std::memory_order_release)) {
    }
  }
  static constexpr direct_counts no_direct_ops{};
};

}  // namespace oshen::transport
