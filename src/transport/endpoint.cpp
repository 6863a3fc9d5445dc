#include "transport/endpoint.hpp"

#include <string.h>

#include "base/log.hpp"

namespace oshen::transport {
namespace {

enum class packet_kind : std::uint8_t { request, reply };

// An AM request for an atomic operation, and its reply.
struct packet {
  packet_kind kind;
  operation op;
  width bytes;
  std::uint8_t unused = 0;
  std::int32_t number;  // index in the requester's `requests_`
  std::uint64_t at;     // offset in the target's slice
  std::uint64_t value;  // in a reply: the value before the operation
  std::uint64_t compare;
};
static_assert(sizeof(packet) <= min_message_bytes);

outcome unless_requests_open(const channel& c, outcome o) {
  if (o != outcome::done) return o;
  return c.open_requests.load(std::memory_order_acquire) == 0 ? outcome::done : outcome::would_block;
}

}  // namespace

bool endpoint::open(const transport& with, open_params params, char* why, std::size_t room, connector connects,
                    void* owner) {
  connects_ = connects;
  owner_ = owner;
  table_ = &with;
  slice_ = params.slice;
  slice_bytes_ = params.slice_bytes;
  for (int i = 0; i < max_requests; ++i) requests_[i].next_free = i + 1 < max_requests ? i + 1 : -1;
  first_free_ = 0;
  params.on_message = on_message;
  params.owner = this;
  attributes_ = attributes{};
  if (table_->open(params, &self_, &attributes_, why, room)) return true;
  self_ = nullptr;
  return false;
}

void endpoint::close() {
  if (self_ != nullptr) table_->close(self_);
  self_ = nullptr;
}

bool endpoint::open_channel(channel& c, unsigned options) {
  c.handle = table_->stream_open(self_, options);
  return c.handle != nullptr;
}

void endpoint::close_channel(channel& c) {
  if (c.handle != nullptr) table_->stream_close(c.handle);
  c.handle = nullptr;
}

// ---- atomics as AM requests ---------------------------------------------------------------------------------

int endpoint::take_request() {
  os::locked hold(lock_);
  const int number = first_free_;
  if (number >= 0) first_free_ = requests_[number].next_free;
  return number;
}

void endpoint::release_request(int number) {
  os::locked hold(lock_);
  requests_[number].next_free = first_free_;
  first_free_ = number;
}

outcome endpoint::send_request(channel& c, int pe, std::uint64_t at, const atomic_op& op, void* result,
                               completion* local) {
  const int number = take_request();
  if (number < 0) return outcome::would_block;
  requests_[number] = {.from = &c, .result = result, .local = local, .bytes = op.bytes, .next_free = -1};
  const packet p{.kind = packet_kind::request,
                 .op = op.op,
                 .bytes = op.bytes,
                 .number = number,
                 .at = at,
                 .value = op.value,
                 .compare = op.compare};
  c.open_requests.fetch_add(1, std::memory_order_relaxed);  // before the reply can arrive
  const outcome o = table_->send(self_, c.handle, pe, &p, sizeof p);
  if (o == outcome::done) return o;
  c.open_requests.fetch_sub(1, std::memory_order_relaxed);
  release_request(number);
  return o;
}

outcome endpoint::atomic(channel& c, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local) {
  const auto bytes = static_cast<std::size_t>(op.bytes);
  if (table_->atomic == nullptr)
    return report(traffic::atomic_request, pe, bytes, send_request(c, pe, at, op, result, local));
  return report(traffic::atomic, pe, bytes, table_->atomic(c.handle, pe, at, op, result, local));
}

// On the target. The requester has checked the program's arguments, so a bad offset is an error of the transport.
void endpoint::handle_request(int from_pe, const void* bytes) {
  packet p;
  memcpy(&p, bytes, sizeof p);
  const auto size = static_cast<std::uint64_t>(p.bytes);
  if (p.at > slice_bytes_ - size || p.at % size != 0) {
    log::error("transport %s: a message of PE %d points out of this PE's memory; ignored", table_->name, from_pe);
    return;
  }
  p.value =
      apply(slice_ + p.at, {.op = p.op, .bytes = p.bytes, .fetches = true, .value = p.value, .compare = p.compare});
  p.kind = packet_kind::reply;
  if (connects_ != nullptr && connects_(owner_, from_pe) != outcome::done) return;
  static_cast<void>(table_->send(self_, nullptr, from_pe, &p, sizeof p));  // a dead requester needs no reply
}

void endpoint::handle_reply(const void* bytes) {
  packet p;
  memcpy(&p, bytes, sizeof p);
  if (p.number < 0 || p.number >= max_requests) return;
  const request r = requests_[p.number];
  if (r.result != nullptr) memcpy(r.result, &p.value, static_cast<std::size_t>(r.bytes));
  release_request(p.number);
  if (r.local != nullptr) r.local->pending.fetch_sub(1, std::memory_order_release);
  r.from->open_requests.fetch_sub(1, std::memory_order_release);  // last: after it a flush may close the channel
}

void endpoint::on_message(void* self, int from_pe, const void* bytes, std::size_t n) {
  if (n != sizeof(packet)) return;
  auto& me = *static_cast<endpoint*>(self);
  packet_kind kind;
  memcpy(&kind, bytes, sizeof kind);
  if (kind == packet_kind::request)
    me.handle_request(from_pe, bytes);
  else
    me.handle_reply(bytes);
}

// ---- order --------------------------------------------------------------------------------------------------

outcome endpoint::fence(channel& c) {
  if (table_->fence == nullptr) return flush(c);
  const outcome o = table_->fence(c.handle);
  return attributes_.messages_in_order ? o : unless_requests_open(c, o);
}

outcome endpoint::flush(channel& c) { return unless_requests_open(c, table_->flush(c.handle)); }

}  // namespace oshen::transport
