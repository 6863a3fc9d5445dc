#include "coll/registry.hpp"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "coll/algorithms.hpp"
#include "world/world.hpp"

namespace oshen::coll {
namespace {

constexpr const char* kind_names[kinds] = {"sync",      "broadcast", "collect", "fcollect", "alltoall",
                                           "alltoalls", "reduce",    "inscan",  "exscan"};

// The setting that overrides the choice: both scans share one.
const char* override_of(kind k) {
  const bool scan = k == kind::inscan || k == kind::exscan;
  char name[32] = "OSHEN_COLL_";
  char* end = name + strlen(name);
  for (const char* c = scan ? "scan" : name_of(k); *c != '\0'; ++c) *end++ = static_cast<char>(toupper(*c));
  return setting_text(name);
}

// A list of constants would need the definitions of other files at compile time; pointers do not.
constexpr const algorithm* const all[] = {
    &shared_sync, &dissemination_sync, &central_sync, &tree_sync, &tournament_sync, &message_sync,
    &board_broadcast, &push_broadcast, &pull_broadcast,
    &binomial_put_broadcast, &binomial_message_broadcast, &binomial_pull_broadcast,
    &push_collect,
    &board_fcollect, &push_fcollect,
    &board_alltoall, &push_alltoall,
    &push_alltoalls,
    &board_reduce, &owner_reduce,
    &linear_put_reduce, &linear_message_reduce, &linear_pull_reduce,
    &tree_put_reduce, &tree_message_reduce, &tree_pull_reduce,
    &doubling_put_reduce, &doubling_message_reduce, &doubling_pull_reduce,
    &rabenseifner_put_reduce, &rabenseifner_message_reduce, &rabenseifner_pull_reduce,
    &ring_put_reduce, &ring_message_reduce, &ring_pull_reduce,
    &board_inscan, &owner_inscan,
    &linear_put_inscan, &linear_message_inscan, &linear_pull_inscan,
    &hillis_steele_put_inscan, &hillis_steele_message_inscan, &hillis_steele_pull_inscan,
    &blelloch_put_inscan, &blelloch_message_inscan, &blelloch_pull_inscan,
    &board_exscan, &owner_exscan,
    &linear_put_exscan, &linear_message_exscan, &linear_pull_exscan,
    &hillis_steele_put_exscan, &hillis_steele_message_exscan, &hillis_steele_pull_exscan,
    &blelloch_put_exscan, &blelloch_message_exscan, &blelloch_pull_exscan,
};
constexpr int algorithms = static_cast<int>(std::size(all));

int cheapest(kind k, const setting& s, const char* only) {
  int best = -1;
  double least = impossible;
  for (int i = 0; i < algorithms; ++i) {
    if (all[i]->collective != k || (only != nullptr && strcmp(only, all[i]->name) != 0)) continue;
    const double cost = all[i]->cost(s);
    if (cost < least) {
      least = cost;
      best = i;
    }
  }
  return best;
}

bool exists(kind k, const char* name) {
  for (const algorithm* a : all)
    if (a->collective == k && strcmp(a->name, name) == 0) return true;
  return false;
}

bool choose(team& t, kind k) {
  const char* only = override_of(k);
  if (only != nullptr && (*only == '\0' || strcmp(only, "auto") == 0)) only = nullptr;
  if (only != nullptr && !exists(k, only)) {
    log::error("OSHEN_COLL: \"%s\" is no algorithm for %s; \"oshinfo --algorithms\" lists them", only, name_of(k));
    return false;
  }
  for (int size = 0; size < size_classes; ++size) {
    const setting s{t.n_pes, std::size_t{1} << size, t.home->waiting.cpu_for_each, t.slot < rooms};
    int best = only != nullptr ? cheapest(k, s, only) : -1;
    if (best < 0) best = cheapest(k, s, nullptr);  // the named one cannot do this size
    t.chosen[static_cast<int>(k)][size] = static_cast<std::uint8_t>(best);
  }
  return true;
}

}  // namespace

const char* name_of(design d) {
  constexpr const char* names[designs] = {"one-sided", "two-sided", "single-copy"};
  return names[static_cast<int>(d)];
}

const char* name_of(kind k) { return kind_names[static_cast<int>(k)]; }

std::span<const algorithm* const> registry() { return all; }

bool choose_algorithms(team& t) {
  for (int k = 0; k < kinds; ++k)
    if (!choose(t, static_cast<kind>(k))) return false;
  return true;
}

// A bulletin is written again after `bulletin_lines` collectives. Between the two there is a sync, which every PE
// enters only when it has ended the earlier one: nobody still reads what is written over.
void begin_collective(team& t, const char* routine) {
  if (++t.collectives % bulletin_lines == 0) sync_team(t, routine);
}

void run(kind k, const task& job) {
  if (job.elements == 0 && k != kind::collect) return;  // on every PE; dest and source may be null
  begin_collective(job.members, job.routine);
  all[job.members.chosen[static_cast<int>(k)][size_class(job.bytes())]]->run(job);
}

void sync_team(team& t, const char* routine) {
  all[t.chosen[static_cast<int>(kind::sync)][0]]->run(task{.members = t, .routine = routine});
}

}  // namespace oshen::coll
