#include "bootstrap/wire.hpp"

#include <string.h>

namespace oshen::bootstrap::wire {
namespace {

constexpr std::uint64_t body_key = 0x6f7368656e626f64;  // bodies and handshakes have different keys

sip_sum sum(const sip_key& secret, std::uint64_t side, const handshake& h) {
  struct {
    std::uint64_t side;
    handshake text;
  } all{};
  all.side = side;
  memcpy(&all.text, &h, sizeof h);
  return sip(secret, &all, sizeof all);
}

}  // namespace

sip_sum sum_of_pe(const sip_key& secret, const handshake& h) { return sum(secret, 1, h); }
sip_sum sum_of_hub(const sip_key& secret, const handshake& h) { return sum(secret, 2, h); }

sip_sum sum_of_body(const sip_key& secret, const void* body, std::size_t bytes) {
  if (bytes == 0) return {};
  return sip({{secret.word[0] ^ body_key, secret.word[1]}}, body, bytes);
}

void signer::begin(const sip_key& secret, const handshake& h, stream_direction way) {
  key_ = sum(secret, static_cast<std::uint64_t>(way), h);
  number_ = 0;
}

sip_sum signer::next_tag(const header& head) {
  struct {
    std::uint64_t number;
    char head[offsetof(header, tag)];
  } text;
  static_assert(sizeof text == sizeof(std::uint64_t) + offsetof(header, tag));
  text.number = number_++;
  memcpy(text.head, &head, sizeof text.head);
  return sip(key_, &text, sizeof text);
}

bool authenticate(int fd, const sip_key& secret, hello mine, handshake& h, int milliseconds) {
  h = {};
  if (!os::random_bytes(&mine.nonce, sizeof mine.nonce)) return false;
  h.pe_hello = mine;
  if (!os::receive_all(fd, &h.hub_nonce, sizeof h.hub_nonce, milliseconds)) return false;
  const sip_sum own = sum_of_pe(secret, h);
  sip_sum its;
  char proof[sizeof mine + sizeof own];  // in one message: a hub with many connections drops those that send a part
  memcpy(proof, &mine, sizeof mine);
  memcpy(proof + sizeof mine, &own, sizeof own);
  return os::send_all(fd, proof, sizeof proof, milliseconds) && os::receive_all(fd, &its, sizeof its, milliseconds) &&
         same_sum(its, sum_of_hub(secret, h));
}

}  // namespace oshen::bootstrap::wire
