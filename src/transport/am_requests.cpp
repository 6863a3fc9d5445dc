#include "transport/am_requests.hpp"

#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "base/log.hpp"

namespace oshen::transport {

bool am_requests::open(int n_pes, connector connects, void* owner) {
  connects_ = connects;
  owner_ = owner;
  for (int i = 0; i < max_requests; ++i) {
    requests_[i].next_free = i + 1 < max_requests ? i + 1 : -1;
    requests_[i].results = nullptr;
  }
  first_free_ = 0;
  n_unawaited_ = 0;
  open_to_ = static_cast<std::uint16_t*>(calloc(static_cast<std::size_t>(n_pes), sizeof *open_to_));
  return open_to_ != nullptr;
}

void am_requests::close() {
  for (request& r : requests_) free(r.results);
  free(open_to_);
  open_to_ = nullptr;
}

// ---- on the requester ---------------------------------------------------------------------------------------

// Less than 0: the PE has too many open requests, in all or towards this target. A target may have at most as many as
// are left for others. So each further stopped target takes half of the rest, and the first ones never take all.
int am_requests::take(int pe, bool is_awaited) {
  os::locked hold(lock_);
  const int left = max_unawaited_requests - n_unawaited_;
  const int limit = is_awaited ? max_requests_to_one : std::min(max_unawaited_requests_to_one, left);
  if (open_to_[pe] >= limit) return -1;
  const int number = first_free_;
  if (number < 0) return -1;
  first_free_ = requests_[number].next_free;
  ++open_to_[pe];
  if (!is_awaited) ++n_unawaited_;
  return number;
}

void am_requests::release(int number) {
  os::locked hold(lock_);
  request& r = requests_[number];
  r.next_free = first_free_;
  first_free_ = number;
  --open_to_[r.pe];
  if (r.local == nullptr) --n_unawaited_;
}

outcome am_requests::send(channel& c, const far_op& op) {
  const auto& [at, what] = op.atomic;
  const int number = take(op.pe, op.local != nullptr);
  if (number < 0) return outcome::would_block;
  const std::uint32_t epoch = c.requests.enter();  // before the reply can arrive
  requests_[number] = {.from = &c,
                       .pe = op.pe,
                       .epoch = epoch,
                       .result = op.result,
                       .results = nullptr,
                       .local = op.local,
                       .bytes = what.bytes,
                       .next_free = -1};
  const am_packet p{.kind = am_kind::request,
                    .op = what.op,
                    .bytes = what.bytes,
                    .number = number,
                    .at = at,
                    .value = what.value,
                    .compare = what.compare};
  const outcome o = home_.send(c.handle, op.pe, &p, sizeof p);
  if (o == outcome::done) return o;
  c.requests.leave(epoch);
  release(number);
  return o;
}

// No caller awaits a pack. Its results belong to the request before the reply can arrive.
outcome am_requests::send_pack(channel& c, pack& b) {
  const int number = take(b.pe, false);
  if (number < 0) return outcome::would_block;
  requests_[number] = {.from = &c,
                       .pe = b.pe,
                       .epoch = b.epoch,
                       .result = nullptr,
                       .results = b.results,
                       .local = nullptr,
                       .bytes = width::eight,
                       .next_free = -1};
  const pack_head head{.kind = am_kind::pack, .unused = {}, .number = number};
  memcpy(b.buffer(), &head, sizeof head);
  const int pe = b.pe;
  const std::size_t bytes = b.used;
  const outcome o = home_.send(c.handle, pe, b.buffer(), bytes);
  if (o == outcome::done) {
    b.results = nullptr;
    return home_.report(traffic::pack, pe, bytes, o);
  }
  requests_[number].results = nullptr;
  release(number);
  return o;
}

void am_requests::handle_reply(const void* bytes) {
  am_packet p;
  memcpy(&p, bytes, sizeof p);
  if (p.number < 0 || p.number >= max_requests) return;
  const request& r = requests_[p.number];
  if (r.result != nullptr) memcpy(r.result, &p.value, static_cast<std::size_t>(r.bytes));
  end(p.number);
}

void am_requests::handle_pack_reply(int from_pe, const void* bytes, std::size_t n) {
  pack_head head;
  if (n < sizeof head) return;
  memcpy(&head, bytes, sizeof head);
  if (head.number < 0 || head.number >= max_requests) return;
  request& r = requests_[head.number];
  if (!take_results(r.results, static_cast<const char*>(bytes), n)) {
    log::error("transport %s: a reply of PE %d has %zu bytes, which do not fit its request; ignored", home_.name(),
               from_pe, n);
    return;
  }
  free(r.results);
  r.results = nullptr;
  end(head.number);
}

// The results of the request are in place.
void am_requests::end(int number) {
  const request r = requests_[number];
  release(number);
  if (r.local != nullptr) r.local->pending.fetch_sub(1, std::memory_order_release);
  r.from->requests.leave(r.epoch);  // last: after it a flush may close the channel
}

// ---- on the target ------------------------------------------------------------------------------------------

// The requester has checked the program's arguments, so a bad offset is an error of the transport.
void am_requests::handle_request(int from_pe, const void* bytes) {
  am_packet p;
  memcpy(&p, bytes, sizeof p);
  const auto size = static_cast<std::uint64_t>(p.bytes);
  if (p.at > home_.slice_bytes() - size || p.at % size != 0) {
    log::error("transport %s: a message of PE %d points out of this PE's memory; ignored", home_.name(), from_pe);
    return;
  }
  p.value = apply(home_.slice() + p.at,
                  {.op = p.op, .bytes = p.bytes, .fetches = true, .value = p.value, .compare = p.compare});
  p.kind = am_kind::reply;
  send_reply(from_pe, &p, sizeof p);
}

void am_requests::handle_pack(int from_pe, const void* bytes, std::size_t n) {
  pack_head head;
  if (n < sizeof head) return;
  memcpy(&head, bytes, sizeof head);
  pack_reply reply;
  reply.room = std::min(home_.query().message_bytes, sizeof reply.buffer);
  if (!apply_records(home_.slice(), home_.slice_bytes(), static_cast<const char*>(bytes), n, reply)) {
    log::error("transport %s: a message of PE %d points out of this PE's memory; ignored", home_.name(), from_pe);
    return;
  }
  head.kind = am_kind::pack_reply;
  memcpy(reply.buffer, &head, sizeof head);
  send_reply(from_pe, reply.buffer, reply.used);
}

void am_requests::send_reply(int to_pe, const void* bytes, std::size_t n) {
  if (connects_ != nullptr && connects_(owner_, to_pe) != outcome::done) return;
  static_cast<void>(home_.send(nullptr, to_pe, bytes, n));  // a dead requester needs no reply
}

void am_requests::handle(int from_pe, const void* bytes, std::size_t n) {
  am_kind kind;
  if (n < sizeof kind) return;
  memcpy(&kind, bytes, sizeof kind);
  if (kind == am_kind::pack) return handle_pack(from_pe, bytes, n);
  if (kind == am_kind::pack_reply) return handle_pack_reply(from_pe, bytes, n);
  if (n != sizeof(am_packet)) return;
  if (kind == am_kind::request)
    handle_request(from_pe, bytes);
  else
    handle_reply(bytes);
}

}  // namespace oshen::transport
