// A mark on a byte of a file that says "this process lives". The kernel takes it away when the process ends in any way,
// also before its parent has asked for its status, and when it becomes another program.
#pragma once

#include <cstdint>

namespace oshen::os {

// `fd` is close-on-exec. A record lock: children by fork() do not inherit it. It also goes when this process closes any
// descriptor of the file, so a missing mark is a suspicion, which maps_file() settles. False where there are no locks.
bool hold_liveness_lock(int fd, std::int64_t at);

// Whether another process has set the mark.
bool liveness_lock_is_held(int fd, std::int64_t at);

enum class answer : std::uint8_t { no, yes, unknown };

// Whether process `pid` maps the file of `fd`. A process that has ended maps nothing.
answer maps_file(int pid, int fd);

}  // namespace oshen::os
