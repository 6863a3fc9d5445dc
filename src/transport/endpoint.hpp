// An open transport on this PE. It forwards operations to the transport's table, and emulates the operations that the
// table leaves out. An atomic becomes an AM request: the target's handler applies it and sends a reply. A fence becomes
// a flush.
//
// As in the table, no operation blocks: after `would_block` the caller makes progress and tries again.
#pragma once

#include <algorithm>

#include "base/bits.hpp"
#include "os/mutex.hpp"
#include "transport/deferred.hpp"
#include "transport/epochs.hpp"
#include "transport/pack.hpp"
#include "transport/traffic_hook.hpp"
#include "transport/transport.hpp"

namespace oshen::transport {

// The number of AM requests that one PE may have open: in all, and towards one target. It bounds the replies that a
// target has to queue. Requests that no caller awaits have less room, so a stopped target never keeps a caller from
// sending requests to others.
inline constexpr int max_requests = 512;
inline constexpr int max_unawaited_requests = 384;
inline constexpr int max_requests_to_one = 128;
inline constexpr int max_unawaited_requests_to_one = 64;

// A context's stream, the AM requests of the context that have no reply yet, and its deferred operations.
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

  // True if all operations that did not go by the direct path are complete.
  bool is_quiet_generally() const {
    return n_quieted.load(std::memory_order_acquire) == n_general.load(std::memory_order_acquire);
  }
  bool is_quiet() const { return is_quiet_generally() && direct_ops->are_flushed(); }
  // True if the card may still change objects of this node.
  bool has_card_changes_here() const {
    return n_complete.load(std::memory_order_acquire) < n_card_changes_here.load(std::memory_order_relaxed);
  }

 private:
  static constexpr direct_counts no_direct_ops{};
};

class endpoint {
 public:
  endpoint() = default;
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  // Connects to a PE before the first reply to it. Local and quick.
  using connector = outcome (*)(void* owner, int pe);

  // False: the reason is in `why`.
  bool open(const transport& with, open_params params, char* why, std::size_t room, connector connects = nullptr,
            void* owner = nullptr);
  void close();

  const char* name() const { return table_->name; }
  const attributes& query() const { return attributes_; }
  bool may_connect(const void* address, std::size_t bytes, char* why, std::size_t room) const {
    return table_->may_connect == nullptr || table_->may_connect(self_, address, bytes, why, room);
  }
  const char* explain() const { return table_->explain(self_); }
  std::size_t local_address(void* address) const { return table_->local_address(self_, address); }
  outcome connect(int pe, const void* address, std::size_t bytes) { return table_->connect(self_, pe, address, bytes); }

  // True if nothing of the channel is open that has not gone by its direct path.
  static bool is_general_idle(const channel& c) {
    return c.n_complete.load(std::memory_order_acquire) == c.n_changes.load(std::memory_order_acquire) &&
           c.requests.is_idle();
  }

  bool open_channel(channel& c, unsigned options);
  void close_channel(channel& c);  // after flush

  // The operation is deferred only behind earlier operations towards the same PE. So the operations towards a PE keep
  // their order, and none starves.
  outcome issue(channel& c, const far_op& op) {
    return must_wait(c, op.pe) ? issue_later(c, op) : count(c, op, start(c, op));
  }
  // The form for channels that defer: an operation that the transport does not accept at once is deferred, and
  // `would_block` means that the queue is full. A put without `local` is counted in channel::sources.
  outcome issue_later(channel& c, const far_op& op);
  // An atomic operation by an AM request, which is no traffic of the program: neither `hook` nor `n_changes` sees it.
  outcome ask(channel& c, const far_op& op) { return send_request(c, op); }
  // To be called after an atomic operation of the card on an object of this node.
  static void note_card_change_here(channel& c);
  // Both send the packs of the channel first.
  outcome fence(channel& c, flush_point& point);
  outcome flush(channel& c, flush_point& point);
  // A flush that leaves open packs alone. It reports a failure, and may never be done.
  outcome flush_sent(channel& c, flush_point& point) {
    const outcome o = await_deferred(c, point);
    return o == outcome::done ? flush_issued(c, point) : o;
  }
  // False: only issue_later() takes a put with signal, and makes it of several operations.
  bool has_put_signal() const { return table_->put_signal != nullptr; }

