#include "coll/protocol/small_allgather.hpp"

#include "base/log.hpp"
#include "coll/protocol/put.hpp"

namespace oshen::coll {

// The bounce buffer is free on every PE once all have come; the deposits say that all have written here.
void allgather_remote(const task& job, const void* mine, std::size_t bytes) {
  team& t = job.members;
  if (static_cast<std::size_t>(t.n_pes) * bytes > bounce_bytes) {
    log::error("%s: a team that spans nodes has at most %zu PEs for this call, here %d", job.routine,
               bounce_bytes / bytes, t.n_pes);
    end_job(t.home, 1, false);
  }
  sync_team(t, job.routine);
  auto* own = reinterpret_cast<char*>(t.own_workspace().bounce) + static_cast<std::size_t>(t.my_pe) * bytes;
  memcpy(own, mine, bytes);
  put_protocol protocol(job);
  for (int i = 1; i < t.n_pes; ++i) {
    protocol.deposit(after(t, i), own, own, bytes);
    protocol.accept(after(t, t.n_pes - i), nullptr, nullptr, bytes);
  }
  protocol.settle();
  sync_team(t, job.routine);  // a deposit of what follows must not be taken for one of these
}

}  // namespace oshen::coll
