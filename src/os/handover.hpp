// Passing an open descriptor to another process of the same node.
#pragma once

namespace oshen::os {

// Opens descriptor `fd` of process `pid` through /proc; -1 when that is not allowed (errno).
int open_through_proc(int pid, int fd);

// A listening socket in the abstract namespace, which leaves no file behind; -1 on failure.
int listen_abstract(unsigned long long name, int backlog);
// Gives `fd` to one process that connects to `listener`; false after `seconds` without one.
bool give_descriptor(int listener, int fd, int seconds);
// The other side; -1 on failure.
int take_descriptor(unsigned long long name, int seconds);

}  // namespace oshen::os
