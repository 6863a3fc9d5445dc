// The node segment: one shared memory object that holds the symmetric memory of every PE of the node.
//
//   [ node page | slice of PE 0 | slice of PE 1 | ... ]        slice = [ control | static data | heap | annex ]
//
// All slices have one stride and the whole is mapped once, so that a peer's object is found by one
// addition: address + (peer - me) * stride. Slices and heaps start on `alignment` in every process, so an
// offset that is aligned here is aligned everywhere.
#pragma once

#include <cstddef>

#include "base/status.hpp"

namespace oshen::heap {

inline constexpr std::size_t alignment = std::size_t{2} << 20;  // the largest that shmem_align can give

struct layout {
  std::size_t node_bytes = 0;     // the node page, before the first slice
  std::size_t control_bytes = 0;
  std::size_t data_bytes = 0;     // static data of the executable
  std::size_t heap_bytes = 0;
  std::size_t annex_bytes = 0;    // what most jobs never touch, behind all that they do
  int n_slices = 0;

  std::size_t data_offset() const;   // within a slice
  std::size_t heap_offset() const;
  std::size_t annex_offset() const;
  std::size_t stride() const;
  std::size_t total() const;
};

// A mapping of the node segment in this process.
class segment {
 public:
  segment() = default;
  segment(const segment&) = delete;
  segment& operator=(const segment&) = delete;

  // Makes the object (one PE of the node does it) and maps it.
  status create(const layout& plan);
  // Maps an object that another PE made; takes over `fd`.
  status attach(const layout& plan, int fd);
  // Threads of one process as PEs (unit tests): uses a mapping that another segment owns, or `n` slices of it.
  void share(const segment& owner, int first, int n);
  void close();

  const layout& plan() const { return plan_; }
  int descriptor() const { return fd_; }
  char* node() const { return base_; }
  std::size_t stride() const { return stride_; }
  char* slice(int i) const { return slices_ + static_cast<std::size_t>(i) * stride_; }
  char* data(int i) const { return slice(i) + plan_.data_offset(); }
  char* heap(int i) const { return slice(i) + plan_.heap_offset(); }
  char* annex(int i) const { return slice(i) + plan_.annex_offset(); }

 private:
  status map(const layout& plan);

  layout plan_;
  char* base_ = nullptr;
  char* slices_ = nullptr;
  std::size_t stride_ = 0;       // of the plan
  void* mapping_ = nullptr;      // null when another segment owns it
  std::size_t mapped_ = 0;
  int fd_ = -1;
};

}  // namespace oshen::heap
