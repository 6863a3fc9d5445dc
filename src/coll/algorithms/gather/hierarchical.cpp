// Hierarchical: the leader of each domain takes the blocks of its PEs and puts them into the root's dest. Blocks that
// are adjacent there go in one put. The root leads its own domain. In gatherv it first sends each leader the positions
// of its blocks.
#include "coll/algorithms/rooted_blocks.hpp"

namespace oshen::coll {
namespace {

class gathering : root_leaders {
 public:
  explicit gathering(const collective_call& call) : root_leaders(call, call.into) {}

  void run() {
    if (t_.my_pe != leader()) return leave_block(call_, leader());
    if (call_.blocks_differ) is_root() ? tell_positions() : hear_positions();
    if (is_root()) return take_all();
    char* const packed = take_own_domain();
    post(t_);
    put_packed(packed);
    slots_.add_deposit(call_.root);
  }

 private:
  static constexpr int tell_step = 0;

  void take_all() {
    d_.for_others(t_.my_pe, [&](int pe) { take_block(call_, pe, blocks_.at(pe).elements, address(blocks_.at(pe))); });
    post(t_);
    blocks_.copy_own(address(blocks_.at(t_.my_pe)), call_.source);
    slots_.await_deposits(static_cast<std::uint64_t>(d_.count - 1));
  }

  // The address of a block in the root's dest.
  char* address(const block_position& p) const { return call_.dest + p.first * call_.element_bytes; }

  // Each leader gets one message with the positions of the blocks of its PEs.
  std::size_t table_bytes_of(int pes) const { return static_cast<std::size_t>(pes) * sizeof(block_position); }
  void tell_positions() {
    auto* const table = reinterpret_cast<block_position*>(scratch_of(t_, table_bytes_of(d_.largest), call_.routine));
    if (table_bytes_of(d_.largest) > step_payload) open_bounce_buffers();
    for_other_domains([&](int which) {
      for (int i = 0; i < d_.size(which); ++i) table[i] = blocks_.at(d_.pe(which, i));
      slots_.send(d_.leaders[which], tell_step, 1, table, bounce(), table_bytes_of(d_.size(which)));
    });
  }
  void hear_positions() {
    if (table_bytes_of(d_.largest) > step_payload) open_bounce_buffers();
    slots_.receive(call_.root, tell_step, 1, bounce(), table_bytes_of(size()));
  }
  // The position of the block of the PE with index `i` in this domain.
  block_position position(int i) const {
    if (call_.blocks_differ) return reinterpret_cast<const block_position*>(bounce())[i];
    return blocks_.at(d_.pe(d_.mine, i));
  }

  char* take_own_domain() {
    std::size_t elements = 0;
    for (int i = 0; i < size(); ++i) elements += position(i).elements;
    char* const packed = scratch_of(t_, elements * call_.element_bytes, call_.routine);
    char* next = packed;
    for (int i = 0; i < size(); ++i) {
      const std::size_t own = position(i).elements;
      if (const int pe = d_.pe(d_.mine, i); pe != t_.my_pe)
        take_block(call_, pe, own, next);
      else
        copy_own(next, own);
      next += own * call_.element_bytes;
    }
    return packed;
  }
  void copy_own(char* to, std::size_t elements) const {
    check_length(call_, "nelems", call_.elements, call_.root, elements);
    if (elements != 0) memcpy(to, call_.source, call_.bytes());
  }

  void put_packed(const char* from) {
    for (int i = 0; i < size();) {
      block_position run = position(i);
      for (++i; i < size() && position(i).first == run.first + run.elements; ++i) run.elements += position(i).elements;
      const std::size_t bytes = run.elements * call_.element_bytes;
      if (bytes != 0) write_to(t_, call_.root, address(run), from, bytes);
      from += bytes;
    }
  }
};

double cost(const team_shape& s) { return root_leaders_cost(s, 1, 2); }
double told_cost(const team_shape& s) { return root_leaders_cost(s, 2, 4); }

}  // namespace

constexpr algorithm hierarchical_put_gather = domain_algorithm<run_as<gathering>, cost>(
    kind::gather, {.about = "leaders take the blocks of their domains and put them into the root's dest",
                   .steps = "2",
                   .traffic = "2 (n - 1) messages, 2 (d - 1) of them between nodes; (n - 1) b bytes"});
constexpr algorithm hierarchical_put_gatherv =
    hierarchical_put_gather.as(kind::gatherv)
        .with("3", "2 (n - d) messages, and 4 (d - 1) between nodes; every block copied at most twice")
        .at(told_cost);

}  // namespace oshen::coll
