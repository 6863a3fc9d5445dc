#include "coll/protocol/small_allgather.hpp"

#include "base/log.hpp"
#include "coll/protocol/two_level_allgather.hpp"

namespace oshen::coll {

// The bounce buffer is free on every PE once all have come.
void allgather_remote(const task& job, const void* mine, std::size_t bytes) {
  team& t = job.members;
  if (static_cast<std::size_t>(t.n_pes) * bytes > bounce_bytes) {
    log::error("%s: a team that spans nodes has at most %zu PEs for this call, here %d", job.routine,
               bounce_bytes / bytes, t.n_pes);
    end_job(t.home, 1, false);
  }
  sync_team(t, job.routine);
  const auto at = [bytes](int pe) { return static_cast<std::size_t>(pe) * bytes; };
  auto* const area = reinterpret_cast<char*>(t.own_workspace().bounce);
  memcpy(area + at(t.my_pe), mine, bytes);
  two_level_allgather(job, area, at).run();
  const std::uint64_t signed_as = t.flag & ~flag_number;
  begin_collective(t, job.routine);  // what follows has cells of its own
  t.flag |= signed_as;
}

}  // namespace oshen::coll
