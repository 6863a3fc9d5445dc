#include "coll/api/extensions.hpp"

#include <algorithm>

#include "coll/call/sequence.hpp"
#include "op/call_site.hpp"
#include "op/order.hpp"
#include "world/world.hpp"

namespace oshen::coll {
namespace {

void require_array(team_call at, const char* argument, const std::size_t* array) {
  if (array == nullptr)
    op::bad_argument(site_of(at), "%s = NULL: expected an array of %d, one for each PE of the team", argument,
                     at.members->n_pes);
}

}  // namespace

std::size_t extent(team_call at, block_names names, const block_table& b, std::size_t element_bytes) {
  require_array(at, names.counts, b.counts);
  require_array(at, names.displs, b.first);
  std::size_t end = 0;
  for (int pe = 0; pe < at.members->n_pes; ++pe) {
    std::size_t last = 0;
    if (b.counts[pe] == 0) continue;
    if (__builtin_add_overflow(b.first[pe], b.counts[pe], &last))
      op::bad_argument(site_of(at), "%s[%d] = %zu: %zu elements from there exceed the address space", names.displs, pe,
                       b.first[pe], b.counts[pe]);
    end = std::max(end, last);
  }
  return product(at, names.displs, end, element_bytes);
}

std::size_t total(team_call at, const char* argument, const std::size_t* counts) {
  require_array(at, argument, counts);
  std::size_t sum = 0;
  for (int pe = 0; pe < at.members->n_pes; ++pe)
    if (__builtin_add_overflow(sum, counts[pe], &sum))
      op::bad_argument(site_of(at), "%s[%d] = %zu: their sum exceeds the address space", argument, pe, counts[pe]);
  return sum;
}

std::size_t largest(team_call at, const std::size_t* counts) {
  return *std::max_element(counts, counts + at.members->n_pes);
}

void set_block_buffers(collective_call& call, team_call at, void* dest, const void* source, std::size_t dest_bytes,
                       std::size_t source_bytes) {
  if (dest == nullptr && source == nullptr && dest_bytes == 0 && source_bytes == 0) return;
  set_buffers(call, at, dest, source, std::max<std::size_t>(dest_bytes, 1), std::max<std::size_t>(source_bytes, 1));
}

// The quiet is needed although the flags of the sync order all puts (collectives.cpp, barrier_all).
int team_barrier(team_call at) {
  op::quiet({&at.members->home->default_context, at.routine});
  sync_team(*at.members, at.routine);
  return 0;
}

}  // namespace oshen::coll
