#include "os/wakeup_fd.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

namespace oshen::os {

int open_wakeup_fd() { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void close_wakeup_fd(int wakeup_fd) {
  if (wakeup_fd >= 0) close(wakeup_fd);
}

void signal_wakeup_fd(int wakeup_fd) {
  if (wakeup_fd >= 0) static_cast<void>(eventfd_write(wakeup_fd, 1));  // fails only if it is readable already
}

bool await_readable(int fd, int wakeup_fd, std::uint64_t at_most_ns) {
  pollfd both[] = {{.fd = fd, .events = POLLIN, .revents = 0}, {.fd = wakeup_fd, .events = POLLIN, .revents = 0}};
  const timespec limit{static_cast<time_t>(at_most_ns / 1000000000u), static_cast<long>(at_most_ns % 1000000000u)};
  if (ppoll(both, 2, &limit, nullptr) <= 0) return false;
  eventfd_t signals;
  if (both[1].revents != 0) static_cast<void>(eventfd_read(wakeup_fd, &signals));
  return true;
}

}  // namespace oshen::os
