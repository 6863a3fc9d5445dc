// An allgather in which each block goes to each domain once. The leader of each domain gathers the blocks of its
// domain, leaders exchange blocks by Bruck's schedule, and the other PEs read all blocks from their leader.
#pragma once

#include "coll/protocol/step_slots.hpp"
#include "coll/select/domain.hpp"

namespace oshen::coll {

// `buffer` is an object of every PE, and `offset(pe)` the offset of the block of PE `pe` in it; offset(n_pes) is the
// end of the last block. Each PE's own block must be in its buffer. Uses step slots and deposits of the present
// collective.
template <class Offset>
class two_level_allgather {
 public:
  two_level_allgather(const collective_call& call, char* buffer, const Offset& offset)
      : t_(call.members), d_(domains_of(call.members)), slots_(call), buffer_(buffer), offset_(offset) {}

  void run() {
    if (t_.my_pe == d_.leader()) return lead();
    char* const own = buffer_ + offset_(t_.my_pe);
    write_to(t_, d_.leader(), own, own, offset_(t_.my_pe + 1) - offset_(t_.my_pe));
    slots_.add_deposit(d_.leader());
    slots_.await_flag(d_.leader(), down_step, 1);
    read_from(t_, d_.leader(), buffer_, buffer_, offset_(t_.n_pes));
    slots_.add_deposit(d_.leader());
  }

 private:
  static constexpr int down_step = 20;  // the steps below are the rounds of the leaders

  void lead() {
    const auto others = static_cast<std::uint64_t>(d_.size(d_.mine) - 1);
    slots_.await_deposits(others);  // the blocks of the domain are here
    int round = 0;
    for (int width = 1; width < d_.count; width *= 2, ++round) {
      const int to = d_.leaders[d_.after_mine(width)];
      const int from = d_.leaders[d_.after_mine(d_.count - width)];
      send_domains(to, round, width < d_.count - width ? width : d_.count - width);
      slots_.await_flag(from, round, 1);
    }
    d_.for_others(t_.my_pe, [&](int pe) { slots_.raise(pe, down_step, 1); });
    slots_.await_deposits(others);  // the domain has read all blocks
  }

  // Sends the blocks of this domain and of the domains before it, `n_domains` in all. Adjacent blocks go as one chunk,
  // and the last chunk goes with the flag of the round.
  void send_domains(int to, int round, int n_domains) {
    std::size_t from = 0, bytes = 0;  // the chunk that has not been sent yet
    const auto is_sent = [&](int pe) { return (d_.mine - d_.of[pe] + d_.count) % d_.count < n_domains; };
    for (int first = 0; first < t_.n_pes; ++first) {
      if (!is_sent(first)) continue;
      int end = first + 1;
      while (end < t_.n_pes && is_sent(end)) ++end;
      if (bytes != 0) write_to(t_, to, buffer_ + from, buffer_ + from, bytes);
      from = offset_(first);
      bytes = offset_(end) - from;
      first = end;
    }
    slots_.put_and_raise(to, round, 1, {buffer_ + from, buffer_ + from, bytes});
  }

  team& t_;
  const domains& d_;
  step_slots slots_;
  char* buffer_;
  const Offset& offset_;
};

}  // namespace oshen::coll
