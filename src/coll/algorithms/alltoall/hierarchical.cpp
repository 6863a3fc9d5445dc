// Hierarchical: a PE writes the blocks for its own domain directly. The leader of a domain reads all other blocks in
// place and packs those for one domain into one message to its leader, which distributes them.
#include "coll/algorithms/alltoall/blocks.hpp"
#include "coll/algorithms/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int most_domains = 28;  // Each has a step of its own.
constexpr int down_step = 29;

class hierarchical_alltoall {
 public:
  hierarchical_alltoall(const collective_call& call, put_protocol& protocol)
      : call_(call), t_(call.members), d_(domains_of(t_)), protocol_(protocol), slots_(call), size_(d_.size(d_.mine)) {}

  void run() {
    d_.for_others(t_.my_pe, [&](int pe) {
      write_to(t_, pe, call_.dest + block_at(call_, t_.my_pe), call_.source + block_at(call_, pe), call_.bytes());
    });
    own_blocks{call_}.copy_own();
    if (t_.my_pe == d_.leader()) return lead();
    slots_.add_deposit(d_.leader());  // the leader may read this PE's source
    slots_.await_flag(d_.leader(), down_step, 1);
  }

 private:
  void lead() {
    for (int step = 1; step < d_.count; ++step) protocol_.ready(d_.leaders[from(step)], step, bytes_with(from(step)));
    slots_.await_deposits(static_cast<std::uint64_t>(size_ - 1));
    for (int step = 1; step < d_.count; ++step) send(d_.after_mine(step), step);
    char* arrived = reinterpret_cast<char*>(t_.own_workspace().bounce);
    for (int step = 1; step < d_.count; arrived += bytes_with(from(step)), ++step) receive(from(step), step, arrived);
    d_.for_others(t_.my_pe, [&](int pe) { slots_.raise(pe, down_step, 1); });
  }

  int from(int step) const { return d_.after_mine(d_.count - step); }
  // The bytes from this domain to domain `which`, and from there to this one.
  std::size_t bytes_with(int which) const { return static_cast<std::size_t>(size_ * d_.size(which)) * call_.bytes(); }
  // The offset of the message from this domain in the bounce buffer of the leader of domain `to`. The messages of
  // earlier steps are in front of it.
  std::size_t place_at(int to, int step) const {
    std::size_t pes = 0;
    for (int before = 1; before < step; ++before)
      pes += static_cast<std::size_t>(d_.size((to + d_.count - before) % d_.count));
    return pes * static_cast<std::size_t>(d_.size(to)) * call_.bytes();
  }

  void send(int to, int step) {
    const std::size_t block = call_.bytes();
    char* const packed = scratch_of(t_, bytes_with(to), call_.routine);
    char* next = packed;
    for (int i = 0; i < size_; ++i)
      for (int j = 0; j < d_.size(to); ++j, next += block)
        read_from(t_, d_.pe(d_.mine, i), next, call_.source + block_at(call_, d_.pe(to, j)), block);
    char* const there = reinterpret_cast<char*>(t_.own_workspace().bounce) + place_at(to, step);
    protocol_.await_ready(d_.leaders[to], step, bytes_with(to));
    protocol_.send(d_.leaders[to], step, packed, there, bytes_with(to));
  }

  void receive(int which, int step, char* arrived) {
    const std::size_t block = call_.bytes();
    protocol_.receive(d_.leaders[which], step, arrived, bytes_with(which));
    for (int i = 0; i < d_.size(which); ++i)
      for (int j = 0; j < size_; ++j, arrived += block)
        write_to(t_, d_.pe(d_.mine, j), call_.dest + block_at(call_, d_.pe(which, i)), arrived, block);
  }

  const collective_call& call_;
  team& t_;
  const domains& d_;
  put_protocol& protocol_;
  step_slots slots_;
  int size_;
};

double cost(const team_shape& s) {
  if (!has_hierarchy(s) || s.domains > most_domains) return impossible;
  const double times = static_cast<double>(s.domain) * s.n_pes, passed_on = times * static_cast<double>(s.bytes);
  if (passed_on > bounce_bytes) return impossible;
  const team_shape leaders = among_leaders(s), near = within_domain(s);
  const double others = s.domains - 1;
  const double between = s.spans ? network_cost(s, passed_on / s.domains > step_payload ? 2 : 1, 3 * others, passed_on)
                                 : protocol_cost<put_protocol>(leaders, others, times);
  return between + protocol_cost<put_protocol>(near, 2, 2 * times) +
         lines(near, (s.spans ? 0.1 : 1) * s.domain * s.n_pes);
}

}  // namespace

constexpr algorithm hierarchical_put_alltoall = domain_algorithm<run_as<hierarchical_alltoall>, cost>(
    kind::alltoall, {.about = "leaders pack all blocks from one domain to another into one message",
                     .needs = "2 to 28 domains (nodes, or OSHEN_COLL_DOMAIN); m n b up to 64 KiB",
                     .steps = "3",
                     .traffic = "2 (n - d) flags; d (d - 1) messages of m m b bytes between nodes"});

}  // namespace oshen::coll
