// Contributions of different sizes: the bulletins tell the counts, and carry the data when all are small;
// else every PE writes its block behind those of the PEs before it, in every dest, and all meet.
#include "coll/algorithms.hpp"
#include "coll/reach.hpp"

namespace oshen::coll {
namespace {

struct shape {
  std::size_t before_me = 0;  // elements of the PEs before this one
  std::size_t largest = 0;
};

shape read_counts(const task& job) {
  team& t = job.members;
  shape s;
  for (int i = 0; i < t.n_pes; ++i) {
    const std::size_t count = i == t.my_pe ? job.elements : await(job, i).word;
    if (i < t.my_pe) s.before_me += count;
    if (count > s.largest) s.largest = count;
  }
  return s;
}

void copy_from_bulletins(const task& job) {
  char* place = job.dest;
  for (int i = 0; i < job.members.n_pes; ++i) {
    const bulletin& theirs = await(job, i);
    const std::size_t bytes = theirs.word * job.element_bytes;
    if (bytes != 0) memcpy(place, theirs.payload, bytes);
    place += bytes;
  }
}

void run_push(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  post(t, job.elements, job.source, bytes <= bulletin_payload ? bytes : 0);
  const shape s = read_counts(job);
  if (s.largest * job.element_bytes <= bulletin_payload) {  // the same answer on every PE
    copy_from_bulletins(job);
    return;
  }
  char* block = job.dest + s.before_me * job.element_bytes;
  if (bytes != 0) {
    for (int i = 1; i < t.n_pes; ++i) write_to(t, after(t, i), block, job.source, bytes);
    memmove(block, job.source, bytes);
  }
  sync_team(t, job.routine);
}

double cost(const setting& s) { return 200 + 30.0 * s.n_pes + 0.1 * static_cast<double>(s.bytes) * s.n_pes; }

}  // namespace

constexpr algorithm push_collect{
    .collective = kind::collect,
    .name = "push",
    .how = design::single_copy,
    .about = "counts by bulletin, then every PE writes its block into every dest",
    .steps = "1 when all fit a bulletin, else 2 + sync",
    .traffic = "n flags (and a sync); every block copied to n - 1 PEs",
    .cost = cost,
    .run = run_push};

}  // namespace oshen::coll
