// Operations on PEs of other nodes, through the transport (design/several-nodes.md). Every wait and every retry of such
// an operation is here: it makes progress, notices the end of the job, and describes itself like any other wait
// (wait/backoff.hpp).
#pragma once

#include <optional>

#include "op/slow_path.hpp"
#include "transport/endpoint.hpp"
#include "wait/backoff.hpp"
#include "wait/progress.hpp"

namespace oshen::op::remote {

// Makes progress once, for an operation that waits for room.
void make_progress(call_site at);

// The offset of a symmetric object of PE `world_pe` in its slice; checks the address as on a node.
std::uint64_t offset_in_slice(call_site at, const char* argument, const void* address, std::size_t bytes, int world_pe);

// A wait that ends when the network has made progress. The caller calls step() and tests in turn.
class network_wait {
 public:
  // `retries`: the transport refused an operation without saying when to retry.
  network_wait(call_site at, int world_pe, bool retries);
  void step();

 private:
  world& world_;
  transport::channel& channel_;
  wait_info info_;
  unsigned quick_polls_;
  unsigned quick_yields_;
  bool announced_ = false;
  std::optional<backoff> backoff_;
};

// One call towards a PE on another node. Its blocking operations are in progress together; the end of the call waits
// until their buffers may be reused. Its non-blocking operations wait only while the queue of deferred ones is full.
class remote_call {
 public:
  remote_call(call_site at, int world_pe);  // connects to the PE
  ~remote_call() {
    if (endpoint_.wake_requests() != wake_requests_) call_network_thread(*at_.ctx->home->beyond);
    if (local_.pending.load(std::memory_order_acquire) != 0) await();
  }
  remote_call(const remote_call&) = delete;
  remote_call& operator=(const remote_call&) = delete;

  void put(std::uint64_t to, const void* from, std::size_t bytes, completion_mode mode = completion_mode::blocking);
  void get(void* to, std::uint64_t from, std::size_t bytes, completion_mode mode = completion_mode::blocking);
  void put_signal(const transport::put_signal_args& args, completion_mode mode, bool is_packed);
  // `result` may be null.
  void atomic(std::uint64_t object, const transport::atomic_op& op, void* result, completion_mode mode);

 private:
  void issue(transport::far_op& op, completion_mode mode, bool is_packed);
  void issue_in_chunks(transport::far_op op, completion_mode mode, bool is_packed);  // a put or get
  void await();

  call_site at_;
  int world_pe_;
  transport::endpoint& endpoint_;
  transport::channel& channel_;
  transport::completion local_;
  std::uint32_t wake_requests_;  // before the call
};

// A blocking put returns when `from` may be reused, a blocking get when the bytes have arrived.
void put(call_site at, int world_pe, std::uint64_t to, const void* from, std::size_t bytes, completion_mode mode);
void get(call_site at, int world_pe, void* to, std::uint64_t from, std::size_t bytes, completion_mode mode);

// Returns the value before, if `op.fetches`.
std::uint64_t atomic(call_site at, int world_pe, std::uint64_t object, const transport::atomic_op& op);
// `fetch` holds the value before when the next quiet returns.
void atomic_nbi(call_site at, int world_pe, std::uint64_t object, const transport::atomic_op& op, void* fetch);
// To be called after an atomic operation of the card on a PE of this node. A fence then waits for it.
void note_card_change_here(call_site at);
// The target sees the signal after the bytes of this call.
void put_signal(call_site at, int world_pe, const transport::put_signal_args& args,
                completion_mode mode = completion_mode::blocking);
// The same without any wait: false if nothing was begun, because the network has no room or is not connected yet.
// `lent` counts the operation until its source may be reused. At most endpoint::query().transfer_bytes bytes.
bool try_put_signal(call_site at, int world_pe, const transport::put_signal_args& args, transport::completion& lent);
// The target sees the signal after the bytes of this call and of all earlier ones on the channel.
void put_ordered_signal(call_site at, int world_pe, const transport::put_signal_args& args,
                        completion_mode mode = completion_mode::blocking);

// Waits for a direct operation on PE `pe` of the context's team.
[[gnu::cold]] void await(call_site at, int pe, transport::direct_path& path, transport::direct_wait& wait);

void fence(call_site at);
void quiet(call_site at);
// Waits until the sources of earlier non-blocking puts may be reused. A transport that learns of local completion only
// at delivery (ofi, for puts that it does not copy) waits for that.
void quiet_local(call_site at);

// From now on the small operations of a context on PEs of other nodes travel packed, until stop_packing(), which sends
// open packs. False: the transport does not pack. Both are to be called once for each session.
bool start_packing(const context& c);
void stop_packing(call_site at);

// Opens a channel for a new context on a team that spans nodes. Without a channel of its own, the context shares that
// of the default context.
void open_channel(context& c, long options);
// True: no other context shares the endpoint of this one, or it needs none because its team is on this node.
bool has_own_endpoint(const context& c);
// To be called after quiet on the context.
void close_channel(context& c);

}  // namespace oshen::op::remote
