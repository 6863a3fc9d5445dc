// Multi-leader: a PE writes the blocks for its own domain directly. It packs the blocks for another domain into one
// message to the PE with the same index there, which writes each block into the dest of its PE. Thus a PE sends one
// message to each domain instead of one to each PE, and the bytes between domains are those of a flat schedule.
//
// Messages arrive in bounce buffers. If the messages of all domains do not fit, they are sent in several rounds. The
// team synchronises before each round, so that the buffers are free, and at the end, so that all blocks are in place.
#include "coll/algorithms/alltoall/blocks.hpp"
#include "coll/algorithms/schedule.hpp"
#include "coll/call/sequence.hpp"

namespace oshen::coll {
namespace {

// How the bounce buffer of a PE is divided: a slot for each message. A domain that is larger than the receiver's sends
// it several messages. Every PE computes the same division.
struct division {
  std::size_t slot_bytes;
  int slots;  // for the messages of one domain
  int steps;  // domains of one round

  division(int largest, int smallest, std::size_t block, int domains)
      : slot_bytes(static_cast<std::size_t>(largest) * block), slots((largest + smallest - 1) / smallest) {
    const std::size_t of_domain = slot_bytes * static_cast<std::size_t>(slots);
    steps = of_domain * static_cast<std::size_t>(domains) <= bounce_bytes ? domains
                                                                          : static_cast<int>(bounce_bytes / of_domain);
  }
};

class multi_leader_alltoall {
 public:
  explicit multi_leader_alltoall(const collective_call& call)
      : call_(call),
        t_(call.members),
        d_(domains_of(t_)),
        slots_(call),
        blocks_{call},
        size_(d_.size(d_.mine)),
        index_(d_.index_of(t_.my_pe)),
        division_(d_.largest, d_.smallest, call.bytes(), d_.count) {}

  void run() {
    blocks_.copy_own();
    d_.for_others(t_.my_pe, [&](int pe) {
      observe(t_, event::copy, pe, call_.bytes());
      blocks_.copy(pe, peer_address(t_, pe, blocks_.dest(t_.my_pe)));
    });
    for (int first = 1; first < d_.count; first += division_.steps)
      run_round(first, std::min(first + division_.steps, d_.count));
    sync_team(t_, call_.routine);
  }

 private:
  void run_round(int first, int end) {
    std::uint64_t arrivals = 0;
    sync_team(t_, call_.routine);
    for (int step = first; step < end; ++step) {
      send(d_.after_mine(step), step - first);
      for_senders(from(step), [&](int) { ++arrivals; });
    }
    slots_.await_deposits(arrivals);
    for (int step = first; step < end; ++step)
      for_senders(from(step), [&](int index) { distribute(from(step), index, step - first); });
  }

  int from(int step) const { return d_.after_mine(d_.count - step); }
  // Calls visit(index) for each PE of domain `which` that sends to this PE.
  template <class Visit>
  void for_senders(int which, Visit visit) const {
    for (int index = index_; index < d_.size(which); index += size_) visit(index);
  }
  char* slot(int step, int number) const {
    return reinterpret_cast<char*>(t_.own_workspace().bounce) +
           static_cast<std::size_t>(step * division_.slots + number) * division_.slot_bytes;
  }

  void send(int to, int step) const {
    char* const packed = scratch_of(t_, division_.slot_bytes, call_.routine);
    char* next = packed;
    for (int i = 0; i < d_.size(to); ++i, next += call_.bytes())
      copy_elements(next, blocks_.source(d_.pe(to, i)), 1, call_.source_stride, call_.elements, call_.element_bytes);
    slots_.deposit(d_.pe(to, index_ % d_.size(to)),
                   {slot(step, index_ / d_.size(to)), packed, static_cast<std::size_t>(next - packed)});
  }

  void distribute(int which, int index, int step) const {
    const char* arrived = slot(step, index / size_);
    char* const dest = blocks_.dest(d_.pe(which, index));
    for (int i = 0; i < size_; ++i, arrived += call_.bytes()) {
      const int pe = d_.pe(d_.mine, i);
      observe(t_, event::copy, pe, call_.bytes());
      copy_elements(peer_address(t_, pe, dest), arrived, call_.dest_stride, 1, call_.elements, call_.element_bytes);
    }
  }

  const collective_call& call_;
  team& t_;
  const domains& d_;
  step_slots slots_;
  own_blocks blocks_;
  int size_;
  int index_;
  division division_;
};

void run(const collective_call& call, put_protocol&) { multi_leader_alltoall(call).run(); }

// `times`: the cost of copying a byte, in copies of contiguous bytes.
double cost_with(const team_shape& s, double times) {
  if (!has_hierarchy(s) || static_cast<double>(s.bytes) * s.domain > bounce_bytes) return impossible;
  const division d(s.domain, least_domain(s), s.bytes, s.domains);
  if (d.steps == 0) return impossible;
  const team_shape leaders = among_leaders(s), near = within_domain(s);
  const double others = s.domains - 1, far = s.n_pes - s.domain, block = static_cast<double>(s.bytes);
  const int syncs = 1 + (s.domains - 1 + d.steps - 1) / d.steps;
  const double sync = steps(leaders, rounds(leaders)) + steps(near, 2);
  const double between =
      s.spans ? flagged_network_cost(s, 1, others, far * block) : protocol_cost<put_protocol>(s, others, far);
  return syncs * sync + between + copies(near, times * (2 * far + s.domain) * block) + lines(near, s.n_pes);
}
double cost(const team_shape& s) { return cost_with(s, 1); }
double strided_cost(const team_shape& s) { return cost_with(s, 10); }

}  // namespace

constexpr algorithm multi_leader_put_alltoall = domain_algorithm<run, cost>(
    kind::alltoall,
    {.name = "multi-leader-put",
     .about = "each PE packs its blocks for another domain into one message to one PE there, which "
              "writes them into the dests of its domain",
     .needs = "several domains (nodes, or OSHEN_COLL_DOMAIN); m b up to 64 KiB, less if they differ",
     .steps = "1 and two syncs, and another of each for every 64 KiB that a PE receives",
     .traffic = "n (d - 1) messages of m b bytes and as many flags; n (n - m) b bytes between domains"});
constexpr algorithm multi_leader_put_alltoalls = multi_leader_put_alltoall.as(kind::alltoalls).at(strided_cost);

}  // namespace oshen::coll
