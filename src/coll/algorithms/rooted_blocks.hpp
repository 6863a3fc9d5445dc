// The blocks of a gather in the root's dest, and of a scatter in the root's source. Equal blocks are contiguous, so
// every PE knows their offsets. The blocks of gatherv and scatterv have the positions in the root's table. Only the
// root has that table, so it must send the positions to the other PEs.
#pragma once

#include "coll/algorithms/schedule.hpp"
#include "coll/protocol/block_positions.hpp"

namespace oshen::coll {

class root_blocks {
 public:
  root_blocks(const collective_call& call, const block_table& table) : call_(call), table_(table) {}

  // The position of the block of PE `pe`. If blocks differ, only the root may call this.
  block_position at(int pe) const {
    if (call_.blocks_differ) return {table_.first[pe], table_.counts[pe]};
    return {static_cast<std::size_t>(pe) * call_.elements, call_.elements};
  }
  std::size_t offset(int pe) const { return at(pe).first * call_.element_bytes; }
  std::size_t bytes(int pe) const { return at(pe).elements * call_.element_bytes; }

  // The offset of this PE's block, and a number that the root passes to all PEs.
  struct told {
    std::size_t offset;
    std::uint64_t note;
  };
  // The root posts its note and the positions in its flag slot, and the other PEs wait for them.
  told tell(std::uint64_t note = 0) const {
    team& t = call_.members;
    const bool root = t.my_pe == call_.root;
    if (!call_.blocks_differ) {
      if (root)
        post(t, note);
      else
        note = await(call_, call_.root).value;
      return {offset(t.my_pe), note};
    }
    block_position own = root ? at(t.my_pe) : block_position{};
    for_each_round(call_, [&](position_round r) {
      if (root) return post_positions(call_, r, table_, note);
      if (!r.serves(t.my_pe)) return;
      note = await(call_, call_.root).value;
      own = own_position(call_, r, payload_of(t, call_.root, r.bytes()));
    });
    return {checked(own), note};
  }

  // The same by step slots, which reach other nodes. The root sends to one PE after the other. Equal blocks need no
  // message, because every PE knows their offsets.
  void send_offset(int pe) const {
    if (call_.blocks_differ) send_position(step_slots(call_), pe, at(pe));
  }
  std::size_t receive_offset() const {
    return call_.blocks_differ ? checked(receive_position(step_slots(call_), call_.root)) : offset(call_.members.my_pe);
  }

  // Copies the root's own block, which the root both sends and receives.
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

// A block stays in its source until another PE of the node takes it. A small block travels in the flag slot of its
// owner, which therefore leaves at once. The flag slot of a long block has the offset of its source in the slice: the
// source of a root may be elsewhere.

// Offers this PE's block to PE `taker`, which posts when it has taken all its blocks.
inline void leave_block(const collective_call& call, int taker) {
  team& t = call.members;
  if (call.bytes() <= flag_payload) return post(t, call.elements, call.source, call.bytes());
  const std::uint64_t offset = offset_in_slice(t, call.source);
  post(t, call.elements, &offset, sizeof offset);
  await(call, taker);
}

// Takes the block of PE `pe`, which must have `elements` elements.
inline void take_block(const collective_call& call, int pe, std::size_t elements, char* to) {
  const std::size_t left = await(call, pe).value;
  check_length(call, "dest_counts", pe, elements, left);
  const std::size_t bytes = left * call.element_bytes;
  if (bytes == 0) return;
  if (bytes <= flag_payload) {
    memcpy(to, payload_of(call.members, pe, bytes), bytes);
    return;
  }
  std::uint64_t offset = 0;
  memcpy(&offset, payload_of(call.members, pe, sizeof offset), sizeof offset);
  read_from(call.members, pe, to, object_at(call.members, offset), bytes);
}

// Base of hierarchical algorithms with a root. The root leads its own domain, and communicates with the other leaders.

class root_leaders {
 public:
  root_leaders(const collective_call& call, const block_table& table)
      : call_(call), t_(call.members), d_(domains_of(call.members)), slots_(call), blocks_(call, table) {}

 protected:
  int leader() const { return d_.leader(d_.mine, call_.root); }
  bool is_root() const { return t_.my_pe == call_.root; }
  int size() const { return d_.size(d_.mine); }
  char* bounce() const { return reinterpret_cast<char*>(t_.own_workspace().bounce); }

  // Needed before the root sends to leaders data that does not fit into a step slot. The bounce buffer of a leader is
  // free once the leader has entered.
  void open_bounce_buffers() const {
    if (is_root())
      slots_.await_deposits(static_cast<std::uint64_t>(d_.count - 1));
    else
      slots_.add_deposit(call_.root);
  }
  // On the root: calls serve(domain) for each other domain, beginning with the next one.
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

// The root communicates with all leaders at the same time, and each leader takes or distributes the blocks of its
// domain. Between nodes there are `rounds` steps, with `messages` messages for each leader.
inline double root_leaders_cost(const team_shape& s, double rounds, double messages) {
  if (!has_hierarchy(s)) return impossible;
  team_shape leaders = among_leaders(s);
  leaders.bytes *= static_cast<std::size_t>(s.domain);
  const team_shape near = within_domain(s);
  return root_at_once_cost<put_protocol>(leaders, rounds, messages) + steps(near, 2) + lines(near, near.n_pes) +
         copies_alone(near, static_cast<double>(leaders.bytes));
}

}  // namespace oshen::coll
