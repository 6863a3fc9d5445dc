// A descriptor (epoll) that is readable while one of a changing set of descriptors is. A thread that already sleeps on
// it also wakes for descriptors that are added later.
#pragma once

namespace oshen::os {

int open_poll_set();  // -1 on failure
void close_poll_set(int poll_set);
void add_to_poll_set(int poll_set, int fd);
void remove_from_poll_set(int poll_set, int fd);

}  // namespace oshen::os
