// Memory that is a target, and the keys to that of others. The window is cut into pieces of one size. Who first writes
// to a piece of a peer, or reads it, asks that peer for its key, and only then the peer registers it: so what nobody
// reaches is never pinned, however large the heap.
#include <stdlib.h>
#include <string.h>

#include "transport/ucx/ucx.hpp"

namespace oshen::transport::ucx {
namespace {

ucs_status_t make_key(worker& me, int number) {
  piece& p = me.pieces[number];
  ucp_mem_map_params_t what{};
  what.field_mask =
      UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
  what.address = me.memory.base + me.memory.begin_of(number);
  what.length = me.memory.bytes_of(number);
  what.memory_type = UCS_MEMORY_TYPE_HOST;
  ucs_status_t status = me.lib->mem_map(me.context, &what, &p.memory);
  if (status != UCS_OK) return p.memory = nullptr, status;
  status = me.lib->rkey_pack(me.context, p.memory, &p.key, &p.key_bytes);
  if (status == UCS_OK) return status;
  me.lib->mem_unmap(me.context, p.memory);
  p.memory = nullptr;
  return status;
}

outcome ask_for_key(worker& me, int pe, int number) {
  packet head{};
  head.kind = packet_kind::key_wanted;
  head.piece = number;
  return send(me, nullptr, pe, me.peers[pe].endpoint, head, nullptr, 0, nullptr, if_full::say_again);
}

}  // namespace

outcome have_keys(worker& me, int pe, std::uint64_t place, std::size_t bytes) {
  peer& p = me.peers[pe];
  if (bytes == 0 || !me.memory.holds(place, bytes))
    return note_error(me, UCS_ERR_OUT_OF_RANGE), outcome::failed;
  if (p.keys == nullptr) p.keys = static_cast<held_key*>(calloc(most_pieces, sizeof(held_key)));
  if (p.keys == nullptr) return note_error(me, UCS_ERR_NO_MEMORY), outcome::failed;
  outcome all = outcome::done;
  const int last = me.memory.piece_at(place + bytes - 1);
  for (int i = me.memory.piece_at(place); i <= last; ++i) {
    held_key& k = p.keys[i];
    if (k.key != nullptr) continue;
    all = outcome::again;
    if (k.asked) continue;
    const outcome o = ask_for_key(me, pe, i);
    if (o != outcome::done) return o;
    k.asked = true;
  }
  return all;
}

// Without bytes where the piece cannot be registered.
void answer_key(worker& me, const packet& question, ucp_ep_h reply) {
  packet head{};
  head.token = question.from_token;
  head.kind = packet_kind::key;
  head.piece = question.piece;
  if (!me.memory.has_piece(head.piece)) return;
  const piece& p = me.pieces[head.piece];
  const bool is_there = p.memory != nullptr || make_key(me, head.piece) == UCS_OK;
  static_cast<void>(send(me, nullptr, question.from_pe, reply, head, p.key, is_there ? p.key_bytes : 0, nullptr,
                         if_full::keep));
}

void take_key(worker& me, const packet& head, const void* bytes, std::size_t n) {
  const peer& p = me.peers[head.from_pe];
  if (p.keys == nullptr || head.piece < 0 || head.piece >= most_pieces || !p.keys[head.piece].asked) return;
  held_key& k = p.keys[head.piece];
  k.asked = false;
  if (n == 0) {
    me.refused.store(true, std::memory_order_relaxed);
    note_error(me, UCS_ERR_NO_MEMORY);
  } else if (const ucs_status_t status = me.lib->rkey_unpack(p.endpoint, bytes, &k.key); status != UCS_OK) {
    k.key = nullptr;
    note_error(me, status);
  }
}

void drop_keys(worker& me) {
  for (int pe = 0; me.peers != nullptr && pe < me.how.n_pes; ++pe) {
    held_key* keys = me.peers[pe].keys;
    for (int i = 0; keys != nullptr && i < most_pieces; ++i)
      if (keys[i].key != nullptr) me.lib->rkey_destroy(keys[i].key);
    free(keys);
    me.peers[pe].keys = nullptr;
  }
}

void drop_pieces(worker& me) {
  for (piece& p : me.pieces) {
    if (p.memory == nullptr) continue;
    me.lib->rkey_buffer_release(p.key);
    me.lib->mem_unmap(me.context, p.memory);
  }
}

}  // namespace oshen::transport::ucx
