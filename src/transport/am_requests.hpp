// The AM requests of this PE that have no reply yet, and the handlers of the endpoint's messages. A request is an
// atomic operation or a pack. A CPU of the target executes it in the handler, and replies.
#pragma once

#include "os/mutex.hpp"
#include "transport/channel.hpp"
#include "transport/open_transport.hpp"
#include "transport/pack.hpp"

namespace oshen::transport {

// The number of AM requests that one PE may have open: in all, and towards one target. It bounds the replies that a
// target has to queue. Requests that no caller awaits have less room, so a stopped target never keeps a caller from
// sending requests to others.
inline constexpr int max_requests = 512;
inline constexpr int max_unawaited_requests = 384;
inline constexpr int max_requests_to_one = 128;
inline constexpr int max_unawaited_requests_to_one = 64;

class am_requests {
 public:
  // Connects to a PE before the first reply to it. Local and quick.
  using connector = outcome (*)(void* owner, int pe);

  explicit am_requests(open_transport& home) : home_(home) {}
  am_requests(const am_requests&) = delete;
  am_requests& operator=(const am_requests&) = delete;

  bool open(int n_pes, connector connects, void* owner);  // false: no memory
  void close();

  // Both: `would_block` if there are too many requests, or if the transport has no room.
  outcome send(channel& c, const far_op& op);  // an atomic operation
  outcome send_pack(channel& c, pack& b);      // `done`: the list of its results belongs to the request

  // A message for the endpoint has arrived.
  void handle(int from_pe, const void* bytes, std::size_t n);

 private:
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

  int take(int pe, bool is_awaited);
  void release(int number);
  void end(int number);
  void send_reply(int to_pe, const void* bytes, std::size_t n);
  void handle_request(int from_pe, const void* bytes);
  void handle_pack(int from_pe, const void* bytes, std::size_t n);
  void handle_reply(const void* bytes);
  void handle_pack_reply(int from_pe, const void* bytes, std::size_t n);

  open_transport& home_;
  connector connects_ = nullptr;
  void* owner_ = nullptr;

  os::mutex lock_;  // guards the list of free requests and the counts of open ones
  int first_free_ = 0;
  int n_unawaited_ = 0;
  std::uint16_t* open_to_ = nullptr;  // for each PE
  request requests_[max_requests];
};

}  // namespace oshen::transport
