// Memory that is a target, and the keys to that of others: pieces of the window are registered when a peer first asks
// for their keys, so what nobody reaches is never pinned (ADR 15).
#include <stdlib.h>
#include <string.h>

#include "os/socket.hpp"
#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {
namespace {

// With a key that nobody guesses where the provider lets us choose it.
int register_piece(ofi_instance& me, int number) {
  std::uint64_t key = 0;
  if (!os::random_bytes(&key, sizeof key)) return -FI_EOTHER;
  const std::size_t key_bytes = me.info->domain_attr->mr_key_size;
  if (key_bytes < sizeof key) key &= (std::uint64_t{1} << (8 * key_bytes)) - 1;
  fid_mr*& piece = me.pieces[number];
  if (const int code = fi_mr_reg(me.domain, me.memory.base + me.memory.begin_of(number), me.memory.bytes_of(number),
                                 FI_REMOTE_READ | FI_REMOTE_WRITE, 0, key, 0, &piece, nullptr);
      code != 0)
    return piece = nullptr, code;
  if ((me.info->domain_attr->mr_mode & FI_MR_ENDPOINT) == 0) return 0;
  int code = fi_mr_bind(piece, &me.endpoint->fid, 0);
  if (code == 0) code = fi_mr_enable(piece);
  if (code == 0) return 0;
  fi_close(&piece->fid);
  return piece = nullptr, code;
}

}  // namespace

outcome have_keys(ofi_instance& me, int pe, std::uint64_t place, std::size_t bytes) {
  if (bytes == 0 || !me.memory.holds(place, bytes))
    return me.error.store(FI_EINVAL, std::memory_order_relaxed), outcome::failed;
  outcome all = outcome::done;
  const int last = me.memory.piece_at(place + bytes - 1);
  for (int i = me.memory.piece_at(place); i <= last; ++i) {
    held_key& k = me.peers[pe].keys[i];
    if (k.is_here.load(std::memory_order_acquire)) continue;
    all = outcome::again;
    if (k.asked.exchange(true, std::memory_order_relaxed)) continue;
    const key_packet question{.piece = i, .error = 0, .key = 0};
    const outcome o = write_packet(me, nullptr, pe, packet_kind::key_wanted, signal_change::set, &question,
                                   sizeof question, if_full::say_again);
    if (o == outcome::done) continue;
    k.asked.store(false, std::memory_order_relaxed);
    return o;
  }
  return all;
}

void answer_key(ofi_instance& me, int to_pe, const char* body) {
  key_packet what;
  memcpy(&what, body, sizeof what);
  if (!me.memory.has_piece(what.piece)) return;
  what.error = me.pieces[what.piece] != nullptr ? 0 : -register_piece(me, what.piece);
  what.key = what.error == 0 ? fi_mr_key(me.pieces[what.piece]) : 0;
  static_cast<void>(write_packet(me, nullptr, to_pe, packet_kind::key, signal_change::set, &what, sizeof what,
                                 if_full::keep_copy));
}

void take_key(ofi_instance& me, int from_pe, const char* body) {
  key_packet what;
  memcpy(&what, body, sizeof what);
  const peer& p = me.peers[from_pe];
  if (what.piece < 0 || what.piece >= most_pieces || p.keys == nullptr) return;
  held_key& k = p.keys[what.piece];
  if (!k.asked.load(std::memory_order_relaxed) || k.is_here.load(std::memory_order_relaxed)) return;
  if (what.error != 0) {
    me.refused.store(true, std::memory_order_relaxed);
    me.error.store(what.error, std::memory_order_relaxed);
    return;
  }
  k.key = what.key;
  k.is_here.store(true, std::memory_order_release);
}

void close_pieces(ofi_instance& me) {
  for (fid_mr*& piece : me.pieces) {
    if (piece != nullptr) fi_close(&piece->fid);
    piece = nullptr;
  }
  for (int pe = 0; me.peers != nullptr && pe < me.how.n_pes; ++pe) free(me.peers[pe].keys);
}

}  // namespace oshen::transport::ofi
