// Hierarchical: the leader of each domain combines the vectors of its domain. Each leader sends every other leader the
// shares of its domain in one message. It combines the shares that it receives with its own, and distributes the
// results.
#include "coll/algorithms/reduce_scatter/parts.hpp"
#include "coll/algorithms/schedule.hpp"
#include "coll/call/sequence.hpp"
#include "coll/protocol/small_allgather.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {
namespace {

// So many rounds have a step of their own each. The next rounds are counted as another collective.
constexpr int rounds_together = 28;

class hierarchical_reduce_scatter {
 public:
  hierarchical_reduce_scatter(const collective_call& call, put_protocol& protocol)
      : call_(call), t_(call.members), d_(domains_of(call.members)), protocol_(protocol) {}

  void run() {
    const bool leads = t_.my_pe == d_.leader();
    if (leads)
      combine_domain();
    else
      protocol_.give(d_.leader(), call_.source, all_elements(call_));
    for (int round = 1; round < d_.count; round += rounds_together) {
      if (round > 1) begin_round(t_, call_.routine);
      if (leads) trade_shares(round, std::min(round + rounds_together, d_.count));
    }
    if (leads)
      hand_out();
    else
      await_share();
  }

 private:
  std::size_t bytes_of(std::size_t elements) const { return elements * call_.element_bytes; }

  // Private memory holds the sum of the whole vector, the shares of this domain, and those of another domain.
  void combine_domain() {
    const std::size_t whole = all_elements(call_);
    sum_ = scratch_of(t_, bytes_of(3 * whole), call_.routine);
    shares_ = sum_ + bytes_of(whole);
    packed_ = shares_ + bytes_of(whole);
    memcpy(sum_, call_.source, bytes_of(whole));
    d_.for_others(t_.my_pe, [&](int pe) { protocol_.take(pe, call_.source, sum_, whole); });
    mine_ = pack(d_.mine, shares_);
  }

  // Copies the shares of domain `which` to contiguous memory. Returns the number of their elements.
  std::size_t pack(int which, char* to) const {
    std::size_t elements = 0;
    for (int i = 0; i < d_.size(which); ++i) {
      const element_range share = share_of(call_, d_.pe(which, i));
      memcpy(to + bytes_of(elements), sum_ + bytes_of(share.first), bytes_of(share.elements));
      elements += share.elements;
    }
    return elements;
  }

  void trade_shares(int first, int end) {
    put_protocol protocol(call_);
    for (int round = first; round < end; ++round) {
      const int to = d_.after_mine(round), from = d_.after_mine(d_.count - round);
      const std::size_t theirs = pack(to, packed_);
      protocol.exchange(round - first, {d_.leaders[to], packed_, theirs}, {d_.leaders[from], shares_, mine_});
    }
  }

  // Dest may be this PE's own share of the source, so it may have another offset on each PE. Each PE posts the offset
  // of its own.
  void await_share() {
    post(t_, static_cast<std::uint64_t>(call_.dest - slice_of(t_)));
    protocol_.accept(d_.leader(), nullptr, call_.dest, bytes_of(share_of(call_, t_.my_pe).elements));
  }
  void hand_out() {
    const char* next = shares_;
    for (int i = 0; i < d_.size(d_.mine); ++i) {
      const int pe = d_.pe(d_.mine, i);
      const std::size_t bytes = bytes_of(share_of(call_, pe).elements);
      if (pe != t_.my_pe)
        protocol_.deposit(pe, next, slice_of(t_) + await(call_, pe).value, bytes);
      else if (bytes != 0)
        memcpy(call_.dest, next, bytes);
      next += bytes;
    }
  }

  const collective_call& call_;
  team& t_;
  const domains& d_;
  put_protocol& protocol_;
  char* sum_ = nullptr;
  char* shares_ = nullptr;
  char* packed_ = nullptr;
  std::size_t mine_ = 0;  // the number of elements in `shares_`
};

double cost(const team_shape& s) {
  if (!has_hierarchy(s)) return impossible;
  const double others = s.domains - 1;
  return protocol_cost<put_protocol>(among_leaders(s), others, others * s.domain) +
         protocol_cost<put_protocol>(within_domain(s), s.domain, 2.0 * s.domain * s.n_pes);
}

}  // namespace

constexpr algorithm hierarchical_put_reduce_scatter = domain_algorithm<run_as<hierarchical_reduce_scatter>, cost>(
    kind::reduce_scatter, {.about = "leaders combine their domains, and send each other the shares of their domains",
                           .steps = "m + d - 1",
                           .traffic = "2 (n - d) messages, and d (d - 1) of m b bytes between nodes"});

}  // namespace oshen::coll
