#include "coll/protocol/small_allgather.hpp"
#include "coll/call/sequence.hpp"

#include "base/log.hpp"
#include "coll/protocol/two_level_allgather.hpp"

namespace oshen::coll {

// The sync makes sure that the bounce buffers of all PEs are free.
void allgather_remote(const collective_call& call, const void* mine, std::size_t bytes) {
  team& t = call.members;
  if (static_cast<std::size_t>(t.n_pes) * bytes > bounce_bytes) {
    log::error("%s: a team that spans nodes has at most %zu PEs for this call, here %d", call.routine,
               bounce_bytes / bytes, t.n_pes);
    end_job(t.home, 1, false);
  }
  sync_team(t, call.routine);
  const auto offset = [bytes](int pe) { return static_cast<std::size_t>(pe) * bytes; };
  auto* const buffer = reinterpret_cast<char*>(t.own_workspace().bounce);
  memcpy(buffer + offset(t.my_pe), mine, bytes);
  two_level_allgather(call, buffer, offset).run();
  begin_round(t, call.routine);  // the rest of the call uses other step slots
}

}  // namespace oshen::coll
