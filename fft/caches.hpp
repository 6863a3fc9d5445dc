// What the caches of this machine hold.
#pragma once

#include <cstddef>

namespace oshen::fft {

// Bytes of the last level, as Linux says of the first CPU; 32 MiB where it does not.
std::size_t last_cache_bytes();

}  // namespace oshen::fft
