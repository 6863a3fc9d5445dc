// Multi-leader: the vector is divided into as many shares as the smallest domain has PEs. In each domain that number of
// PEs lead, each for one share. A leader first combines its share of the sources of its domain, in place. Then it
// combines the share with the leaders of the same share in other domains, by Rabenseifner's schedule. At the end it
// writes the result into the dests of its domain.
#include "coll/algorithms/reduce/halving.hpp"
#include "coll/algorithms/schedule.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {
namespace {

// Dest may be source: in a domain, only the leader of a share reads and writes it.
void combine_domain(const collective_call& call, const domains& d, const element_range& share) {
  // A source must not be read before its PE has entered.
  d.for_others(call.members.my_pe, [&](int pe) { await(call, pe); });
  combine_range(
      call, {d.size(d.mine), d.order + d.begin[d.mine]}, share,
      [&](std::size_t offset, const char* sum, std::size_t bytes) { memcpy(call.dest + offset, sum, bytes); });
}

// The leaders of share `index`, one PE of each domain. The list is in private memory of the team.
const int* leaders_of(team& t, const domains& d, int index) {
  auto* const who = reinterpret_cast<int*>(scratch_of(t, static_cast<std::size_t>(d.count) * sizeof(int), t.routine));
  for (int i = 0; i < d.count; ++i) who[i] = d.pe(i, index);
  return who;
}

void lead(const collective_call& call, const domains& d, int index, put_protocol& protocol) {
  team& t = call.members;
  const element_range share = aligned_share(call, index, d.smallest);
  combine_domain(call, d, share);
  collective_call mine = call;
  mine.dest = call.dest + share.first * call.element_bytes;
  mine.elements = share.elements;
  halve_and_gather(mine, fold(d.count, d.mine, leaders_of(t, d, index)), protocol);
  d.for_others(t.my_pe, [&](int pe) { protocol.deposit(pe, mine.dest, mine.dest, mine.bytes()); });
}

double cost(const team_shape& s) {
  if (!has_hierarchy(s)) return impossible;
  const int shares = least_domain(s);
  const auto share = (s.bytes + static_cast<std::size_t>(shares) - 1) / static_cast<std::size_t>(shares);
  team_shape leaders = among_leaders(s);
  leaders.domain = shares;
  leaders.bytes = share;
  const team_shape near = within_domain(s);
  return halving_cost<put_protocol>(leaders) + steps(near, 2) + lines(near, 2.0 * s.domain) +
         copies(near, 2.0 * s.domain * static_cast<double>(share));
}

// A PE waits for all leaders of its domain. Then its dest is complete, and its source has been read.
void run(const collective_call& call, put_protocol& protocol) {
  team& t = call.members;
  const domains& d = domains_of(t);
  const int index = d.index_of(t.my_pe);
  post(t);
  if (index < d.smallest) lead(call, d, index, protocol);
  for (int i = 0; i < d.smallest; ++i)
    if (i != index) protocol.accept(d.pe(d.mine, i), nullptr, nullptr, 0);
}

}  // namespace

constexpr algorithm multi_leader_put_reduce = domain_algorithm<run, cost>(
    kind::reduce,
    {.name = "multi-leader-put",
     .about = "each PE of a domain combines a share of the vector, in its domain and then with other domains",
     .steps = "2 + 2 floor(log2 d), and 2 more if d is not a power of two",
     .traffic = "n (m - 1) flags, and the messages of Rabenseifner's schedule for each of m shares of b / m bytes",
     .paper = paper::bayatpour});

}  // namespace oshen::coll
