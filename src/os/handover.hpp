// Passing an open descriptor to another process of the same user on the same node.
#pragma once

#include <cstdint>

#include "base/sip.hpp"

namespace oshen::os {

// Opens descriptor `fd` of process `pid` through /proc; -1 if that is not allowed (errno).
int open_through_proc(int pid, int fd);

// A socket name that cannot be guessed: 128 random bits from the kernel. Zero if the kernel has none; no socket can be
// opened then.
struct socket_name {
  std::uint64_t high, low;
};
socket_name random_name();

// The secret of one handover, which only the PEs of the job receive. Zero if the kernel has no randomness; both sides
// then refuse.
sip_key random_key();

// A listening socket in the abstract namespace, which leaves no file behind; -1 on failure.
int listen_abstract(const socket_name& name, int backlog);

// Gives `fd` to one process that connects to `listener`, runs as our user and knows the key. Any other process is
// disconnected and not counted: names of abstract sockets are public, and in a user namespace all unmapped users have
// the same number. False if no process connects before the time `until` (now_ns), or on failure.
bool give_descriptor(int listener, const sip_key& key, int fd, std::uint64_t until);
// The other side. It accepts nothing from a process of another user or without the key; -1 on failure.
int take_descriptor(const socket_name& name, const sip_key& key, std::uint64_t until);

}  // namespace oshen::os
