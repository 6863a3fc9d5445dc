// A transport that is open on this PE: its table, its instance, and the slice that it exposes. The parts of the
// endpoint (requests, packs, deferred operations) send messages, report traffic and ask for wake-ups through it.
#pragma once

#include "transport/traffic_hook.hpp"
#include "transport/transport.hpp"

namespace oshen::transport {

class open_transport {
 public:
  open_transport() = default;
  open_transport(const open_transport&) = delete;
  open_transport& operator=(const open_transport&) = delete;

  const char* name() const { return table_->name; }
  const attributes& query() const { return attributes_; }
  char* slice() const { return slice_; }
  std::size_t slice_bytes() const { return slice_bytes_; }
  int n_pes() const { return n_pes_; }
  // False: a put with signal is made of several operations.
  bool has_put_signal() const { return table_->put_signal != nullptr; }
  const char* explain() const { return table_->explain(self_); }

  std::size_t local_address(void* address) const { return table_->local_address(self_, address); }
  bool may_connect(const void* address, std::size_t bytes, char* why, std::size_t room) const {
    return table_->may_connect == nullptr || table_->may_connect(self_, address, bytes, why, room);
  }
  outcome connect(int pe, const void* address, std::size_t bytes) { return table_->connect(self_, pe, address, bytes); }

  // `on`: null for a reply.
  outcome send(stream* on, int pe, const void* bytes, std::size_t n) { return table_->send(self_, on, pe, bytes, n); }

  // Tells the hook of an operation, if it was accepted.
  outcome report(traffic kind, int pe, std::size_t bytes, outcome o) {
    traffic_hook* const hook = hook_.load(std::memory_order_acquire);
    if (hook != nullptr && o == outcome::done) [[unlikely]]
      hook->saw(*hook, kind, pe, bytes);
    return o;
  }

  // Changes when a caller must wake the threads that block in wait_fd(): the first operation was deferred, or no thread
  // watches a pack that was opened or an operation of a separate stream.
  std::uint32_t wake_requests() const { return wake_requests_.load(std::memory_order_acquire); }
  void request_wake() { wake_requests_.fetch_add(1); }

  bool can_leave_out() const { return table_->leave_out != nullptr; }
  bool leave_out(bool at_once) { return table_->leave_out(self_, at_once); }
  void watch_all() { table_->watch_all(self_); }
  bool can_owe_acks() const { return table_->owes_acks != nullptr; }
  bool owes_acks() { return table_->owes_acks != nullptr && table_->owes_acks(self_); }
  int wait_fd() { return table_->wait_fd(self_); }
  // For a thread that is about to block; see transport::watch_streams.
  bool watch_streams() { return table_->watch_streams != nullptr && table_->watch_streams(self_); }

 protected:
  ~open_transport() = default;

  // False: the reason is in `why`.
  bool open(const transport& with, const open_params& params, char* why, std::size_t room) {
    table_ = &with;
    slice_ = params.slice;
    slice_bytes_ = params.slice_bytes;
    n_pes_ = params.n_pes;
    attributes_ = attributes{};
    return table_->open(params, &self_, &attributes_, why, room);
  }

  std::atomic<traffic_hook*> hook_{nullptr};
  std::atomic<std::uint32_t> wake_requests_{0};
  const transport* table_ = nullptr;
  instance* self_ = nullptr;

 private:
  attributes attributes_;
  char* slice_ = nullptr;
  std::size_t slice_bytes_ = 0;
  int n_pes_ = 0;
};

}  // namespace oshen::transport
