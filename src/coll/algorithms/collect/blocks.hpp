// Blocks of fcollect, which have equal sizes, and of collect, which have different sizes. Both collectives use the same
// schedules.
#pragma once

#include <algorithm>

#include "coll/algorithms/schedule.hpp"
#include "coll/protocol/small_allgather.hpp"

namespace oshen::coll {

// The offsets of the blocks in dest. In a collect all PEs have already posted their counts.
class blocks {
 public:
  // For collect, the offsets are computed in private memory of the team.
  static blocks of(const collective_call& call) {
    if (!counts_differ(call)) return blocks(call, nullptr);
    const auto n = static_cast<std::size_t>(call.members.n_pes);
    auto* begins =
        reinterpret_cast<std::size_t*>(scratch_of(call.members, (n + 1) * sizeof(std::size_t), call.routine));
    begins[0] = 0;
    for (std::size_t pe = 0; pe < n; ++pe)
      begins[pe + 1] = begins[pe] + count_of(call, static_cast<int>(pe)) * call.element_bytes;
    return blocks(call, begins);
  }

  std::size_t begin(int pe) const {
    const auto at = static_cast<std::size_t>(pe);
    return begins_ != nullptr ? begins_[at] : at * each_;
  }
  std::size_t bytes(int first, int count) const { return begin(first + count) - begin(first); }
  // The address in dest of the block of PE `pe`.
  char* address(int pe) const { return dest_ + begin(pe); }

  // The address of the source block of PE `pe`.
  static const char* source(const collective_call& call, int pe) {
    return counts_differ(call) ? source_of(call, pe) : call.source;
  }

  // Copies this PE's own block from source to dest.
  void fill_own(const collective_call& call) const {
    char* own = address(call.members.my_pe);
    if (own != call.source && call.elements != 0) memmove(own, call.source, call.bytes());
  }

  // Sends this PE's own block from source, so that fill_own() may come later.
  template <class Protocol>
  void send_own(Protocol& protocol, int to, int step, const collective_call& call) const {
    if (call.elements != 0) protocol.send(to, step, call.source, address(call.members.my_pe), call.bytes());
  }

  // Send or receive `count` blocks from `first` on, cyclically: in one message, or in two if the blocks wrap at the end
  // of the team. Empty messages are not sent, because every PE knows all sizes.
  template <class Protocol>
  void send(Protocol& protocol, int to, int step, int first, int count) const {
    for_runs(first, count, [&](char* run, std::size_t bytes) { protocol.send(to, step, run, run, bytes); });
  }
  template <class Protocol>
  void receive(Protocol& protocol, int from, int step, int first, int count) const {
    for_runs(first, count, [&](char* run, std::size_t bytes) { protocol.receive(from, step, run, bytes); });
  }

 private:
  static bool counts_differ(const collective_call& call) { return call.entered; }

  blocks(const collective_call& call, const std::size_t* begins)
      : dest_(call.dest), each_(call.bytes()), begins_(begins), n_(call.members.n_pes) {}

  template <class Visit>
  void for_runs(int first, int count, Visit visit) const {
    const int straight = std::min(count, n_ - first);
    if (const std::size_t b = bytes(first, straight); b != 0) visit(address(first), b);
    if (count == straight) return;
    if (const std::size_t b = bytes(0, count - straight); b != 0) visit(address(0), b);
  }

  char* dest_;
  std::size_t each_;
  const std::size_t* begins_;
  int n_;
};

}  // namespace oshen::coll
