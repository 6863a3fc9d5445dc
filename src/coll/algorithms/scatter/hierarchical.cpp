// Hierarchical: the root packs the blocks of each domain into one message for its leader, which distributes them. The
// root leads its own domain. In scatterv it first sends each leader the lengths of the blocks. If they do not fit into
// the leader's bounce buffer, the root sends each block directly to its PE.
#include "coll/algorithms/rooted_blocks.hpp"
#include "coll/algorithms/scatter/delivery.hpp"

namespace oshen::coll {
namespace {

// Steps. Step 0 is also that of send_position(), which a leader uses to send to its domain.
constexpr int length_step = 0, pack_step = 1;

class scattering : root_leaders {
 public:
  explicit scattering(const collective_call& call) : root_leaders(call, call.from), block_delivery_(call) {}

  void run() {
    if (t_.my_pe != leader()) return take_block(leader());
    if (call_.blocks_differ || bytes_of(static_cast<std::size_t>(d_.largest) * call_.elements) > step_payload)
      open_bounce_buffers();
    if (is_root()) return serve();
    const bool packed = hear_leader();
    const char* next = blocks();
    for (int i = 0; i < size(); ++i) {
      hand_out(d_.pe(d_.mine, i), length_of(i), packed ? next : nullptr);
      next += bytes_of(length_of(i));
    }
  }

 private:
  // ---- the root
  void serve() {
    for_other_domains([&](int which) {
      std::size_t elements = 0;
      for (int i = 0; i < d_.size(which); ++i) elements += blocks_.at(d_.pe(which, i)).elements;
      if (call_.blocks_differ) tell_lengths(which);
      if (fits(d_.size(which), elements))
        send_packed(which, bytes_of(elements));
      else
        for_domain(which, [&](int pe) { block_delivery_.give(pe, source(pe), blocks_.bytes(pe)); });
    });
    d_.for_others(t_.my_pe, [&](int pe) { hand_out(pe, blocks_.at(pe).elements, source(pe)); });
    blocks_.copy_own(call_.dest, source(t_.my_pe));
  }
  const char* source(int pe) const { return call_.source + blocks_.offset(pe); }

  template <class Visit>
  void for_domain(int which, Visit visit) const {
    for (int i = 0; i < d_.size(which); ++i) visit(d_.pe(which, i));
  }

  void tell_lengths(int which) {
    auto* next = reinterpret_cast<std::uint64_t*>(scratch_of(t_, table_bytes(d_.largest), call_.routine));
    const auto* const table = next;
    for_domain(which, [&](int pe) { *next++ = blocks_.at(pe).elements; });
    slots_.send(d_.leaders[which], length_step, 1, table, bounce(), table_bytes(d_.size(which)));
  }

  void send_packed(int which, std::size_t bytes) {
    char* const packed = scratch_of(t_, bytes, call_.routine);
    char* next = packed;
    for_domain(which, [&](int pe) {
      if (blocks_.bytes(pe) != 0) memcpy(next, source(pe), blocks_.bytes(pe));
      next += blocks_.bytes(pe);
    });
    slots_.send(d_.leaders[which], pack_step, 1, packed, bounce() + tables_of(d_.size(which)), bytes);
  }

  // ---- a leader: its bounce buffer contains the lengths, if they differ, and the blocks behind them
  std::size_t table_bytes(int pes) const { return static_cast<std::size_t>(pes) * sizeof(std::uint64_t); }
  std::size_t tables_of(int pes) const { return call_.blocks_differ ? table_bytes(pes) : 0; }
  bool fits(int pes, std::size_t elements) const { return tables_of(pes) + bytes_of(elements) <= bounce_bytes; }
  char* blocks() const { return bounce() + tables_of(size()); }
  std::size_t bytes_of(std::size_t elements) const { return elements * call_.element_bytes; }
  std::size_t length_of(int i) const {
    return call_.blocks_differ ? reinterpret_cast<const std::uint64_t*>(bounce())[i] : call_.elements;
  }

  // Returns false if the root sends each block directly to its PE.
  bool hear_leader() {
    if (call_.blocks_differ) slots_.receive(call_.root, length_step, 1, bounce(), table_bytes(size()));
    std::size_t elements = 0;
    for (int i = 0; i < size(); ++i) elements += length_of(i);
    const bool packed = fits(size(), elements);
    if (packed) slots_.receive(call_.root, pack_step, 1, blocks(), bytes_of(elements));
    return packed;
  }

  // ---- from a leader or the root to a PE of its domain; if `block` is null, the root sends the block
  void hand_out(int pe, std::size_t elements, const char* block) {
    if (pe == t_.my_pe) return keep(elements, block);
    if (call_.blocks_differ) send_position(slots_, pe, {block == nullptr, elements});
    if (block != nullptr) block_delivery_.give(pe, block, bytes_of(elements));
  }

  // ---- the receiver of a block
  void keep(std::size_t elements, const char* block) {
    check_length(call_, "nelems", call_.elements, call_.root, elements);
    if (block == nullptr)
      block_delivery_.take(call_.root);
    else if (elements != 0)
      memcpy(call_.dest, block, call_.bytes());
  }
  void take_block(int giver) {
    if (call_.blocks_differ) {
      const block_position position = receive_position(slots_, giver);
      check_length(call_, "nelems", call_.elements, call_.root, position.elements);
      if (position.first != 0) giver = call_.root;
    }
    block_delivery_.take(giver);
  }

  block_delivery block_delivery_;
};

double cost(const team_shape& s) {
  const std::size_t packed = static_cast<std::size_t>(s.domain) * s.bytes;
  if (packed > bounce_bytes) return impossible;
  return packed <= step_payload ? root_leaders_cost(s, 1, 2) : root_leaders_cost(s, 2, 3);
}
double told_cost(const team_shape& s) { return root_leaders_cost(s, 2, 5); }

constexpr const char* what =
    "the root packs the blocks of a domain into one message to its leader, which distributes them";

}  // namespace

constexpr algorithm hierarchical_put_scatter = domain_algorithm<run_as<scattering>, cost>(
    kind::scatter, {.about = what,
                    .needs = "several domains (nodes, or OSHEN_COLL_DOMAIN); m b up to 64 KiB",
                    .steps = "3",
                    .traffic = "n - 1 messages, 3 (d - 1) of them between nodes; (n - 1) b bytes twice"});
constexpr algorithm hierarchical_put_scatterv = domain_algorithm<run_as<scattering>, told_cost>(
    kind::scatterv, {.about = what,
                     .steps = "3",
                     .traffic = "2 (n - d) messages, and 5 (d - 1) between nodes; every block copied twice, or once if "
                                "the blocks of a domain exceed 64 KiB"});

}  // namespace oshen::coll
