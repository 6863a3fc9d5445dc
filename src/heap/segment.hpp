// The node segment: one shared memory object that holds the symmetric memory of every PE of the node.
//
//   [ node page | slice of PE 0 | slice of PE 1 | ... ]
//   slice = [ control | static data | heap | team heap | annex ]
//
// All slices have one stride and the whole object is mapped once, so that one addition finds a peer's object:
// address + (peer - me) * stride. Slices and heaps start at multiples of `alignment` in every process, so that an
// object has the same alignment everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace oshen::heap {

inline constexpr std::size_t alignment = std::size_t{2} << 20;  // the largest alignment that shmem_align supports

// Where each PE has its heap under OSHEN_ONE_ADDRESS=1: 32 TiB, far from programs, libraries and stacks.
inline constexpr std::uintptr_t common_address = std::uintptr_t{1} << 45;

struct segment_layout {
  std::size_t node_bytes = 0;  // the node page, before the first slice
  std::size_t control_bytes = 0;
  std::size_t data_bytes = 0;  // static data of the executable
  std::size_t heap_bytes = 0;
  std::size_t team_bytes = 0;   // of the team heap: the blocks of teams
  std::size_t annex_bytes = 0;  // data that most jobs never touch
  int n_slices = 0;
  int own_slice = 0;         // of the calling process
  bool one_address = false;  // the process maps its own heap at common_address

  std::size_t data_offset() const;  // within a slice
  std::size_t heap_offset() const;
  std::size_t team_begin() const;       // of the team heap, within the heap
  std::size_t symmetric_bytes() const;  // of the heap with the team heap
  std::size_t annex_offset() const;
  std::size_t stride() const;
  std::size_t total() const;
  // Bytes that the PEs of the node touch before the program runs: all but heaps and annexes.
  std::size_t touched_at_start() const;
};

// A mapping of the node segment in this process.
class segment {
 public:
  segment() = default;
  segment(const segment&) = delete;
  segment& operator=(const segment&) = delete;

  // Creates the object and maps it. One PE of the node does this.
  status create(const segment_layout& plan);
  // Maps an object that another PE created, and takes over `fd`.
  status attach(const segment_layout& plan, int fd);
  // For unit tests, whose PEs are threads: uses `n` slices, from `first` on, of a mapping that another segment owns.
  void share(const segment& owner, int first, int n);
  void close();

  const segment_layout& plan() const { return plan_; }
  int descriptor() const { return fd_; }
  char* node() const { return base_; }
  std::size_t stride() const { return stride_; }
  char* slice(int i) const { return slices_ + static_cast<std::size_t>(i) * stride_; }
  char* data(int i) const { return slice(i) + plan_.data_offset(); }
  char* heap(int i) const { return slice(i) + plan_.heap_offset(); }
  char* annex(int i) const { return slice(i) + plan_.annex_offset(); }

 private:
  status map(const segment_layout& plan);
  // `mapped_` bytes of address space for the object, at an aligned address; null if there are none.
  char* reserve() const;

  segment_layout plan_;
  char* base_ = nullptr;
  char* slices_ = nullptr;
  std::size_t stride_ = 0;   // plan_.stride()
  void* mapping_ = nullptr;  // null if another segment owns it
  std::size_t mapped_ = 0;
  int fd_ = -1;
};

}  // namespace oshen::heap
