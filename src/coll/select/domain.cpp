#include "coll/select/domain.hpp"

#include <stdlib.h>

#include <algorithm>
#include <new>

#include "base/log.hpp"
#include "world/network.hpp"
#include "world/world.hpp"

namespace oshen::coll {
namespace {

// One block of memory: the result of domains_of(), followed by its arrays.
struct tables {
  domains* all;
  int* of;
  int* leaders;
  int* order;
  int* begin;
  int* range_end;
};

int* ints(const team& t, std::size_t n) {
  auto* memory = static_cast<int*>(malloc(n * sizeof(int)));
  if (memory != nullptr) return memory;
  log::error("%s: no memory for %zu bytes of work space", t.routine, n * sizeof(int));
  end_job(t.home, 1, false);
}

tables make_tables(const team& t) {
  const auto n = static_cast<std::size_t>(t.n_pes);
  int* const memory = ints(t, sizeof(domains) / sizeof(int) + 5 * n + 1);
  auto* const all = new (memory) domains;
  int* const arrays = reinterpret_cast<int*>(all + 1);
  const tables made{all, arrays, arrays + n, arrays + 2 * n, arrays + 3 * n, arrays + 4 * n + 1};
  all->of = made.of;
  all->leaders = made.leaders;
  all->order = made.order;
  all->begin = made.begin;
  all->range_end = made.range_end;
  return made;
}

// Assigns a domain to each PE. The first PE of a node in the job identifies the node. Domains are numbered in the order
// of their first PEs in the team.
void number_nodes(const team& t, tables& m) {
  const world& w = *t.home;
  int* const known = ints(t, static_cast<std::size_t>(w.n_pes));
  std::fill_n(known, w.n_pes, -1);
  for (int pe = 0; pe < t.n_pes; ++pe) {
    int& number = known[node_leader_of(w, t.world_pe(pe))];
    if (number < 0) number = m.all->count++;
    m.of[pe] = number;
  }
  free(known);
}

void number_blocks(const team& t, tables& m) {
  const int size = t.home->config.coll_domain > 0 ? t.home->config.coll_domain : t.n_pes;
  for (int pe = 0; pe < t.n_pes; ++pe) m.of[pe] = pe / size;
  m.all->count = (t.n_pes + size - 1) / size;
}

// `begin[i]` first counts the PEs of domain i; then it is the next free index of `order` for that domain. After the
// filling it is the end of domain i, so the entries are then shifted by one.
void sort_by_domain(const team& t, tables& m) {
  std::fill_n(m.begin, m.all->count + 1, 0);
  for (int pe = 0; pe < t.n_pes; ++pe) ++m.begin[m.of[pe]];
  m.all->largest = *std::max_element(m.begin, m.begin + m.all->count);
  m.all->smallest = *std::min_element(m.begin, m.begin + m.all->count);
  int first = 0;
  for (int i = 0; i < m.all->count; ++i) {
    const int size = m.begin[i];
    m.begin[i] = first;
    first += size;
  }
  for (int pe = 0; pe < t.n_pes; ++pe) m.order[m.begin[m.of[pe]]++] = pe;
  std::copy_backward(m.begin, m.begin + m.all->count, m.begin + m.all->count + 1);
  m.begin[0] = 0;
  for (int i = 0; i < m.all->count; ++i) m.leaders[i] = m.order[m.begin[i]];
}

void find_ranges(const team& t, tables& m) {
  for (int pe = 0; pe < t.n_pes; ++pe) {
    if (pe == t.my_pe) m.all->my_range = m.all->ranges;
    if (pe + 1 == t.n_pes || m.of[pe] != m.of[pe + 1]) m.range_end[m.all->ranges++] = pe + 1;
  }
}

}  // namespace

const domains& domains_of(team& t) {
  if (t.known_domains != nullptr) [[likely]]
    return *t.known_domains;
  tables made = make_tables(t);
  if (t.spans)
    number_nodes(t, made);
  else
    number_blocks(t, made);
  sort_by_domain(t, made);
  find_ranges(t, made);
  made.all->mine = made.of[t.my_pe];
  return *(t.known_domains = made.all);
}

}  // namespace oshen::coll
