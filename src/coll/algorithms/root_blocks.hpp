// The blocks of a gather in the root's dest, of a scatter in the root's source. Equal ones lie one behind the other, as
// every PE knows; those of gatherv and scatterv lie as the root's table says, which it alone has: it must tell.
#pragma once

#include "coll/protocol/remote_block_positions.hpp"

namespace oshen::coll {

class root_blocks {
 public:
  root_blocks(const task& job, const block_table& table) : job_(job), table_(table) {}

  // Where the block of PE `pe` is: on the root, and anywhere if blocks are equal.
  block_position at(int pe) const {
    if (job_.blocks_differ) return {table_.first[pe], table_.elements[pe]};
    return {static_cast<std::size_t>(pe) * job_.elements, job_.elements};
  }
  std::size_t offset(int pe) const { return at(pe).first * job_.element_bytes; }
  std::size_t bytes(int pe) const { return at(pe).elements * job_.element_bytes; }

  // By flag slot: the root posts where the blocks are, the others wait for it. Returns the offset of this PE's block.
  std::size_t tell() const {
    team& t = job_.members;
    const bool root = t.my_pe == job_.root;
    if (!job_.blocks_differ) {
      if (root) post(t);
      else await(job_, job_.root);
      return offset(t.my_pe);
    }
    block_position own{};
    for_each_round(job_, [&](position_round r) {
      if (root) post_positions(job_, r, table_);
      else if (r.serves(t.my_pe)) own = await_position(job_, r, job_.root);
    });
    return checked(root ? at(t.my_pe) : own);
  }

  // The same by cells, which reach other nodes: the root tells PE after PE; nobody tells where all know.
  void tell_by_cell(int pe) const {
    if (job_.blocks_differ) tell_position(cells(job_), pe, at(pe));
  }
  std::size_t hear_by_cell() const {
    return job_.blocks_differ ? checked(hear_position(cells(job_), job_.root)) : offset(job_.members.my_pe);
  }

  // The root's own block, of which it has both ends: in dest, in source.
  void copy_own(char* to, const char* from) const {
    checked(at(job_.members.my_pe));
    if (job_.elements != 0) memmove(to, from, job_.bytes());
  }

 private:
  std::size_t checked(const block_position& own) const {
    check_length(job_, "nelems", job_.elements, job_.root, own.elements);
    return own.first * job_.element_bytes;
  }

  const task& job_;
  const block_table& table_;
};

}  // namespace oshen::coll
