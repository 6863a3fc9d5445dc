// A lock on one byte of a file that shows that a process is alive. The kernel releases it when the process ends in any
// way, even before the parent has collected its status, and when it executes another program.
#pragma once

#include <cstdint>

namespace oshen::os {

// Takes a record lock, which children made by fork() do not inherit; `fd` must be close-on-exec. The lock is also lost
// when this process closes any descriptor of the file, so a missing lock proves nothing until maps_file() confirms it.
// False where the file system has no locks.
bool hold_liveness_lock(int fd, std::int64_t at);

// True if another process holds the lock.
bool liveness_lock_is_held(int fd, std::int64_t at);

enum class answer : std::uint8_t { no, yes, unknown };

// Tells whether process `pid` maps the file of `fd`. A process that has ended maps nothing.
answer maps_file(int pid, int fd);

}  // namespace oshen::os
