// Which PEs are on this PE's node: those whose memory is mapped here. Nothing else about a peer's place matters.
//
// Who they are is proposed, by the launcher, by OSHEN_NODE_PES or by the identity of the machine, and then proven, by
// mapping the node's segment and finding the leader's nonce in it (attach.cpp). A PE that cannot map it is on another
// node, whatever the names of hosts say.
#pragma once

#include <cstdint>

namespace oshen {

struct locality {
  int n_pes = 0;              // on this node, this one included
  int mine = 0;               // the number of this PE's slice
  int first = 0;              // they are first, first + 1 ... of the job ...
  const int* list = nullptr;  // ... or these, ascending; owned

  // The number of the slice of PE `pe` of the job; -1: it is on another node.
  int slice_of(int pe) const {
    if (list == nullptr) return pe >= first && pe - first < n_pes ? pe - first : -1;
    return search(pe);
  }
  int pe_at(int slice) const { return list != nullptr ? list[slice] : first + slice; }
  int leader() const { return pe_at(0); }  // makes the node's segment
  // The PEs in `pes`, ascending (borrowed); false: no memory.
  bool set(const int* pes, int n, int own_pe);
  void close();

 private:
  int search(int pe) const;
};

}  // namespace oshen
