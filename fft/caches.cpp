#include "caches.hpp"

#include <fstream>
#include <string>

namespace oshen::fft {

std::size_t last_cache_bytes() {
  std::size_t kib = 32 << 10;
  for (int level = 0;; level++) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size");
    std::size_t said = 0;
    char unit = 0;
    if (!(file >> said >> unit) || unit != 'K') return kib << 10;
    kib = said;
  }
}

}  // namespace oshen::fft
