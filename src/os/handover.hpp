// Passing an open descriptor to another process of the same user on the same node.
#pragma once

#include <cstdint>

namespace oshen::os {

// Opens descriptor `fd` of process `pid` through /proc; -1 if that is not allowed (errno).
int open_through_proc(int pid, int fd);

// A socket name that cannot be guessed: 128 random bits from the kernel. Zero if the kernel has none; no socket can be
// opened then.
struct socket_name {
  std::uint64_t high, low;
};
socket_name random_name();

// A listening socket in the abstract namespace, which leaves no file behind; -1 on failure.
int listen_abstract(const socket_name& name, int backlog);

// Gives `fd` to one process of our user that connects to `listener`. A process of another user is disconnected and not
// counted: names of abstract sockets are public, so the kernel is asked for the user. False if no process connects
// before the time `until` (now_ns), or on failure.
bool give_descriptor(int listener, int fd, std::uint64_t until);
// The other side. It accepts nothing from a process of another user; -1 on failure.
int take_descriptor(const socket_name& name, std::uint64_t until);

}  // namespace oshen::os
