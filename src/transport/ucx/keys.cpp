// Registration of this PE's memory regions, and the keys of peers' regions. A region is registered when a peer first
// asks for its key, so memory that no peer accesses is never pinned (ADR 15).
#include <stdlib.h>
#include <string.h>

#include "transport/ucx/ucx.hpp"

namespace oshen::transport::ucx {
namespace {

ucs_status_t register_region(ucx_instance& me, int number) {
  local_region& p = me.regions[number];
  ucp_mem_map_params_t params{};
  params.field_mask =
      UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
  params.address = me.memory.base + me.memory.begin_of(number);
  params.length = me.memory.bytes_of(number);
  params.memory_type = UCS_MEMORY_TYPE_HOST;
  ucs_status_t status = me.lib->mem_map(me.shared.context, &params, &p.memory);
  if (status != UCS_OK) return p.memory = nullptr, status;
  status = me.lib->rkey_pack(me.shared.context, p.memory, &p.key, &p.key_bytes);
  if (status == UCS_OK) return status;
  me.lib->mem_unmap(me.shared.context, p.memory);
  p.memory = nullptr;
  return status;
}

outcome request_key(ucx_instance& me, int pe, int number) {
  packet head{};
  head.kind = packet_kind::key_request;
  head.region = number;
  return send(me, nullptr, {pe, me.shared.connections[pe].endpoint, head}, if_full::refuse);
}

// Finds the packed key of a region, or requests it. The caller holds the lock of the shared worker.
outcome find_key(ucx_instance& me, int pe, int number, const packed_key*& found) {
  peer& p = me.peers[pe];
  if (p.keys == nullptr) p.keys = static_cast<remote_key*>(calloc(max_regions, sizeof(remote_key)));
  if (p.keys == nullptr) {
    note_error(me, UCS_ERR_NO_MEMORY);
    return outcome::failed;
  }
  remote_key& k = p.keys[number];
  found = k.key;
  if (found != nullptr) return outcome::done;
  if (k.asked) return outcome::would_block;
  if (const outcome o = request_key(me, pe, number); o != outcome::done) return o;
  k.asked = true;
  return outcome::would_block;
}

outcome unpack_key(worker& w, int pe, int number) {
  ucx_instance& me = *w.home;
  const packed_key* found = nullptr;
  outcome o;
  if (w.is_separate()) {
    os::inline_locked hold(me.shared.call_lock);
    o = find_key(me, pe, number, found);
  } else {
    o = find_key(me, pe, number, found);
  }
  if (o != outcome::done) return o;
  connection& c = w.connections[pe];
  const ucs_status_t status = me.lib->rkey_unpack(c.endpoint, found->text, &c.keys[number]);
  if (status == UCS_OK) return outcome::done;
  c.keys[number] = nullptr;
  note_error(me, status);
  return outcome::failed;
}

}  // namespace

outcome have_keys(worker& w, int pe, std::uint64_t offset, std::size_t bytes) {
  ucx_instance& me = *w.home;
  if (bytes == 0 || !me.memory.contains(offset, bytes)) {
    note_error(me, UCS_ERR_OUT_OF_RANGE);
    return outcome::failed;
  }
  connection& c = w.connections[pe];
  if (c.keys == nullptr) c.keys = static_cast<ucp_rkey_h*>(calloc(max_regions, sizeof(ucp_rkey_h)));
  if (c.keys == nullptr) {
    note_error(me, UCS_ERR_NO_MEMORY);
    return outcome::failed;
  }
  outcome all = outcome::done;
  const int last = me.memory.region_of(offset + bytes - 1);
  for (int i = me.memory.region_of(offset); i <= last; ++i) {
    if (c.keys[i] != nullptr) continue;
    const outcome o = unpack_key(w, pe, i);
    if (o == outcome::lost || o == outcome::failed) return o;
    if (o == outcome::would_block) all = o;
  }
  return all;
}

// The reply has no bytes if the region cannot be registered.
void reply_key(ucx_instance& me, const packet& request, ucp_ep_h reply) {
  packet head{};
  head.token = request.from_token;
  head.kind = packet_kind::key;
  head.region = request.region;
  if (!me.memory.has_region(head.region)) return;
  const local_region& p = me.regions[head.region];
  const bool is_there = p.memory != nullptr || register_region(me, head.region) == UCS_OK;
  const message m{request.from_pe, reply, head, p.key, is_there ? p.key_bytes : 0};
  static_cast<void>(send(me, nullptr, m, if_full::allocate));
}

void take_key(ucx_instance& me, const packet& head, const void* bytes, std::size_t n) {
  const peer& p = me.peers[head.from_pe];
  if (p.keys == nullptr || head.region < 0 || head.region >= max_regions || !p.keys[head.region].asked) return;
  remote_key& k = p.keys[head.region];
  k.asked = false;
  if (n == 0) {
    me.refused.store(true, std::memory_order_relaxed);
    return note_error(me, UCS_ERR_NO_MEMORY);
  }
  if (k.key != nullptr) return;
  k.key = static_cast<packed_key*>(malloc(sizeof(packed_key) + n));
  if (k.key == nullptr) return note_error(me, UCS_ERR_NO_MEMORY);
  k.key->bytes = n;
  memcpy(k.key->text, bytes, n);
}

void release_keys(worker& w) {
  for (int pe = 0; w.connections != nullptr && pe < w.home->how.n_pes; ++pe) {
    ucp_rkey_h* keys = w.connections[pe].keys;
    for (int i = 0; keys != nullptr && i < max_regions; ++i)
      if (keys[i] != nullptr) w.home->lib->rkey_destroy(keys[i]);
    free(keys);
    w.connections[pe].keys = nullptr;
  }
}

void release_packed_keys(ucx_instance& me) {
  for (int pe = 0; me.peers != nullptr && pe < me.how.n_pes; ++pe) {
    remote_key* keys = me.peers[pe].keys;
    for (int i = 0; keys != nullptr && i < max_regions; ++i) free(keys[i].key);
    free(keys);
    me.peers[pe].keys = nullptr;
  }
}

void unmap_regions(ucx_instance& me) {
  for (local_region& p : me.regions) {
    if (p.memory == nullptr) continue;
    me.lib->rkey_buffer_release(p.key);
    me.lib->mem_unmap(me.shared.context, p.memory);
  }
}

}  // namespace oshen::transport::ucx
