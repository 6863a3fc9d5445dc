#include "coll/protocol/step_slots.hpp"
#include "coll/call/sequence.hpp"

#include <stdlib.h>

#include <algorithm>

#include "base/log.hpp"

namespace oshen::coll {

// A far payload has room for one contribution in each step. Both ends must compute the same position in it, so all
// contributions must have the same length.
char* step_slots::short_buffer(int pe, int step, std::size_t bytes) const {
  if (bytes <= step_payload) return reinterpret_cast<char*>(own(step).payload);
  const bool equal_lengths = !call_.blocks_differ && call_.from.counts == nullptr && bytes <= call_.bytes();
  if (t_.is_near(pe) || !equal_lengths) return nullptr;
  const std::size_t number = step == fold_step ? 0 : static_cast<std::size_t>(step) + 1;
  const std::size_t offset = number * round_up(call_.bytes(), cache_line);
  if (offset + bytes > far_payload_bytes) return nullptr;
  return reinterpret_cast<char*>(t_.own_workspace().far_payloads[slot_index(t_)]) + offset;
}

char* scratch_of(team& t, std::size_t bytes, const char* routine) {
  if (bytes <= t.scratch_bytes) return static_cast<char*>(t.scratch);
  free(t.scratch);
  t.scratch_bytes = round_up(bytes, 4096);
  t.scratch = aligned_alloc(cache_line, t.scratch_bytes);
  if (t.scratch == nullptr) {
    log::error("%s: no memory for %zu bytes of work space", routine, t.scratch_bytes);
    end_job(t.home, 1, false);
  }
  return static_cast<char*>(t.scratch);
}

void combine_in_order(const collective_call& call, char* into, const char* from, std::size_t elements,
                      bool theirs_first) {
  if (!theirs_first) {
    call.combine(into, from, elements);
    return;
  }
  alignas(cache_line) char theirs[4096];
  const std::size_t per_block = sizeof theirs / call.element_bytes;
  for (std::size_t done = 0; done < elements; done += per_block) {
    const std::size_t n = std::min(per_block, elements - done);
    const std::size_t offset = done * call.element_bytes;
    memcpy(theirs, from + offset, n * call.element_bytes);
    call.combine(theirs, into + offset, n);
    memcpy(into + offset, theirs, n * call.element_bytes);
  }
}

}  // namespace oshen::coll
