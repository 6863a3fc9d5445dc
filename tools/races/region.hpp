// The memory that the detectors of all PEs share: clocks, places of the program, found races, and the shadow of the
// symmetric memory of every PE. It is one memory file; pages cost memory only when they are touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "clocks.hpp"

namespace races {

// A lock for PEs of all processes, and for threads. Locks of the C library would call the functions in pthreads.cpp.
class spin_lock {
 public:
  void lock() {
    if (busy_.exchange(1, std::memory_order_acquire) != 0) wait_and_lock();
  }
  void unlock() { busy_.store(0, std::memory_order_release); }

 private:
  void wait_and_lock();
  std::atomic<std::uint32_t> busy_{0};
};

// One access in the shadow. 12 bytes, so that four of them fit beside eight bytes of memory at six times its size.
struct access {
  std::uint32_t clock = 0;  // 0: no access
  std::uint32_t site : 17 = 0;
  std::uint32_t bytes : 8 = 0;  // a bit for each of the eight bytes
  std::uint32_t writes : 1 = 0;
  std::uint32_t atomic : 1 = 0;
  std::uint32_t how : 2 = 0;     // a channel
  std::uint32_t stores : 1 = 0;  // by the program itself, in its own memory
  std::uint32_t buffer : 1 = 0;  // the local buffer of a non-blocking operation
  std::uint8_t pe = 0;
  std::uint8_t target = 0;  // of the operation
  std::uint16_t thread = 0;
};

struct cell {
  static constexpr int n = 4;
  static constexpr std::size_t memory = 8;   // bytes that a cell stands for
  static constexpr std::size_t block = 512;  // bytes whose cells share a lock
  access accesses[n];
};
static_assert(sizeof(cell) == 48);

// A place of the program that makes an access.
struct site {
  std::uint64_t offset;  // of the return address in its module, 0: none
  std::uint32_t module, routine;
  std::atomic<std::uint64_t> bytes;  // of its last operation
};

// Two sites that race; reported once.
struct site_pair {
  std::atomic<std::uint64_t> sites;  // both numbers, the smaller one first; 0: none
  std::atomic<std::uint64_t> count;
  std::atomic<bool> suppressed;
};

// The value that a release gave to its flag, if the call says it, and who made it.
struct release_record {
  std::uint64_t flag = 0;  // the key of the flag; 0: none
  std::int64_t value = 0;
  std::uint32_t has_value = 0, pe = 0, thread = 0, clock = 0;
};

// Symmetric memory of one PE: the static variables, then the heap.
struct extent {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;
};

// The part of the region whose size is fixed.
struct region_header {
  static constexpr std::uint32_t most_sites = 1u << 17, most_modules = 64, most_pairs = 4096, slots = 1u << 12;
  static constexpr std::uint32_t recent = 4;  // releases that a slot remembers one by one
  struct module {
    std::uint64_t load_base_hash;
    char path[504];
  };
  std::atomic<std::uint64_t> nonce;
  spin_lock sites_lock;
  std::atomic<std::uint32_t> n_modules, n_reports;
  spin_lock slot_locks[slots];
  release_record records[slots][recent];
  std::uint32_t n_records[slots];  // counts on; the newest record is at (n - 1) % recent
  module modules[most_modules];
  site_pair pairs[most_pairs];
  site sites[most_sites];  // a hash table, linear probing
};

class region {
 public:
  // Creates or opens the region. `share` is called with a message of PE 0, which it must replace by that of PE 0 on
  // the other PEs. Returns false if the memory of PE 0 cannot be opened.
  struct message {
    std::int64_t process, descriptor;
    std::uint64_t nonce;
  };
  bool create(std::uint32_t pes, std::size_t statics, std::size_t heap, message& mine);
  bool open(std::uint32_t pes, std::size_t statics, std::size_t heap, const message& theirs);
  void close();

  bool is_open() const { return base_ != nullptr; }
  region_header& fixed() const { return *reinterpret_cast<region_header*>(base_); }
  knowledge published(std::uint32_t pe) const { return {words(pe), pes_}; }
  // The clocks that flags carry. Flags share a slot if their hashes are equal, which only hides races.
  knowledge slot(std::uint32_t i) const { return {words(pes_ + i), pes_}; }
  // What the slot told at its k-th recent release.
  knowledge told_at(std::uint32_t slot, std::uint32_t k) const {
    return {words(pes_ + region_header::slots + slot * region_header::recent + k), pes_};
  }
  // The cell of the eight bytes at `offset` in the symmetric memory of `pe`.
  cell& shadow(std::uint32_t pe, std::size_t offset) const {
    return *reinterpret_cast<cell*>(base_ + shadow_ + pe * shadow_bytes_ + offset / cell::memory * sizeof(cell));
  }
  // Locks the cells of the block in which `offset` lies.
  spin_lock& lock_at(std::uint32_t pe, std::size_t offset) const {
    return reinterpret_cast<spin_lock*>(base_ + locks_ + pe * locks_bytes_)[offset / cell::block];
  }

 private:
  void plan(std::uint32_t pes, std::size_t statics, std::size_t heap);
  bool map(int fd);
  std::uint32_t* words(std::uint32_t i) const {
    return reinterpret_cast<std::uint32_t*>(base_ + clocks_) + std::size_t{i} * knowledge::words_for(pes_);
  }

  char* base_ = nullptr;
  int fd_ = -1;
  std::uint32_t pes_ = 0;
  std::size_t clocks_ = 0, locks_ = 0, locks_bytes_ = 0, shadow_ = 0, shadow_bytes_ = 0, bytes_ = 0;
};

}  // namespace races
