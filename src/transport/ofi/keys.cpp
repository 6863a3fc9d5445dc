// Registration of this PE's memory regions, and the keys of peers' regions. A region is registered when a peer first
// asks for its key, so memory that no peer accesses is never pinned (ADR 15).
#include <stdlib.h>
#include <string.h>

#include "os/socket.hpp"
#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {
namespace {

constexpr int max_key_attempts = 64;  // short keys may collide

// A random key, for providers that let us choose.
bool make_key(const ofi_instance& me, std::uint64_t& key) {
  const std::size_t key_bytes = me.info->domain_attr->mr_key_size;
  if (!os::random_bytes(&key, sizeof key)) return false;
  if (key_bytes < sizeof key) key &= (std::uint64_t{1} << (8 * key_bytes)) - 1;
  return true;
}

int register_region(ofi_instance& me, int number) {
  fid_mr*& region = me.regions[number];
  char* const begin = me.memory.base + me.memory.begin_of(number);
  int code = -FI_ENOKEY;
  for (int attempt = 0; code == -FI_ENOKEY && attempt < max_key_attempts; ++attempt) {
    std::uint64_t key = 0;
    if (!make_key(me, key)) return -FI_EOTHER;
    code = fi_mr_reg(me.shared.domain, begin, me.memory.bytes_of(number), FI_REMOTE_READ | FI_REMOTE_WRITE, 0, key, 0,
                     &region, nullptr);
  }
  if (code != 0) return region = nullptr, code;
  if ((me.info->domain_attr->mr_mode & FI_MR_ENDPOINT) == 0) return 0;
  code = fi_mr_bind(region, &me.shared.endpoint->fid, 0);
  if (code == 0) code = fi_mr_enable(region);
  if (code == 0) return 0;
  fi_close(&region->fid);
  return region = nullptr, code;
}

outcome request_key(ofi_instance& me, int pe, int region) {
  const key_packet request{.region = region, .error = 0, .key = 0};
  return send_message(me, nullptr, pe, {packet_kind::key_request, signal_op::set, &request, sizeof request},
                      if_full::refuse);
}

}  // namespace

outcome have_keys(ofi_instance& me, int pe, std::uint64_t offset, std::size_t bytes) {
  if (bytes == 0 || !me.memory.contains(offset, bytes)) {
    me.error.store(FI_EINVAL, std::memory_order_relaxed);
    return outcome::failed;
  }
  outcome all = outcome::done;
  const int last = me.memory.region_of(offset + bytes - 1);
  for (int i = me.memory.region_of(offset); i <= last; ++i) {
    remote_key& k = me.peers[pe].keys[i];
    if (k.is_here.load(std::memory_order_acquire)) continue;
    all = outcome::would_block;
    if (k.asked.exchange(true, std::memory_order_relaxed)) continue;
    const outcome o = request_key(me, pe, i);
    if (o == outcome::done) continue;
    k.asked.store(false, std::memory_order_relaxed);
    return o;
  }
  return all;
}

void reply_key(ofi_instance& me, int to_pe, const char* body) {
  key_packet k;
  memcpy(&k, body, sizeof k);
  if (!me.memory.has_region(k.region)) return;
  k.error = me.regions[k.region] != nullptr ? 0 : -register_region(me, k.region);
  k.key = k.error == 0 ? fi_mr_key(me.regions[k.region]) : 0;
  static_cast<void>(send_message(me, nullptr, to_pe, {packet_kind::key, signal_op::set, &k, sizeof k}, if_full::queue));
}

void take_key(ofi_instance& me, int from_pe, const char* body) {
  key_packet received;
  memcpy(&received, body, sizeof received);
  const peer& p = me.peers[from_pe];
  if (received.region < 0 || received.region >= max_regions || p.keys == nullptr) return;
  remote_key& k = p.keys[received.region];
  if (!k.asked.load(std::memory_order_relaxed) || k.is_here.load(std::memory_order_relaxed)) return;
  if (received.error != 0) {
    me.refused.store(true, std::memory_order_relaxed);
    me.error.store(received.error, std::memory_order_relaxed);
    return;
  }
  k.key = received.key;
  k.origin = p.base != 0 ? p.base : 0 - me.memory.begin_of(received.region);
  k.is_here.store(true, std::memory_order_release);
}

void close_regions(ofi_instance& me) {
  for (fid_mr*& region : me.regions) {
    if (region != nullptr) fi_close(&region->fid);
    region = nullptr;
  }
  for (int pe = 0; me.peers != nullptr && pe < me.how.n_pes; ++pe) free(me.peers[pe].keys);
}

}  // namespace oshen::transport::ofi