  // Between start_packing() and stop_packing() the caller may pack small operations (transport/pack.hpp). False: this
  // channel packs nothing. A packed operation has copied its operands; a flush brings the values that it fetches.
  // `would_block`: a full pack cannot leave now.
  bool start_packing(channel& c);
  static void stop_packing(channel& c) {
    if (c.n_sessions.fetch_sub(1) == 1) c.open_direct.store(c.direct);
    if (c.n_sessions.load() != 0) c.open_direct.store(nullptr);  // another thread has started one meanwhile
  }
  static bool packs(const channel& c) { return c.n_sessions.load(std::memory_order_acquire) != 0; }
  outcome add_packed(channel& c, const far_op& op);
  // Two short forms of the above, for an open pack that has room. False: there is none; use the form above.
  static bool add_quickly(channel& c, int pe, const packed_op& what);  // `what` is small
  static bool get_quickly(channel& c, int pe, const packed_op& what, void* to);
  outcome send_packs(channel& c);  // all that are open
  // For a thread that is about to block. True: packs are open, so it should make progress again after pack_age_ns.
  // False: wake_requests() changes when the next pack opens.
  bool watch_packs();

  // Changes when a caller must wake the threads that block in wait_fd(): the first operation was deferred, or no thread
  // watches a pack that was opened or an operation of a separate stream.
  std::uint32_t wake_requests() const { return deferred_ops_.fills() + unwatched_.load(std::memory_order_acquire); }

  // Advances a channel with a separate stream, without progress of others. Returns the number of events; -1: the
  // operations of the channel also need progress().
  int progress_of(channel& c) {
    if (!c.is_separate) return -1;
    const int events = table_->stream_progress(c.handle);
    return c.requests.is_idle() && c.deferred.is_idle() ? events : -1;
  }
  // The caller of progress_of() is about to sleep.
  void hand_over(channel& c) {
    if (c.is_separate) table_->stream_hand_over(c.handle);
  }
  // For a thread that is about to block; see transport::watch_streams.
  bool watch_streams() { return table_->watch_streams != nullptr && table_->watch_streams(self_); }

  // Reports further traffic to `hook`; null: to none. Only while no operation is in progress.
  void observe(traffic_hook* hook) {
    hook_.store(hook, std::memory_order_release);
    deferred_ops_.divert(hook != nullptr);
  }

  int progress() {
    const int started = deferred_ops_.start(start_deferred, this) + send_aged_packs();
    const int events = table_->progress(self_);
    if (events < 0) return events;
    return started + events == 0 && has_failed() ? -1 : started + events;
  }
  bool owes_acks() { return table_->owes_acks != nullptr && table_->owes_acks(self_); }
  int wait_fd() { return table_->wait_fd(self_); }
  blocking may_block() {
    const blocking own = table_->may_block != nullptr ? table_->may_block(self_) : blocking::until_readable;
    return deferred_ops_.is_empty() ? own : std::max(own, blocking::for_a_moment);
  }

 private:
  // An AM request without a reply.
  struct request {
    channel* from;
    int pe;
    std::uint32_t epoch;
    void* result;
    pack_results* results;  // of a pack that fetches; null for others and while the request is free
    completion* local;
    width bytes;
    int next_free;
  };

