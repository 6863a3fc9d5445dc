// Hierarchical: PEs of a domain copy their blocks from each other. Leaders exchange the positions of the blocks from
// one domain to another. A few bytes then travel from leader to leader in one message; more bytes travel directly from
// PE to PE.
#include "coll/algorithms/schedule.hpp"
#include "coll/call/sequence.hpp"
#include "coll/protocol/block_positions.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {
namespace {

constexpr int most_domains = 28;  // Each has a step of its own.
constexpr int down_step = 29;
// The most bytes from one domain to another that leaders forward.
constexpr std::size_t most_packed = 32 * 1024;
// Stands for the number of elements of a block that its PE does not put itself.
constexpr std::uint64_t not_mine = UINT64_MAX;

// The tables of a PE, in its bounce buffer, for the other PEs of its domain. `from` and `into` are the positions of the
// PE's blocks in source and dest. The leader writes to `remote` the positions to which the PE puts blocks itself, and
// to `incoming` the number of blocks that other PEs put here.
struct published {
  block_position* from;
  block_position* into;
  block_position* remote;
  std::uint64_t* incoming;

  published(void* memory, int n_pes)
      : from(static_cast<block_position*>(memory)),
        into(from + n_pes),
        remote(into + n_pes),
        incoming(reinterpret_cast<std::uint64_t*>(remote + n_pes)) {}
  static constexpr std::size_t bytes(std::size_t n_pes) { return 3 * n_pes * sizeof(block_position) + 8; }
};

// A combine function that moves bytes into memory that is zero. The result does not depend on which operand is the left
// one.
void merge(void* into, const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) static_cast<char*>(into)[i] |= static_cast<const char*>(from)[i];
}

class hierarchical_alltoallv {
 public:
  explicit hierarchical_alltoallv(const collective_call& call)
      : call_(call), t_(call.members), d_(domains_of(t_)), own_(t_.own_workspace().bounce, t_.n_pes), byte_call_(call) {
    byte_call_.element_bytes = 1;
    byte_call_.combine = merge;
  }

  void run() {
    publish();
    copy_near();
    const bool leads = t_.my_pe == d_.leader();
    if (leads) exchange_positions();
    begin_round(t_, call_.routine);  // the blocks have step slots of their own
    if (leads)
      post(t_);
    else
      await(call_, d_.leader());
    put_far();
    if (leads)
      exchange_blocks();
    else
      step_slots(call_).await_flag(d_.leader(), down_step, 1);
  }

 private:
  std::size_t bytes_of(std::size_t elements) const { return elements * call_.element_bytes; }
  published of(int pe) const {
    return pe == t_.my_pe ? own_ : published(peer_address(t_, pe, t_.own_workspace().bounce), t_.n_pes);
  }

  // ---- all PEs
  void publish() {
    for (int pe = 0; pe < t_.n_pes; ++pe) {
      own_.from[pe] = {call_.from.first[pe], call_.from.counts[pe]};
      own_.into[pe] = {call_.into.first[pe], call_.into.counts[pe]};
      own_.remote[pe] = {0, not_mine};
    }
    *own_.incoming = 0;
    t_.used_workspace = true;
    post(t_);
  }

  // The leader waits until its domain has finished with its bounce buffer, because other leaders write remote.
  void copy_near() {
    copy_own_block(call_);
    d_.for_others(t_.my_pe, [&](int pe) {
      await(call_, pe);
      const block_position theirs = of(pe).from[t_.my_pe];
      check_length(call_, "dest_counts", pe, call_.into.counts[pe], theirs.elements);
      if (theirs.elements != 0)
        read_from(t_, pe, call_.dest + bytes_of(call_.into.first[pe]), call_.source + bytes_of(theirs.first),
                  bytes_of(theirs.elements));
    });
    if (t_.my_pe != d_.leader()) return step_slots(call_).add_deposit(d_.leader());
    step_slots(call_).await_deposits(static_cast<std::uint64_t>(d_.size(d_.mine) - 1));
    keep_own();
  }

  void put_far() {
    const step_slots slots(call_);
    for (const int pe : others(t_)) {
      const block_position remote = own_.remote[pe];
      if (remote.elements == not_mine) continue;
      check_length(call_, "source_counts", pe, call_.from.counts[pe], remote.elements);
      if (remote.elements == 0) continue;
      slots.deposit(pe, {call_.dest + bytes_of(remote.first), call_.source + bytes_of(call_.from.first[pe]),
                         bytes_of(remote.elements)});
    }
    slots.await_deposits(*own_.incoming);
  }

  // ---- leaders
  // Moves the leader's tables into private memory, and reserves a buffer for outgoing and one for incoming messages.
  void keep_own() {
    const auto n = static_cast<std::size_t>(t_.n_pes), m = static_cast<std::size_t>(d_.largest);
    const std::size_t tables = round_up(published::bytes(n), sizeof(block_position));
    const std::size_t message = std::max(m * m * sizeof(block_position), most_packed);
    char* const memory = scratch_of(t_, tables + 2 * message, call_.routine);
    memcpy(memory, own_.from, published::bytes(n));
    own_ = published(memory, t_.n_pes);
    out_ = memory + tables;
    in_ = out_ + message;
  }

