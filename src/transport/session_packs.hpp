// The packs of all channels (transport/pack.hpp): small operations of a session enter them, and they leave when they
// are full, at a fence or flush, or by age.
#pragma once

#include "transport/am_requests.hpp"
#include "transport/deferred.hpp"

namespace oshen::transport {

class session_packs {
 public:
  session_packs(open_transport& home, am_requests& requests, deferred_queue& queue)
      : home_(home), requests_(requests), queue_(queue) {}
  session_packs(const session_packs&) = delete;
  session_packs& operator=(const session_packs&) = delete;

  void open() { has_failed_.store(false, std::memory_order_relaxed); }

  // Between these two calls the caller may pack small operations. False: this channel packs nothing.
  bool begin_session(channel& c);
  static void end_session(channel& c);
  void release(channel& c);  // with packs that are still open

  // A packed operation has copied its operands; a flush brings the values that it fetches. `would_block`: a full pack
  // cannot leave now.
  outcome add(channel& c, const far_op& op);
  // Two short forms of add(), for an open pack that has room. False: there is none; use add().
  static bool add_quickly(channel& c, int pe, const packed_op& what);  // `what` is small
  static bool get_quickly(channel& c, int pe, const packed_op& what, void* to);

  outcome send(channel& c);  // all that are open
  // Sends those that have waited too long; returns their number.
  int send_aged();
  outcome start_deferred(deferred_op& deferred);
  // True if a pack failed after the calls of its operations had returned.
  bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }
  // For a thread that is about to block. True: packs are open, so it should make progress again after pack_age_ns.
  // False: open_transport::wake_requests() changes when the next pack opens.
  bool watch();

 private:
  outcome reserve(packer& p, int pe, std::size_t records, std::size_t values, pack*& found);
  outcome add_one(channel& c, int pe, const packed_op& what, const void* operand);
  outcome add_fetch(channel& c, int pe, const packed_op& what, const void* operand, void* result);
  outcome add_atomic(channel& c, const far_op& op);
  outcome add_signal(channel& c, const far_op& op);
  outcome send_one(channel& c, packer& p, pack& b);
  int send_aged_of(packer& p);
  void note_opened();

  open_transport& home_;
  am_requests& requests_;
  deferred_queue& queue_;

  os::mutex lock_;  // guards the list; taken before the lock of a packer
  packer* packers_ = nullptr;
  std::atomic<int> n_open_{0};
  enum class watch_state : std::uint8_t { none, watched, opened };  // opened: since the latest watch()
  std::atomic<watch_state> watch_state_{watch_state::none};
  std::atomic<bool> has_failed_{false};
};

}  // namespace oshen::transport
