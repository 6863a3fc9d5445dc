#include "os/poll_set.hpp"

#include <sys/epoll.h>
#include <unistd.h>

namespace oshen::os {

int open_poll_set() { return epoll_create1(EPOLL_CLOEXEC); }

void close_poll_set(int poll_set) {
  if (poll_set >= 0) close(poll_set);
}

void add_to_poll_set(int poll_set, int fd) {
  epoll_event when{.events = EPOLLIN, .data = {.fd = fd}};
  if (poll_set >= 0 && fd >= 0) static_cast<void>(epoll_ctl(poll_set, EPOLL_CTL_ADD, fd, &when));
}

void remove_from_poll_set(int poll_set, int fd) {
  if (poll_set >= 0 && fd >= 0) static_cast<void>(epoll_ctl(poll_set, EPOLL_CTL_DEL, fd, nullptr));
}

}  // namespace oshen::os