  // Calls visit(PE of this domain, PE of domain `which`) for each pair. Two leaders visit the same pairs in the same
  // order if exactly one of them sets `theirs_outside`.
  template <class Visit>
  void for_pairs(int which, bool theirs_outside, Visit visit) const {
    const int outside = theirs_outside ? d_.size(which) : d_.size(d_.mine);
    const int inside = theirs_outside ? d_.size(d_.mine) : d_.size(which);
    for (int i = 0; i < outside; ++i)
      for (int j = 0; j < inside; ++j)
        theirs_outside ? visit(d_.pe(d_.mine, j), d_.pe(which, i)) : visit(d_.pe(d_.mine, i), d_.pe(which, j));
  }
  std::size_t bytes_to(int which) const {
    std::size_t elements = 0;
    for_pairs(which, false, [&](int mine, int theirs) { elements += of(mine).from[theirs].elements; });
    return bytes_of(elements);
  }
  std::size_t bytes_from(int which) const {
    std::size_t elements = 0;
    for_pairs(which, true, [&](int mine, int theirs) { elements += of(mine).into[theirs].elements; });
    return bytes_of(elements);
  }

  // Positions travel in the opposite direction of the blocks.
  void exchange_positions() {
    put_protocol protocol(byte_call_);
    for (int step = 1; step < d_.count; ++step) {
      const int to = d_.after_mine(step), from = d_.after_mine(d_.count - step);
      auto* next = reinterpret_cast<block_position*>(out_);
      for_pairs(from, true, [&](int mine, int theirs) { *next++ = of(mine).into[theirs]; });
      const std::size_t out = static_cast<std::size_t>(reinterpret_cast<char*>(next) - out_);
      const std::size_t in = static_cast<std::size_t>(d_.size(to) * d_.size(d_.mine)) * sizeof(block_position);
      memset(in_, 0, in);
      protocol.exchange(step, {d_.leaders[from], out_, out}, {d_.leaders[to], in_, in});
      enter_positions(to);
      if (bytes_from(from) > most_packed) count_incoming(from);
    }
  }
  // Stores positions for the PEs that put blocks themselves. If lengths differ, the PE gets the position to report
  // that.
  void enter_positions(int to) {
    const bool direct = bytes_to(to) > most_packed;
    auto* next = reinterpret_cast<const block_position*>(in_);
    for_pairs(to, false, [&](int mine, int theirs) {
      const block_position remote = *next++;
      if (direct || of(mine).from[theirs].elements != remote.elements) of(mine).remote[theirs] = remote;
    });
  }
  void count_incoming(int from) {
    for_pairs(from, true, [&](int mine, int theirs) { *of(mine).incoming += of(mine).into[theirs].elements != 0; });
  }

  void exchange_blocks() {
    put_protocol protocol(byte_call_);
    for (int step = 1; step < d_.count; ++step) {
      const int to = d_.after_mine(step), from = d_.after_mine(d_.count - step);
      const std::size_t out = packed(bytes_to(to)), in = packed(bytes_from(from));
      if (out != 0) pack(to);
      memset(in_, 0, in);
      protocol.exchange(step, {out != 0 ? d_.leaders[to] : -1, out_, out}, {in != 0 ? d_.leaders[from] : -1, in_, in});
      if (in != 0) unpack(from);
    }
    d_.for_others(t_.my_pe, [&](int pe) { step_slots(call_).raise(pe, down_step, 1); });
  }
  static std::size_t packed(std::size_t bytes) { return bytes <= most_packed ? bytes : 0; }
  void pack(int to) {
    char* next = out_;
    for_pairs(to, false, [&](int mine, int theirs) {
      const block_position block = of(mine).from[theirs];
      if (block.elements != 0)
        read_from(t_, mine, next, call_.source + bytes_of(block.first), bytes_of(block.elements));
      next += bytes_of(block.elements);
    });
  }
  void unpack(int from) {
    const char* next = in_;
    for_pairs(from, true, [&](int mine, int theirs) {
      const block_position block = of(mine).into[theirs];
      if (block.elements != 0) write_to(t_, mine, call_.dest + bytes_of(block.first), next, bytes_of(block.elements));
      next += bytes_of(block.elements);
    });
  }

  const collective_call& call_;
  team& t_;
  const domains& d_;
  published own_;
  collective_call byte_call_;  // the same call, with elements of one byte
  char* out_ = nullptr;
  char* in_ = nullptr;
};

double cost(const team_shape& s) {
  if (!has_hierarchy(s) || s.domains > most_domains) return impossible;
  if (published::bytes(static_cast<std::size_t>(s.n_pes)) > bounce_bytes) return impossible;
  const double others = s.domains - 1;
  const team_shape near = within_domain(s);
  return protocol_cost<put_protocol>(among_leaders(s), 2 * others, s.domain) + steps(near, 3) +
         lines(near, 3.0 * s.n_pes) + copies_alone(near, 2.0 * s.domain * static_cast<double>(s.bytes));
}

}  // namespace

constexpr algorithm hierarchical_put_alltoallv = domain_algorithm<run_as<hierarchical_alltoallv>, cost>(
    kind::alltoallv,
    {.about =
         "leaders exchange positions and forward up to 32 KiB per pair of domains; PEs put more than that directly",
     .needs = "2 to 28 domains (nodes, or OSHEN_COLL_DOMAIN); at most 1365 PEs",
     .steps = "3 + 2 (d - 1)",
     .traffic = "2 d (d - 1) messages, or one for each block, between nodes; every block copied at most three times"});

}  // namespace oshen::coll
