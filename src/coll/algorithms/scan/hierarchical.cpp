// Hierarchical: PEs that follow one another in one domain (a stretch) scan what they have; the last ones of the
// stretches, who have the sums of theirs, scan those in the manner of Hillis and Steele; each adds what came before to
// the dests of its stretch. Where the PEs of a domain stand apart there are more stretches, at worst one for each PE.
#include "coll/algorithms/domain_rows.hpp"
#include "coll/algorithms/scan/running_sums.hpp"

namespace oshen::coll {
namespace {

constexpr int down_step = 29;  // of the cells: the first ones are for the rounds

template <bool inclusive>
class levels {
 public:
  levels(const task& job, put_protocol& protocol)
      : job_(job), t_(job.members), d_(domains_of(job.members)), protocol_(protocol), cells_(job),
        first_(d_.stretch_begin()), end_(d_.stretch_end[d_.my_stretch]) {}

  void run() {
    const bool last = t_.my_pe == end_ - 1;
    if (last) keep_source();
    scan_stretch();
    if (last) {
      scan_last_ones();
      add_before();
    } else if (d_.my_stretch > 0) {
      cells_.await_flag(end_ - 1, down_step, 1);
    }
  }

 private:
  // In private memory of the last one: the sum of its stretch, that of those before, and both together.
  void keep_source() {
    own_ = scratch_of(t_, 3 * job_.bytes(), job_.routine);
    before_ = own_ + job_.bytes();
    all_ = before_ + job_.bytes();
    memcpy(own_, job_.source, job_.bytes());
  }

  // All hear all: then nobody reads a source any more, nor writes a dest.
  void scan_stretch() {
    post(t_);
    for (int pe = first_; pe < end_; ++pe)
      if (pe != t_.my_pe) await(job_, pe);
    carry_sums<inclusive>(job_, first_, end_, part_of(job_, t_.my_pe - first_, end_ - first_));
    for (int pe = first_; pe < end_; ++pe)
      if (pe != t_.my_pe) cells_.add_deposit(pe);
    cells_.await_deposits(static_cast<std::uint64_t>(end_ - first_ - 1));
  }

  // What comes in a round is the sum of the stretches right before those of `before_`; zero bits are zero in every type
  // that scans have.
  void scan_last_ones() {
    if (inclusive) memcpy(own_, job_.dest, job_.bytes());
    else job_.combine(own_, job_.dest, job_.elements);
    memset(before_, 0, job_.bytes());
    memcpy(all_, own_, job_.bytes());
    for (int round = 0; 1 << round < d_.stretches; ++round) {
      const int to = d_.my_stretch + (1 << round), from = d_.my_stretch - (1 << round);
      protocol_.pass(to < d_.stretches ? d_.stretch_end[to] - 1 : -1, from >= 0 ? d_.stretch_end[from] - 1 : -1, round,
                     all_, job_.elements, before_, job_.elements);
      if (from < 0) continue;
      memcpy(all_, before_, job_.bytes());
      job_.combine(all_, own_, job_.elements);
    }
  }

  void add_before() {
    if (d_.my_stretch == 0) return;
    for (int pe = first_; pe < end_; ++pe) {
      observe(t_, event::copy, pe, job_.bytes());
      job_.combine(at_pe(t_, pe, job_.dest), before_, job_.elements);
      if (pe != t_.my_pe) cells_.raise(pe, down_step, 1);
    }
  }

  const task& job_;
  team& t_;
  const domains& d_;
  put_protocol& protocol_;
  cells cells_;
  int first_;
  int end_;
  char* own_ = nullptr;
  char* before_ = nullptr;
  char* all_ = nullptr;
};

double cost(const setting& s) {
  if (!has_hierarchy(s)) return impossible;
  const setting near = within_domain(s);
  const auto b = static_cast<double>(s.bytes);
  return logarithmic_cost<put_protocol>(among_leaders(s), s.spans ? 1 : 4) + steps(near, 3) +
         lines(near, 4.0 * s.domain) + copies(near, 2 * b) + copies_alone(near, b * s.domain);
}

constexpr domain_words words{
    .about = "domains scan what they have, their last PEs scan the sums, and add what came before",
    .steps = "3 + ceil(log2 d) with d domains whose PEs follow one another in the team",
    .traffic = "n m flags with m PEs in a domain; d - 2^r messages of b bytes in round r, between nodes"};

}  // namespace

constexpr algorithm hierarchical_put_inscan = domain_row<run_as<levels<true>>, cost>(kind::inscan, words);
constexpr algorithm hierarchical_put_exscan = domain_row<run_as<levels<false>>, cost>(kind::exscan, words);

}  // namespace oshen::coll
