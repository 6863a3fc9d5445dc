#include "complaints.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "box_copy.hpp"

namespace oshen::exchange {

void complain(const char* format, ...) {
  thread_local char last[400];
  char text[sizeof last];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (std::strcmp(text, last) == 0) return;
  std::memcpy(last, text, sizeof last);
  std::fprintf(stderr, "oshen: PE %d: oshen_plan_create: %s\n", shmem_my_pe(), text);
}

void complain_of(const oshen_message_t& m, const char* list, std::size_t index, int n_members, bool boxes) {
  if (m.peer < 0 || m.peer >= n_members)
    complain("%s[%zu].peer = %d: expected 0 to %d, a number in the group", list, index, m.peer, n_members - 1);
  else if (boxes)
    complain("%s[%zu].bytes = %zu, but its box has %zu x %zu x %zu elements of %zu bytes: expected %zu", list, index,
             m.bytes, m.box.extent[0], m.box.extent[1], m.box.extent[2], m.box.element,
             m.box.element * volume(m.box));
}

void complain_of_sizes(int peer, std::uint64_t sent, std::uint64_t expected) {
  complain("%llu bytes are sent to PE %d of the group, which expects %llu: "
           "the lists of both must name the same messages",
           static_cast<unsigned long long>(sent), peer, static_cast<unsigned long long>(expected));
}

void complain_of_promise(const char* strategy, const char* promise, const char* meaning) {
  complain("strategy = \"%s\" needs %s in buffers: the promise that %s", strategy, promise, meaning);
}

}  // namespace oshen::exchange
