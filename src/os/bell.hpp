// A descriptor that another thread makes readable, and sleeping until it or a second descriptor is.
#pragma once

#include <cstdint>

namespace oshen::os {

int open_bell();  // -1 when there is none to be had
void close_bell(int bell);
void ring(int bell);

// Sleeps until `fd` or `bell` is readable, at most so long; true when one is. The bell is silent after that.
bool await_readable(int fd, int bell, std::uint64_t at_most_ns);

}  // namespace oshen::os
