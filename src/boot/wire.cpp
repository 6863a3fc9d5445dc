#include "boot/wire.hpp"

#include <string.h>

#include "os/socket.hpp"

namespace oshen::boot::wire {
namespace {

sip_sum sum(const sip_key& secret, std::uint64_t side, const proof& p) {
  struct {
    std::uint64_t side;
    proof text;
  } all{};
  all.side = side;
  memcpy(&all.text, &p, sizeof p);
  return sip(secret, &all, sizeof all);
}

}  // namespace

sip_sum sum_of_pe(const sip_key& secret, const proof& p) { return sum(secret, 1, p); }
sip_sum sum_of_hub(const sip_key& secret, const proof& p) { return sum(secret, 2, p); }

bool introduce(int fd, const sip_key& secret, greeting mine, int milliseconds) {
  proof p{};
  if (!os::random_bytes(&mine.nonce, sizeof mine.nonce)) return false;
  p.from = mine;
  if (!os::receive_all(fd, &p.nonce, sizeof p.nonce, milliseconds)) return false;
  const sip_sum own = sum_of_pe(secret, p);
  sip_sum its;
  return os::send_all(fd, &mine, sizeof mine, milliseconds) && os::send_all(fd, &own, sizeof own, milliseconds) &&
         os::receive_all(fd, &its, sizeof its, milliseconds) && same_sum(its, sum_of_hub(secret, p));
}

}  // namespace oshen::boot::wire
