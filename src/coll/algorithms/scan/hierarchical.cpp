// Hierarchical: a range of consecutive PEs in one domain scans its vectors. The last PE of each range has the sum of
// the range. These PEs scan the sums by the schedule of Hillis and Steele. Each then adds the sum of the earlier ranges
// to the dests of its range. If the PEs of a domain are not consecutive, there are more ranges than domains, at most
// one for each PE.
#include "coll/algorithms/scan/running_sums.hpp"
#include "coll/algorithms/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int down_step = 29;  // the steps below are for the rounds

template <bool inclusive>
class levels {
 public:
  levels(const collective_call& call, put_protocol& protocol)
      : call_(call),
        t_(call.members),
        d_(domains_of(call.members)),
        protocol_(protocol),
        slots_(call),
        first_(d_.range_begin()),
        end_(d_.range_end[d_.my_range]) {}

  void run() {
    const bool last = t_.my_pe == end_ - 1;
    if (last) keep_source();
    scan_stretch();
    if (last) {
      scan_last_ones();
      add_before();
    } else if (d_.my_range > 0) {
      slots_.await_flag(end_ - 1, down_step, 1);
    }
  }

 private:
  // Private memory of the last PE holds the sum of its range, the sum of the earlier ranges, and the sum of both.
  void keep_source() {
    own_ = scratch_of(t_, 3 * call_.bytes(), call_.routine);
    before_ = own_ + call_.bytes();
    all_ = before_ + call_.bytes();
    memcpy(own_, call_.source, call_.bytes());
  }

  // Every PE of the range gets a deposit from every other. After that no PE of the range reads a source or writes a
  // dest.
  void scan_stretch() {
    post(t_);
    for (int pe = first_; pe < end_; ++pe)
      if (pe != t_.my_pe) await(call_, pe);
    carry_sums<inclusive>(call_, first_, end_, aligned_share(call_, t_.my_pe - first_, end_ - first_));
    for (int pe = first_; pe < end_; ++pe)
      if (pe != t_.my_pe) slots_.add_deposit(pe);
    slots_.await_deposits(static_cast<std::uint64_t>(end_ - first_ - 1));
  }

  // The sum that arrives in a round is that of the ranges directly before those in `before_`. Zero bits are zero in
  // every type of a scan.
  void scan_last_ones() {
    if (inclusive)
      memcpy(own_, call_.dest, call_.bytes());
    else
      call_.combine(own_, call_.dest, call_.elements);
    memset(before_, 0, call_.bytes());
    memcpy(all_, own_, call_.bytes());
    for (int round = 0; 1 << round < d_.ranges; ++round) {
      const int to = d_.my_range + (1 << round), from = d_.my_range - (1 << round);
      protocol_.exchange(round, {to < d_.ranges ? d_.range_end[to] - 1 : -1, all_, call_.elements},
                         {from >= 0 ? d_.range_end[from] - 1 : -1, before_, call_.elements});
      if (from < 0) continue;
      memcpy(all_, before_, call_.bytes());
      call_.combine(all_, own_, call_.elements);
    }
  }

  void add_before() {
    if (d_.my_range == 0) return;
    for (int pe = first_; pe < end_; ++pe) {
      observe(t_, event::copy, pe, call_.bytes());
      call_.combine(peer_address(t_, pe, call_.dest), before_, call_.elements);
      if (pe != t_.my_pe) slots_.raise(pe, down_step, 1);
    }
  }

  const collective_call& call_;
  team& t_;
  const domains& d_;
  put_protocol& protocol_;
  step_slots slots_;
  int first_;
  int end_;
  char* own_ = nullptr;
  char* before_ = nullptr;
  char* all_ = nullptr;
};

double cost(const team_shape& s) {
  if (!has_hierarchy(s)) return impossible;
  const team_shape near = within_domain(s);
  const auto b = static_cast<double>(s.bytes);
  return logarithmic_cost<put_protocol>(among_leaders(s), s.spans ? 1 : 4) + steps(near, 3) +
         lines(near, 4.0 * s.domain) + copies(near, 2 * b) + copies_alone(near, b * s.domain);
}

constexpr domain_text words{
    .about = "domains scan their vectors; their last PEs scan the sums, and add that of the earlier domains",
    .steps = "3 + ceil(log2 d) if the PEs of each domain are consecutive",
    .traffic = "n m flags; d - 2^r messages of b bytes in round r, between nodes"};

}  // namespace

constexpr algorithm hierarchical_put_inscan = domain_algorithm<run_as<levels<true>>, cost>(kind::inscan, words);
constexpr algorithm hierarchical_put_exscan = domain_algorithm<run_as<levels<false>>, cost>(kind::exscan, words);

}  // namespace oshen::coll
