#include "coll/protocol/cells.hpp"

#include <stdlib.h>

#include <algorithm>

#include "base/log.hpp"
#include "coll/protocol/fold.hpp"

namespace oshen::coll {

// The line has room for as many contributions as there are steps: both ends must know how long one is.
char* cells::place_for(int pe, int step, std::size_t bytes) const {
  if (bytes <= cell_payload) return reinterpret_cast<char*>(own(step).payload);
  const bool all_alike = !job_.blocks_differ && job_.from.elements == nullptr && bytes <= job_.bytes();
  if (t_.is_near(pe) || !all_alike) return nullptr;
  const std::size_t number = step == fold_step ? 0 : static_cast<std::size_t>(step) + 1;
  const std::size_t at = number * round_up(job_.bytes(), cache_line);
  if (at + bytes > far_payload_bytes) return nullptr;
  return reinterpret_cast<char*>(t_.own_workspace().far_payloads[line_of(t_)]) + at;
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

void combine_in_order(const task& job, char* into, const char* from, std::size_t elements, bool theirs_first) {
  if (!theirs_first) {
    job.combine(into, from, elements);
    return;
  }
  alignas(cache_line) char theirs[4096];
  const std::size_t per_block = sizeof theirs / job.element_bytes;
  for (std::size_t done = 0; done < elements; done += per_block) {
    const std::size_t n = std::min(per_block, elements - done);
    const std::size_t offset = done * job.element_bytes;
    memcpy(theirs, from + offset, n * job.element_bytes);
    job.combine(theirs, into + offset, n);
    memcpy(into + offset, theirs, n * job.element_bytes);
  }
}

}  // namespace oshen::coll
