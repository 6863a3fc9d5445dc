// Messages that arrive.
#include <stdlib.h>
#include <string.h>

#include "transport/ucx/ucx.hpp"

namespace oshen::transport::ucx {
namespace {

// Stores the bytes of an eager put, then updates the signal.
void handle_signal(ucx_instance& me, const packet& head, const char* body, std::size_t bytes) {
  const memory_regions& mine = me.memory;
  if (!mine.contains(head.signal, 8) || head.signal % 8 != 0 || (bytes != 0 && !mine.contains(head.offset, bytes)))
    return;
  if (bytes != 0) deliver(mine.base + head.offset, body, bytes);
  deliver_signal(mine, head.signal, head.op, head.value);
}

void store_arrival(ucx_instance& me, const packet& head, ucp_ep_h reply, const void* body, std::size_t bytes) {
  auto* a = static_cast<arrival*>(malloc(sizeof(arrival) + bytes));
  if (a == nullptr) return note_error(me, UCS_ERR_NO_MEMORY);
  *a = {.next = nullptr, .reply = reply, .head = head, .bytes = bytes};
  if (bytes != 0) memcpy(a + 1, body, bytes);
  *me.arrivals_end = a;
  me.arrivals_end = &a->next;
}

arrival* take_arrivals(ucx_instance& me) {
  os::inline_locked hold(me.shared.call_lock);
  arrival* all = me.arrivals;
  me.arrivals = nullptr;
  me.arrivals_end = &me.arrivals;
  return all;
}

struct ack_sender {
  ucx_instance& home;

  turns& turns_of(int pe) const { return home.peers[pe].signal_turns; }
  bool acknowledge(int pe) const {
    const auto due = home.due.take(pe);
    packet head{};
    head.token = due.back.token;
    head.kind = packet_kind::acknowledgement;
    head.acknowledged = due.stream;
    head.n_acknowledged = due.n;
    os::inline_locked hold(home.shared.call_lock);
    static_cast<void>(send(home, nullptr, {due.pe, due.back.endpoint, head}, if_full::allocate));
    return true;  // an error is noted, and ends the job
  }
};

void handle(ucx_instance& me, const arrival& a) {
  // Before handling, so that a reply takes the acknowledgement along.
  me.due.note(ack_sender{me}, a.head.from_pe, a.head.from_stream, {a.head.from_token, a.reply});
  if (a.head.kind == packet_kind::message) me.how.on_message(me.how.owner, a.head.from_pe, &a + 1, a.bytes);
  if (a.head.kind != packet_kind::key && a.head.kind != packet_kind::key_request) return;
  os::inline_locked hold(me.shared.call_lock);
  if (a.head.kind == packet_kind::key)
    take_key(me, a.head, &a + 1, a.bytes);
  else
    reply_key(me, a.head, a.reply);
}

}  // namespace

// Drops packets without this PE's token: a foreign process sent them.
ucs_status_t receive(void* owner, const void* header, std::size_t header_bytes, void* data, std::size_t bytes,
                     const ucp_am_recv_param_t* how) {
  auto& me = *static_cast<ucx_instance*>(owner);
  packet head;
  if (header_bytes != sizeof head || (how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) return UCS_OK;
  memcpy(&head, header, sizeof head);
  if (head.token != me.token || head.from_pe < 0 || head.from_pe >= me.how.n_pes) return UCS_OK;
  if (head.n_acknowledged != 0) take_acks(head.acknowledged, head.n_acknowledged);
  if (head.kind == packet_kind::acknowledgement) return UCS_OK;
  if (head.kind == packet_kind::signal) {
    handle_signal(me, head, static_cast<const char*>(data), bytes);
    bytes = 0;
  }
  ucp_ep_h reply = (how->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0 ? how->reply_ep : nullptr;
  store_arrival(me, head, reply, data, bytes);
  return UCS_OK;
}

int handle_arrivals(ucx_instance& me) {
  int n = 0;
  for (arrival* a = take_arrivals(me); a != nullptr; ++n) {
    arrival* next = a->next;
    handle(me, *a);
    free(a);
    a = next;
  }
  me.due.send_at_end(ack_sender{me}, n == 0);
  return n;
}

}  // namespace oshen::transport::ucx
