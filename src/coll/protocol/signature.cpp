#include "coll/protocol/signature.hpp"

#include "base/log.hpp"
#include "coll/protocol/last_words.hpp"
#include "coll/protocol/peer_memory.hpp"
#include "coll/protocol/small_allgather.hpp"

namespace oshen::coll {
namespace {

// Names and functions lie at the same distance from this in every process that has loaded the library.
constexpr char anchor = 0;
std::ptrdiff_t distance_of(const void* place) {
  return reinterpret_cast<std::intptr_t>(place) - reinterpret_cast<std::intptr_t>(&anchor);
}
const char* name_at(std::ptrdiff_t distance) {
  return reinterpret_cast<const char*>(reinterpret_cast<std::intptr_t>(&anchor) + distance);
}

bool gives_own_size(kind k) { return k == kind::collect || sizes_differ(k); }

std::uint64_t signature_of(kind k, const task& job) {
  const std::uint64_t bytes = gives_own_size(k) ? job.element_bytes : job.bytes();
  const auto function = static_cast<std::uint64_t>(distance_of(reinterpret_cast<const void*>(job.combine)));
  const std::uint64_t mixed = (bytes ^ static_cast<std::uint64_t>(job.root) << 40 ^
                               (job.combine != nullptr ? function << 20 : 0)) * 0x9e3779b97f4a7c15u;
  return (static_cast<std::uint64_t>(k) + 1) << 15 | mixed >> 49;
}

call_record& record_of(const team& t, int pe) { return t.slot_of(pe).calls[line_of(t)]; }

// The next PE of the team that is on this node; perhaps this one.
int next_near(const team& t) {
  int steps = 1;
  while (steps < t.n_pes && !t.is_near(after(t, steps))) ++steps;
  return steps < t.n_pes ? after(t, steps) : t.my_pe;
}

bool same(const call_record& a, const call_record& b) {
  return a.number == b.number && a.signature == b.signature;
}

// PE `pe` has noted another call than this PE.
[[noreturn]] void report(const task& job, const call_record& mine, const call_record& theirs, int pe) {
  team& t = job.members;
  const int who = t.world_pe(pe);
  claim_last_words(*t.home);
  if (theirs.number != mine.number)
    log::error(
        "%s: PE %d is in another routine: all PEs of a team must make the same collective calls in the same order",
        job.routine, who);
  else if (theirs.routine != mine.routine)
    log::error(
        "%s: PE %d calls %s in its place: all PEs of a team must make the same collective calls in the same order",
        job.routine, who, name_at(theirs.routine));
  else if (theirs.root != mine.root)
    log::error("%s: PE_root = %d, but PE %d gives %d: all PEs must give the same root", job.routine, mine.root, who,
               theirs.root);
  else
    log::error("%s: nelems = %llu, but PE %d gives %llu: all PEs must give the same number", job.routine,
               static_cast<unsigned long long>(mine.elements), who, static_cast<unsigned long long>(theirs.elements));
  end_job(t.home, 1, false);
}

// Between nodes everybody tells everybody its note. Names and functions lie at the same distance in all processes.
void compare_nodes(const task& job) {
  team& t = job.members;
  const call_record mine = record_of(t, t.my_pe);
  const small_allgather<call_record> notes(job, mine);
  for (const int pe : others(t))
    if (const call_record theirs = notes.of(pe); !same(mine, theirs)) report(job, mine, theirs, pe);
}

}  // namespace

void sign(kind k, const task& job) {
  team& t = job.members;
  const std::uint64_t signature = signature_of(k, job);
  t.flag = (t.collectives & flag_number) | signature << signature_shift;
  t.own_slot().calls[line_of(t)] = {.number = t.collectives, .signature = signature,
                                    .routine = distance_of(job.routine), .elements = job.elements,
                                    .element_bytes = job.element_bytes, .root = job.root};
}

// The notes are written again by turns, and between two turns there is a sync: the one that is read here stands.
void compare_calls(const task& job) {
  team& t = job.members;
  sync_team(t, job.routine);
  const int next = next_near(t);
  if (!same(record_of(t, t.my_pe), record_of(t, next))) other_call(job, next);
  if (t.spans && static_cast<std::size_t>(t.n_pes) * sizeof(call_record) <= bounce_bytes) compare_nodes(job);
}

void other_call(const task& job, int pe) {
  const team& t = job.members;
  report(job, record_of(t, t.my_pe), record_of(t, pe), pe);
}

}  // namespace oshen::coll
