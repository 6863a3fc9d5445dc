#include "exchange/plan/diagnostics.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "exchange/copy/box_copy.hpp"

namespace oshen::exchange {

namespace {

void print_once(const char* routine, const char* format, va_list values) {
  thread_local char last[400];
  char text[sizeof last];
  std::vsnprintf(text, sizeof text, format, values);
  if (std::strcmp(text, last) == 0) return;
  std::memcpy(last, text, sizeof last);
  std::fprintf(stderr, "oshen: PE %d: %s: %s\n", shmem_my_pe(), routine, text);
}

}  // namespace

void report_error(const char* format, ...) {
  va_list values;
  va_start(values, format);
  print_once("oshen_plan_create", format, values);
  va_end(values);
}

void report_error_of(const char* routine, const char* format, ...) {
  va_list values;
  va_start(values, format);
  print_once(routine, format, values);
  va_end(values);
}

void report_message(const oshen_message_t& m, const char* list, std::size_t index, int n_members, bool boxes) {
  if (m.peer < 0 || m.peer >= n_members)
    report_error("%s[%zu].peer = %d: expected 0 to %d, a number in the group", list, index, m.peer, n_members - 1);
  else if (boxes)
    report_error("%s[%zu].bytes = %zu, but its box has %zu x %zu x %zu elements of %zu bytes: expected %zu", list,
                 index, m.bytes, m.box.extent[0], m.box.extent[1], m.box.extent[2], m.box.element,
                 m.box.element * volume(m.box));
}

void report_sizes(int peer, std::uint64_t sent, std::uint64_t expected) {
  report_error(
      "%llu bytes are sent to PE %d of the group, which expects %llu: "
      "both PEs must list the same messages",
      static_cast<unsigned long long>(sent), peer, static_cast<unsigned long long>(expected));
}

void report_missing_promise(const char* strategy, const char* promise, const char* meaning) {
  report_error("strategy = \"%s\" needs %s in buffers: the promise that %s", strategy, promise, meaning);
}

}  // namespace oshen::exchange
