#include "bootstrap/wire.hpp"

#include <string.h>

namespace oshen::bootstrap::wire {
namespace {

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

bool authenticate(int fd, const sip_key& secret, hello mine, int milliseconds) {
  handshake h{};
  if (!os::random_bytes(&mine.nonce, sizeof mine.nonce)) return false;
  h.pe_hello = mine;
  if (!os::receive_all(fd, &h.hub_nonce, sizeof h.hub_nonce, milliseconds)) return false;
  const sip_sum own = sum_of_pe(secret, h);
  sip_sum its;
  return os::send_all(fd, &mine, sizeof mine, milliseconds) && os::send_all(fd, &own, sizeof own, milliseconds) &&
         os::receive_all(fd, &its, sizeof its, milliseconds) && same_sum(its, sum_of_hub(secret, h));
}

}  // namespace oshen::bootstrap::wire
