#include "coll/engine/run.hpp"

#include "coll/choosing/selection.hpp"
#include "coll/engine/check.hpp"
#include "coll/protocol/counts.hpp"

namespace oshen::coll {

void run(kind k, task& job) {
  // Nothing to do, on every PE; dest and source may be null.
  if (job.elements == 0 && k != kind::collect && !sizes_differ(k)) return;
  begin_collective(job.members, job.routine);
  sign(k, job);
  if (job.members.home->config.check) check_call(k, job);
  job.blocks_differ = sizes_differ(k);
  std::size_t bytes = job.blocks_differ ? usual_bytes : job.bytes();
  if (k == kind::collect) {
    bytes = exchange_counts(job);
    job.entered = true;
    if (bytes == 0) return;
    check_room(job);
  }
  algorithm_for(job.members, k, size_class(bytes)).run(job);
}

}  // namespace oshen::coll
