// An open transport on this PE with all operations of the contract. It forwards them to the transport's table, and
// emulates those that the table leaves out. An atomic becomes an AM request (am_requests.hpp), a fence a flush, and a
// put with signal a put, a fence and an atomic operation. It defers operations that the transport does not accept
// (deferred.hpp), and packs small ones in sessions (session_packs.hpp).
//
// As in the table, no operation blocks: after `would_block` the caller makes progress and tries again.
#pragma once

#include <algorithm>

#include "transport/session_packs.hpp"

namespace oshen::transport {

class endpoint : public open_transport {
 public:
  // `connects` connects to a PE before the first reply to it. False: the reason is in `why`.
  bool open(const transport& with, open_params params, char* why, std::size_t room,
            am_requests::connector connects = nullptr, void* owner = nullptr);
  void close();

  bool open_channel(channel& c, unsigned options);
  void close_channel(channel& c);  // after flush

  // The operation is deferred only behind earlier operations towards the same PE. So the operations towards a PE keep
  // their order, and none starves.
  outcome issue(channel& c, const far_op& op) {
    return queue_.must_wait(c, op.pe) ? issue_later(c, op) : c.count(op, start(c, op));
  }
  // The form for channels that defer: an operation that the transport does not accept at once is deferred, and
  // `would_block` means that the queue is full. A put without `local` is counted in channel::sources. Only this form
  // takes a put with signal that is made of several operations (has_put_signal).
  outcome issue_later(channel& c, const far_op& op);
  // An atomic operation by an AM request, which is no traffic of the program: neither hook nor `n_changes` sees it.
  outcome ask(channel& c, const far_op& op) { return requests_.send(c, op); }
  session_packs& packs() { return packs_; }

  // Both send the packs of the channel first.
  outcome fence(channel& c, flush_point& point);
  outcome flush(channel& c, flush_point& point);
  // A flush that leaves open packs alone. It reports a failure, and may never be done.
  outcome flush_sent(channel& c, flush_point& point);

  int progress();
  // Advances a channel with a separate stream, without progress of others. Returns the number of events; -1: the
  // operations of the channel also need progress().
  [[gnu::always_inline]] int progress_of(channel& c) {
    if (!c.is_separate) return -1;
    const int events = table_->stream_progress(c.handle);
    return c.requests.is_idle() && c.deferred.is_idle() ? events : -1;
  }
  // The caller of progress_of() is about to sleep.
  void hand_over(channel& c) {
    if (c.is_separate) table_->stream_hand_over(c.handle);
  }
  blocking may_block() {
    const blocking own = table_->may_block != nullptr ? table_->may_block(self_) : blocking::until_readable;
    return queue_.is_empty() ? own : std::max(own, blocking::for_a_moment);
  }

  // Reports further traffic to `hook`; null: to none. Only while no operation is in progress.
  void observe(traffic_hook* hook) {
    hook_.store(hook, std::memory_order_release);
    queue_.divert(hook != nullptr);
  }

 private:
  bool is_emulated(const far_op& op) const {
    return op.kind == far_kind::put_signal && (!has_put_signal() || op.args.by != agent::cpu);
  }
  outcome start(channel& c, const far_op& op);
  outcome start_deferred(deferred_op& deferred);
  outcome put_fence_signal(deferred_op& deferred);
  outcome fence_issued(channel& c, flush_point& point);
  outcome flush_issued(channel& c, flush_point& point);
  void release_memory();

  deferred_queue queue_{*this};
  am_requests requests_{*this};
  session_packs packs_{*this, requests_, queue_};
};

}  // namespace oshen::transport
