// Peers that do not answer. Keep-alive finds them on idle connections. While bytes are under way the kernel sends no
// keep-alive probes, and gives up after a quarter of an hour. TCP_USER_TIMEOUT would end such a connection sooner, but
// also that of a PE that is stopped and whose buffers are full.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include <algorithm>

#include "os/clock.hpp"
#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

// Longer than a host may be silent to the control connections (bootstrap/wire.hpp), which name a host that is lost.
constexpr std::uint32_t most_silent_ms = 10000;
constexpr int most_unanswered = 3;
constexpr std::uint64_t between_looks_ns = 1000000000;

// The time since the peer's last answer, if the kernel has asked for one in vain; else 0. A peer without room answers
// the probes of its window.
std::uint32_t silent_ms(int fd) {
  tcp_info now{};
  socklen_t bytes = sizeof now;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &now, &bytes) != 0) return 0;
  return std::max(now.tcpi_retransmits, now.tcpi_probes) >= most_unanswered ? now.tcpi_last_ack_recv : 0;
}

void lose_silent(tcp_connection& c) {
  os::locked hold(c.sending);
  if (c.fd < 0 || c.now.load(std::memory_order_relaxed) != connection_state::open) return;
  const std::uint32_t ms = silent_ms(c.fd);
  if (ms < most_silent_ms) return;
  char where[64], what[256];
  os::write_address(os::peer_of_stream(c.fd), where, sizeof where);
  snprintf(what, sizeof what,
           "PE %d at %s has not answered for %u s; look at the cable, the route and the firewall between the hosts",
           c.pe, where, ms / 1000);
  lose(c, what, 0);
}

}  // namespace

void lose_silent_peers(tcp_instance& me) {
  const std::uint64_t now = os::now_ns();
  std::uint64_t latest = me.looked_for_silence_ns.load(std::memory_order_relaxed);
  if (now - latest < between_looks_ns || !me.looked_for_silence_ns.compare_exchange_strong(latest, now)) return;
  os::locked hold(me.connecting);
  for (tcp_connection* c = me.all_connections; c != nullptr; c = c->next) lose_silent(*c);
}

}  // namespace oshen::transport::tcp
