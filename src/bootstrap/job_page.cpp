#include "bootstrap/job_page.hpp"

#include <stdio.h>
#include <string.h>

namespace oshen::bootstrap {

const char* words_for(pe_state state) {
  switch (state) {
    case pe_state::unborn: return "not initialised";
    case pe_state::joined: return "alive";
    case pe_state::finalized: return "finalized";
  }
  return "?";
}

void post(activity& a, const char* text, std::uint64_t since_ns) {
  const std::uint32_t version = a.version.load(std::memory_order_relaxed);
  a.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  snprintf(a.text, sizeof a.text, "%.*s", static_cast<int>(sizeof a.text) - 1, text);
  a.since_ns.store(since_ns, std::memory_order_relaxed);
  a.version.store(version + 2, std::memory_order_release);
}

std::uint64_t read_activity(const activity& a, char (&text)[240]) {
  static_assert(sizeof text == sizeof a.text);
  const std::uint32_t before = a.version.load(std::memory_order_acquire);
  const std::uint64_t since = a.since_ns.load(std::memory_order_relaxed);
  memcpy(text, a.text, sizeof text);
  std::atomic_thread_fence(std::memory_order_acquire);
  text[sizeof text - 1] = '\0';
  return before % 2 == 0 && a.version.load(std::memory_order_relaxed) == before ? since : 0;
}

}  // namespace oshen::bootstrap
