// A descriptor (eventfd) by which one thread wakes another thread that sleeps in poll.
#pragma once

#include <cstdint>

namespace oshen::os {

int open_wakeup_fd();  // -1 on failure
void close_wakeup_fd(int wakeup_fd);
// Makes it readable.
void signal_wakeup_fd(int wakeup_fd);

// Sleeps until `fd` or `wakeup_fd` is readable, at most `at_most_ns`; true if one is. Clears `wakeup_fd`.
bool await_readable(int fd, int wakeup_fd, std::uint64_t at_most_ns);

}  // namespace oshen::os
