// What a PE says about itself to those who look from outside.
#include <stdio.h>

#include "boot/job_page.hpp"

namespace oshen::boot {

const char* words_for(pe_state state) {
  switch (state) {
    case pe_state::unborn: return "not initialised";
    case pe_state::joined: return "alive";
    case pe_state::finalized: return "finalized";
  }
  return "?";
}

void post(activity& board, const char* text, std::uint64_t since_ns) {
  const std::uint32_t version = board.version.load(std::memory_order_relaxed);
  board.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  snprintf(board.text, sizeof board.text, "%.*s", static_cast<int>(sizeof board.text) - 1, text);
  board.since_ns.store(since_ns, std::memory_order_relaxed);
  board.version.store(version + 2, std::memory_order_release);
}

}  // namespace oshen::boot
