#include "base/log.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace oshen::log {
namespace {

std::atomic<int> speaker{-1};
std::atomic<bool> debugging{false};

void write_line(const char* tag, const char* format, va_list arguments) {
  char line[1024];
  const int pe = speaker.load(std::memory_order_relaxed);
  int length =
      pe < 0 ? snprintf(line, sizeof line, "oshen: %s", tag) : snprintf(line, sizeof line, "oshen: PE %d: %s", pe, tag);
  const int room = static_cast<int>(sizeof line) - length - 1;
  const int text = vsnprintf(line + length, static_cast<size_t>(room), format, arguments);
  length += text < room ? text : room - 1;
  line[length++] = '\n';
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(length));
}

}  // namespace

void speak_as(int pe) { speaker.store(pe, std::memory_order_relaxed); }
void enable_debug(bool on) { debugging.store(on, std::memory_order_relaxed); }
bool debug_enabled() { return debugging.load(std::memory_order_relaxed); }

void error(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line("", format, arguments);
  va_end(arguments);
}

void debug(const char* format, ...) {
  if (!debug_enabled()) return;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  char tag[48];
  snprintf(tag, sizeof tag, "[%lld.%06ld] ", static_cast<long long>(now.tv_sec), now.tv_nsec / 1000);
  va_list arguments;
  va_start(arguments, format);
  write_line(tag, format, arguments);
  va_end(arguments);
}

}  // namespace oshen::log