  outcome report(traffic kind, int pe, std::size_t bytes, outcome o) {
    traffic_hook* const hook = hook_.load(std::memory_order_acquire);
    if (hook != nullptr && o == outcome::done) [[unlikely]]
      hook->saw(*hook, kind, pe, bytes);
    return o;
  }
  // Counts the operation, if it was accepted.
  static outcome count(channel& c, const far_op& op, outcome o) {
    return op.is_atomic_fetch() ? fetched(c, o) : changed(c, o);
  }
  static outcome changed(channel& c, outcome o) {
    if (o == outcome::done) c.n_changes.fetch_add(1, std::memory_order_release);
    return fetched(c, o);
  }
  static outcome fetched(channel& c, outcome o) {
    if (o == outcome::done) c.n_general.fetch_add(1, std::memory_order_release);
    return o;
  }
  // True if earlier operations towards the PE are deferred, which come first.
  bool must_wait(const channel& c, int pe) const { return c.defers && deferred_ops_.has(pe); }
  bool has_failed() const { return deferred_ops_.has_failed() || has_failed_pack_.load(std::memory_order_relaxed); }
  void release_memory();
  outcome start(channel& c, const far_op& op);
  outcome start(deferred_op& deferred);
  bool is_emulated(const far_op& op) const {
    return op.kind == far_kind::put_signal && (!has_put_signal() || op.args.by != agent::cpu);
  }
  outcome put_fence_signal(deferred_op& deferred);
  static outcome await_deferred(channel& c, flush_point& point);
  outcome fence_issued(channel& c, flush_point& point);
  outcome flush_issued(channel& c, flush_point& point);
  static outcome start_deferred(void* self, deferred_op& op) { return static_cast<endpoint*>(self)->start(op); }
  outcome start_pack(deferred_op& deferred);
  outcome reserve(packer& p, int pe, std::size_t records, std::size_t values, pack*& found);
  outcome pack_one(channel& c, int pe, const packed_op& what, const void* operand);
  outcome pack_fetch(channel& c, int pe, const packed_op& what, const void* operand, void* result);
  outcome pack_atomic(channel& c, const far_op& op);
  outcome pack_signal(channel& c, const far_op& op);
  outcome send_pack(channel& c, packer& p, pack& b);
  outcome send_pack_now(channel& c, pack& b);
  void note_opened();
  int send_aged_packs();
  int send_aged_packs_of(packer& p);
  void release_packs(channel& c);
  void handle_pack(int from_pe, const void* bytes, std::size_t n);
  void handle_pack_reply(int from_pe, const void* bytes, std::size_t n);
  int take_request(int pe, bool is_awaited);
  void release_request(int number);
  void end_request(int number);
  outcome send_request(channel& c, const far_op& op);
  void handle_request(int from_pe, const void* bytes);
  void send_reply(int to_pe, const void* reply, std::size_t n);
  void handle_reply(const void* bytes);
  static void request_wake(void* self) { static_cast<endpoint*>(self)->unwatched_.fetch_add(1); }
  static void on_message(void* self, int from_pe, const void* bytes, std::size_t n);

  std::atomic<traffic_hook*> hook_{nullptr};
  connector connects_ = nullptr;
  void* owner_ = nullptr;
  const transport* table_ = nullptr;
  instance* self_ = nullptr;
  attributes attributes_;
  char* slice_ = nullptr;
  std::size_t slice_bytes_ = 0;
  int n_pes_ = 0;

  deferred_queue deferred_ops_;

  os::mutex packers_lock_;  // guards the list; taken before the lock of a packer
  packer* packers_ = nullptr;
  std::atomic<int> n_open_packs_{0};
  enum class pack_watch : std::uint8_t { none, watched, opened };  // opened: since the latest watch_packs()
  std::atomic<pack_watch> pack_watch_{pack_watch::none};
  std::atomic<std::uint32_t> unwatched_{0};  // packs and operations that began unwatched
  std::atomic<bool> has_failed_pack_{false};

  os::mutex lock_;  // guards the list of free requests and the counts of open ones
  int first_free_ = 0;
  int n_unawaited_ = 0;
  std::uint16_t* open_to_ = nullptr;  // for each PE
  request requests_[max_requests];
};

}  // namespace oshen::transport
