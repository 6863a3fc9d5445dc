// An open transport on this PE. It forwards operations to the transport's table, and emulates the operations that the
// table leaves out. An atomic becomes an AM request: the target's handler applies it and sends a reply. A fence becomes
// a flush.
//
// As in the table, no operation blocks: after `would_block` the caller makes progress and tries again.
#pragma once

#include "os/mutex.hpp"
#include "transport/traffic_hook.hpp"
#include "transport/transport.hpp"

namespace oshen::transport {

// The number of AM requests that one PE may have open. It bounds the replies that a target has to queue.
inline constexpr int max_requests = 512;

// A context's stream, and the AM requests of the context that have no reply yet.
struct channel {
  stream* handle = nullptr;
  std::atomic<std::uint32_t> open_requests{0};
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
  const char* explain() const { return table_->explain(self_); }
  std::size_t local_address(void* address) const { return table_->local_address(self_, address); }
  outcome connect(int pe, const void* address, std::size_t bytes) { return table_->connect(self_, pe, address, bytes); }

  bool open_channel(channel& c, unsigned options);
  void close_channel(channel& c);  // after flush

  outcome put(channel& c, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local) {
    return report(traffic::put, pe, bytes, table_->put(c.handle, pe, to, from, bytes, local));
  }
  outcome get(channel& c, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local) {
    return report(traffic::get, pe, bytes, table_->get(c.handle, pe, to, from, bytes, local));
  }
  outcome atomic(channel& c, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local);
  outcome fence(channel& c);
  outcome flush(channel& c);
  bool has_put_signal() const { return table_->put_signal != nullptr; }
  outcome put_signal(channel& c, int pe, const put_signal_args& args, completion* local) {
    return report(traffic::put_signal, pe, args.bytes, table_->put_signal(c.handle, pe, args, local));
  }

  // Reports further traffic to `hook`; null: to none. Only while no operation is in progress.
  void observe(traffic_hook* hook) { hook_.store(hook, std::memory_order_release); }

  int progress() { return table_->progress(self_); }
  int wait_fd() { return table_->wait_fd(self_); }
  bool may_block() { return table_->may_block == nullptr || table_->may_block(self_); }

 private:
  // An AM request without a reply.
  struct request {
    channel* from;
    void* result;
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
  int take_request();
  void release_request(int number);
  outcome send_request(channel& c, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local);
  void handle_request(int from_pe, const void* bytes);
  void handle_reply(const void* bytes);
  static void on_message(void* self, int from_pe, const void* bytes, std::size_t n);

  std::atomic<traffic_hook*> hook_{nullptr};
  connector connects_ = nullptr;
  void* owner_ = nullptr;
  const transport* table_ = nullptr;
  instance* self_ = nullptr;
  attributes attributes_;
  char* slice_ = nullptr;
  std::size_t slice_bytes_ = 0;

  os::mutex lock_;  // guards the list of free requests
  int first_free_ = 0;
  request requests_[max_requests];
};

}  // namespace oshen::transport
