#include "transport/tcp/congestion.hpp"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/settings.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr const char* unpaced[] = {"cubic", "reno"};  // the kernel may refuse the first one, and allows the second one

bool has(int fd, const char* name) {
  return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, static_cast<socklen_t>(strlen(name))) == 0;
}

bool paces(int fd) {
  char name[sizeof(congestion_control::name)] = "";
  socklen_t bytes = sizeof name - 1;
  return getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &bytes) == 0 && strncmp(name, "bbr", 3) == 0;
}

void take(congestion_control& chosen, const char* name) { snprintf(chosen.name, sizeof chosen.name, "%s", name); }

void choose_unpaced(congestion_control& chosen, int fd) {
  for (const char* name : unpaced)
    if (has(fd, name)) return take(chosen, name);
}

bool choose_named(congestion_control& chosen, int fd, const char* name, char* why, std::size_t room) {
  if (strlen(name) < sizeof chosen.name && has(fd, name)) {
    take(chosen, name);
    return true;
  }
  snprintf(why, room,
           "OSHEN_TCP_CONGESTION = %.40s: the kernel refuses it: expected auto, system, or one of sysctl "
           "net.ipv4.tcp_allowed_congestion_control",
           name);
  return false;
}

}  // namespace

bool choose_congestion_control(congestion_control& chosen, char* why, std::size_t room) {
  chosen = {};
  const char* name = setting_text("OSHEN_TCP_CONGESTION");
  const bool is_auto = name == nullptr || strcmp(name, "auto") == 0;
  if (!is_auto && strcmp(name, "system") == 0) return true;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return snprintf(why, room, "sockets are refused: %s", strerror(errno)), false;
  if (is_auto && paces(fd)) choose_unpaced(chosen, fd);
  const bool is_right = is_auto || choose_named(chosen, fd, name, why, room);
  close(fd);
  return is_right;
}

}  // namespace oshen::transport::tcp
