// The PEs of this PE's node: those whose memory is mapped here.
//
// The launcher, OSHEN_NODE_PES or the identity of the machine proposes the PEs of a node. A PE proves that it belongs
// to the node by mapping the node's segment and finding the leader's nonce in it (startup/attach.cpp). A PE that cannot
// map the segment is on another node, even if it has the same host name.
#pragma once

#include <cstdint>

namespace oshen {

struct locality {
  int n_pes = 0;              // PEs of this node, including this one
  int mine = 0;               // the number of this PE's slice
  int first = 0;              // the number of the node's first PE in the job
  const int* list = nullptr;  // owned, ascending: the node's PEs; null if they are first, first + 1, ...

  // The number of the slice of PE `pe` of the job; -1 if it is on another node.
  int slice_of(int pe) const {
    if (list == nullptr) return pe >= first && pe - first < n_pes ? pe - first : -1;
    return search(pe);
  }
  int pe_at(int slice) const { return list != nullptr ? list[slice] : first + slice; }
  int leader() const { return pe_at(0); }  // creates the node's segment
  // Copies the ascending list `pes`. False if there is no memory.
  bool set(const int* pes, int n, int own_pe);
  void close();

 private:
  int search(int pe) const;
};

}  // namespace oshen
