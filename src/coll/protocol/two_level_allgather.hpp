// Everybody's block comes to everybody, from domain to domain once: the leader of each domain gathers its blocks,
// leaders pass on all they have to ever farther ones (Bruck), and the others read what their leader has.
#pragma once

#include "coll/choosing/domain.hpp"
#include "coll/protocol/cells.hpp"

namespace oshen::coll {

// `at(pe)` says where in `area`, an object of each PE, the block of PE `pe` begins; at(n_pes) where the last one ends.
// Each PE's own block is in its place. Uses cells and deposits of the present collective.
template <class At>
class two_level_allgather {
 public:
  two_level_allgather(const task& job, char* area, const At& at)
      : t_(job.members), d_(domains_of(job.members)), cells_(job), area_(area), at_(at) {}

  void run() {
    if (t_.my_pe == d_.leader()) return lead();
    write_to(t_, d_.leader(), area_ + at_(t_.my_pe), area_ + at_(t_.my_pe), at_(t_.my_pe + 1) - at_(t_.my_pe));
    cells_.add_deposit(d_.leader());
    cells_.await_flag(d_.leader(), down_step, 1);
    read_from(t_, d_.leader(), area_, area_, at_(t_.n_pes));
    cells_.add_deposit(d_.leader());
  }

 private:
  static constexpr int down_step = 20;  // of the cells: the first ones are for the rounds of the leaders

  void lead() {
    const auto others = static_cast<std::uint64_t>(d_.size(d_.mine) - 1);
    cells_.await_deposits(others);  // they have given their blocks
    int round = 0;
    for (int width = 1; width < d_.count; width *= 2, ++round) {
      const int to = d_.leaders[d_.after_mine(width)];
      const int from = d_.leaders[d_.after_mine(d_.count - width)];
      send_domains(to, round, width < d_.count - width ? width : d_.count - width);
      cells_.await_flag(from, round, 1);
    }
    d_.for_others(t_.my_pe, [&](int pe) { cells_.raise(pe, down_step, 1); });
    cells_.await_deposits(others);  // they have read everything
  }

  // The blocks of this domain and of those before it, `how_many` in all: those that are neighbours in one piece, and
  // the last with the flag of the round.
  void send_domains(int to, int round, int how_many) {
    std::size_t from = 0, bytes = 0;  // the piece that has not gone yet
    const auto goes = [&](int pe) { return (d_.mine - d_.of[pe] + d_.count) % d_.count < how_many; };
    for (int first = 0; first < t_.n_pes; ++first) {
      if (!goes(first)) continue;
      int end = first + 1;
      while (end < t_.n_pes && goes(end)) ++end;
      if (bytes != 0) write_to(t_, to, area_ + from, area_ + from, bytes);
      from = at_(first);
      bytes = at_(end) - from;
      first = end;
    }
    cells_.raise_behind(to, round, 1, area_ + from, area_ + from, bytes);
  }

  team& t_;
  const domains& d_;
  cells cells_;
  char* area_;
  const At& at_;
};

}  // namespace oshen::coll
