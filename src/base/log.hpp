// One line on stderr, written by one system call so that lines of different PEs do not mix.
#pragma once

namespace oshen::log {

// The PE that later lines name; -1 before the PE number is known.
void speak_as(int pe);
void enable_debug(bool on);
bool debug_enabled();

// "oshen: PE 3: <text>\n"
[[gnu::format(printf, 1, 2)]] void error(const char* format, ...);
// The same with the time of CLOCK_MONOTONIC, printed only under SHMEM_DEBUG.
[[gnu::format(printf, 1, 2)]] void debug(const char* format, ...);

}  // namespace oshen::log
