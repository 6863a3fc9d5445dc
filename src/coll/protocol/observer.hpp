// Watching what algorithms do: tests count their flags, copies and messages, `chaos` delays them. A team without an
// observer pays one test of a pointer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "world/team.hpp"

namespace oshen::coll {

enum class event : std::uint8_t {
  flag,     // this PE told PE `pe` (-1: all) something; `bytes` travelled with it
  copy,     // it wrote into, or read from, memory of PE `pe`
  message,  // it sent a matched message to PE `pe`
  sync,     // it told PE `pe` (-1: all) in a sync that it has come, or has been told so
  heard     // it has seen a flag or a message of PE `pe` (-1: of several)
};

struct observer {
  void (*saw)(observer& self, const team& t, event what, int pe, std::size_t bytes);
};

[[gnu::always_inline]] inline void observe(const team& t, event what, int pe, std::size_t bytes = 0) {
  if (t.watcher != nullptr) [[unlikely]]
    t.watcher->saw(*t.watcher, t, what, pe, bytes);
}

}  // namespace oshen::coll
