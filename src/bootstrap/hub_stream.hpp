// The hub's record of a PE, and the text that lists PEs. They are private to the hub's two source files.
#pragma once

#include <stdio.h>

#include "bootstrap/hub.hpp"
#include "bootstrap/outbox.hpp"

namespace oshen::bootstrap {

struct hub::pe_stream {
  int fd;  // -1: not connected yet, or closed
  pe_state state;
  std::int32_t pid;
  pe_endpoint listens_at;
  wire::header header;  // of the message that is being received
  std::size_t head_done, body_done;
  bool in_body, has_block;
  bool has_parent;  // its parent sends it the results
  wire::signer in_signer;
  outbox out;
};

// Writes the PEs for which `is_listed` is true, as numbers and ranges such as "PE 3, PEs 5 to 9, ...".
template <class Condition>
void list_pes(int n_pes, Condition is_listed, char* text, std::size_t capacity) {
  constexpr std::size_t longest_range = 40;
  std::size_t used = 0;
  *text = '\0';
  for (int pe = 0; pe < n_pes; ++pe) {
    if (!is_listed(pe)) continue;
    const char* comma = used == 0 ? "" : ", ";
    int last = pe;
    while (last + 1 < n_pes && is_listed(last + 1)) ++last;
    const bool is_full = used + longest_range >= capacity;
    const int bytes = is_full      ? snprintf(text + used, capacity - used, "%s...", comma)
                      : last == pe ? snprintf(text + used, capacity - used, "%sPE %d", comma, pe)
                                   : snprintf(text + used, capacity - used, "%sPEs %d to %d", comma, pe, last);
    if (is_full) return;
    used += static_cast<std::size_t>(bytes);
    pe = last;
  }
}

}  // namespace oshen::bootstrap
