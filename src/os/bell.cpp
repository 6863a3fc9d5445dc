#include "os/bell.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

namespace oshen::os {

int open_bell() { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void close_bell(int bell) {
  if (bell >= 0) close(bell);
}

void ring(int bell) {
  if (bell >= 0) static_cast<void>(eventfd_write(bell, 1));  // it fails where it rings already
}

bool await_readable(int fd, int bell, std::uint64_t at_most_ns) {
  pollfd both[] = {{.fd = fd, .events = POLLIN, .revents = 0}, {.fd = bell, .events = POLLIN, .revents = 0}};
  const timespec limit{static_cast<time_t>(at_most_ns / 1000000000u), static_cast<long>(at_most_ns % 1000000000u)};
  if (ppoll(both, 2, &limit, nullptr) <= 0) return false;
  eventfd_t rings;
  if (both[1].revents != 0) static_cast<void>(eventfd_read(bell, &rings));
  return true;
}

}  // namespace oshen::os
