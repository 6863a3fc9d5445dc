// Passing an open descriptor to another process of the same node and user.
#pragma once

#include <cstdint>

namespace oshen::os {

// Opens descriptor `fd` of process `pid` through /proc; -1 when that is not allowed (errno).
int open_through_proc(int pid, int fd);

// The name of a socket that nobody can guess: 128 bits of the kernel's randomness. Zero when it has none to give;
// then there is no socket.
struct socket_name {
  std::uint64_t high, low;
};
socket_name random_name();

// A listening socket in the abstract namespace, which leaves no file behind; -1 on failure.
int listen_abstract(const socket_name& name, int backlog);

// Gives `fd` to one process of our user that connects to `listener`. Whoever else connects is sent away and not
// counted: the names of abstract sockets can be read by everybody, so the kernel is asked who it is. False when
// nobody came `until` (now_ns), or on failure.
bool give_descriptor(int listener, int fd, std::uint64_t until);
// The other side, which takes nothing from another user's process; -1 on failure.
int take_descriptor(const socket_name& name, std::uint64_t until);

}  // namespace oshen::os
