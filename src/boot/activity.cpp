// What a PE says about itself to those who look from outside.
#include <stdio.h>
#include <string.h>

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

std::uint64_t read_activity(const activity& board, char (&text)[240]) {
  static_assert(sizeof text == sizeof board.text);
  const std::uint32_t before = board.version.load(std::memory_order_acquire);
  const std::uint64_t since = board.since_ns.load(std::memory_order_relaxed);
  memcpy(text, board.text, sizeof text);
  std::atomic_thread_fence(std::memory_order_acquire);
  text[sizeof text - 1] = '\0';
  return before % 2 == 0 && board.version.load(std::memory_order_relaxed) == before ? since : 0;
}

}  // namespace oshen::boot
