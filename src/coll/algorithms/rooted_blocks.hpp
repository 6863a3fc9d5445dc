// The blocks of a gather in the root's dest, of a scatter in the root's source. Equal ones lie one behind the other, as
// every PE knows; those of gatherv and scatterv lie as the root's table says, which it alone has: it must tell.
#pragma once

#include "coll/algorithms/schedule.hpp"
#include "coll/protocol/block_positions.hpp"

namespace oshen::coll {

class root_blocks {
 public:
  root_blocks(const collective_call& call, const block_table& table) : call_(call), table_(table) {}

  // Where the block of PE `pe` is: on the root, and anywhere if blocks are equal.
  block_position at(int pe) const {
    if (call_.blocks_differ) return {table_.first[pe], table_.elements[pe]};
    return {static_cast<std::size_t>(pe) * call_.elements, call_.elements};
  }
  std::size_t offset(int pe) const { return at(pe).first * call_.element_bytes; }
  std::size_t bytes(int pe) const { return at(pe).elements * call_.element_bytes; }

  // By flag slot: the root posts where the blocks are, the others wait for it. Returns the offset of this PE's block.
  std::size_t tell() const {
    team& t = call_.members;
    const bool root = t.my_pe == call_.root;
    if (!call_.blocks_differ) {
      if (root)
        post(t);
      else
        await(call_, call_.root);
      return offset(t.my_pe);
    }
    block_position own{};
    for_each_round(call_, [&](position_round r) {
      if (root)
        post_positions(call_, r, table_);
      else if (r.serves(t.my_pe))
        own = await_position(call_, r, call_.root);
    });
    return checked(root ? at(t.my_pe) : own);
  }

  // The same by cells, which reach other nodes: the root tells PE after PE; nobody tells where all know.
  void send_offset(int pe) const {
    if (call_.blocks_differ) send_position(step_slots(call_), pe, at(pe));
  }
  std::size_t receive_offset() const {
    return call_.blocks_differ ? checked(receive_position(step_slots(call_), call_.root)) : offset(call_.members.my_pe);
  }

  // The root's own block, of which it has both ends: in dest, in source.
  void copy_own(char* to, const char* from) const {
    checked(at(call_.members.my_pe));
    if (call_.elements != 0) memmove(to, from, call_.bytes());
  }

 private:
  std::size_t checked(const block_position& own) const {
    check_length(call_, "nelems", call_.elements, call_.root, own.elements);
    return own.first * call_.element_bytes;
  }

  const collective_call& call_;
  const block_table& table_;
};

// Blocks that are left where they are until somebody on the node takes them. Small ones travel in the flag slots of
// those who give them, who go at once.

// Leaves this PE's block to PE `taker`, which posts when it has taken all that it takes.
inline void leave_block(const collective_call& call, int taker) {
  const bool small = call.bytes() <= flag_payload;
  post(call.members, call.elements, call.source, small ? call.bytes() : 0);
  if (!small) await(call, taker);
}

// Takes the block of PE `pe`, which must have so many elements.
inline void take_block(const collective_call& call, int pe, std::size_t elements, char* to) {
  const std::size_t left = await(call, pe).value;
  check_length(call, "dest_counts", pe, elements, left);
  const std::size_t bytes = left * call.element_bytes;
  if (bytes == 0) return;
  if (bytes <= flag_payload)
    memcpy(to, payload_of(call.members, pe, bytes), bytes);
  else
    read_from(call.members, pe, to, call.source, bytes);
}

// Schedules with a root on two levels: the root leads its own domain, and speaks with the leaders of the others.

class root_leaders {
 public:
  root_leaders(const collective_call& call, const block_table& table)
      : call_(call), t_(call.members), d_(domains_of(call.members)), slots_(call), blocks_(call, table) {}

 protected:
  int leader() const { return d_.leader(d_.mine, call_.root); }
  bool is_root() const { return t_.my_pe == call_.root; }
  int size() const { return d_.size(d_.mine); }
  char* bounce() const { return reinterpret_cast<char*>(t_.own_workspace().bounce); }

  // Before the root sends to leaders what does not fit into a cell: their bounce buffers are free once they are here.
  void open_bounce_buffers() const {
    if (is_root())
      slots_.await_deposits(static_cast<std::uint64_t>(d_.count - 1));
    else
      slots_.add_deposit(call_.root);
  }
  // The root: calls serve(domain) for all other domains, from the next one on.
  template <class Serve>
  void for_other_domains(Serve serve) const {
    for (int step = 1; step < d_.count; ++step) serve(d_.after_mine(step));
  }

  const collective_call& call_;
  team& t_;
  const domains& d_;
  step_slots slots_;
  root_blocks blocks_;
};

// The root hears or serves all leaders at once; in each domain the leader takes or hands out the blocks. Between nodes
// so many steps and messages for each leader.
inline double root_leaders_cost(const team_shape& s, double rounds, double messages) {
  if (!has_hierarchy(s)) return impossible;
  team_shape leaders = among_leaders(s);
  leaders.bytes *= static_cast<std::size_t>(s.domain);
  const team_shape near = within_domain(s);
  return root_at_once_cost<put_protocol>(leaders, rounds, messages) + steps(near, 2) + lines(near, near.n_pes) +
         copies_alone(near, static_cast<double>(leaders.bytes));
}

}  // namespace oshen::coll
