#include "coll/select/selection.hpp"

#include <string.h>

#include "coll/select/domain.hpp"
#include "world/world.hpp"

namespace oshen::coll {
namespace {

bool applies(const rule& r, kind k, const team_shape& s) {
  const cpu_sharing here = s.spans ? cpu_sharing::across : s.cpu_for_each ? cpu_sharing::own : cpu_sharing::shared;
  const bool cpus_match = r.cpus == cpu_sharing::any || r.cpus == here;
  return r.collective == k && r.least_pes <= s.n_pes && s.n_pes <= r.most_pes && s.bytes <= r.up_to && cpus_match;
}

// The first rule that applies and whose algorithm can run. If a setting says "auto", other settings are skipped, and
// the tuning files decide.
const rule* find_rule(kind k, const team_shape& s, const tuning_rules* p) {
  if (p == nullptr) return nullptr;
  bool settings_are_silent = false;
  for (const rule& r : p->all()) {
    if ((settings_are_silent && r.from_setting()) || !applies(r, k, s)) continue;
    if (r.algorithm_index == any_algorithm)
      settings_are_silent = true;
    else if (can_do(*registry()[static_cast<std::size_t>(r.algorithm_index)], s))
      return &r;
  }
  return nullptr;
}

int cheapest(kind k, const team_shape& s) {
  int best = 0;
  double least = impossible;
  for (int algorithm_index = 0; algorithm_index < static_cast<int>(registry().size()); ++algorithm_index) {
    const algorithm& a = *registry()[static_cast<std::size_t>(algorithm_index)];
    if (a.collective != k || !can_do(a, s)) continue;
    const double cost = a.cost(s);
    if (cost >= least) continue;
    least = cost;
    best = algorithm_index;
  }
  return best;
}

}  // namespace

const char* name_of(reason r) {
  constexpr const char* names[] = {"setting", "this machine's file", "tuning file", "model"};
  return names[static_cast<int>(r)];
}

bool can_do(const algorithm& a, const team_shape& s) {
  return (a.where == scope::any || !s.spans) && a.cost(s) < impossible;
}

selection choose(kind k, const team_shape& s, const tuning_rules* p) {
  const rule* r = find_rule(k, s, p);
  if (r == nullptr) return {.algorithm_index = cheapest(k, s)};
  const reason why = r->from_setting() ? reason::setting : r->of_machine ? reason::machine_file : reason::tuning_file;
  return {.algorithm_index = r->algorithm_index, .why = why, .line = r->line};
}

void forget_choices(team& t) { memset(t.chosen_algorithms, undecided, sizeof t.chosen_algorithms); }

team_shape shape_of(team& t) {
  const world& home = *t.home;
  const bool divided = t.spans || home.config.coll_domain > 0;
  team_shape s{.n_pes = t.n_pes,
               .bytes = 0,
               .cpu_for_each = home.waiting.cpu_for_each,
               .spans = t.spans,
               .domains = divided ? domains_of(t).count : 1,
               .domain = divided ? domains_of(t).largest : t.n_pes};
  if (home.tuning != nullptr) s.on = home.tuning->here;
  s.on.cpus = home.cpus;
  return s;
}

std::uint8_t decide(team& t, kind k, int size_class) {
  team_shape s = shape_of(t);
  s.bytes = largest_of(size_class);
  const bool checked = k == kind::sync && t.home->config.check;
  const int selected = checked ? static_cast<int>(registry().size()) : choose(k, s, t.home->tuning).algorithm_index;
  const auto algorithm_index = static_cast<std::uint8_t>(selected);
  t.chosen_algorithms[static_cast<int>(k)][size_class] = algorithm_index;
  return algorithm_index;
}

}  // namespace oshen::coll
