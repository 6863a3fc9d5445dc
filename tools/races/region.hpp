// The memory that the detectors of all PEs share: clocks, places of the program, found races, and the shadow of the
// symmetric memory of every PE. It is one memory file; pages cost memory only when they are touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "clocks.hpp"
#include "operation.hpp"

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

// One access. Words with masks, and not bit-fields: the checks compare many at once.
struct access {
  static constexpr std::uint32_t site_mask = (1u << 17) - 1;
  static constexpr std::uint32_t bytes_at = 17, bytes_mask = 0xffu << bytes_at;  // a bit for each of the eight bytes
  static constexpr std::uint32_t writes_bit = 1u << 25, atomic_bit = 1u << 26;
  static constexpr std::uint32_t how_at = 27, how_mask = 3u << how_at;  // a channel
  static constexpr std::uint32_t stores_bit = 1u << 29;                 // by the program itself, in its own memory
  static constexpr std::uint32_t buffer_bit = 1u << 30;                 // the local buffer of a non-blocking operation

  std::uint32_t clock = 0;  // 0: no access
  std::uint32_t what = 0;   // site and bits
  std::uint32_t maker = 0;  // PE, its target, strand, locks, and what distinguishes atomics

  // The target of a buffer that is in use until its collective is complete.
  static constexpr std::uint32_t until_complete = 0xff;

  static constexpr std::uint32_t target_mask = 0xffu << 8, strand_at = 16, locks_at = 21, type_at = 27;
  static constexpr std::uint32_t strand_mask = 0x1fu << strand_at;
  static constexpr std::uint32_t locks_mask = 0x3fu << locks_at, type_mask = 0xfu << type_at;
  static constexpr std::uint32_t shared_team_bit = 1u << 31;
  static_assert(most_strands <= 1u << (locks_at - strand_at));

  static constexpr std::uint32_t made_by(std::uint32_t pe, std::uint32_t target, std::uint32_t strand,
                                         std::uint32_t locks) {
    return pe | (target & 0xff) << 8 | strand << strand_at | locks << locks_at;
  }
  // All but the clock and the bytes. It is not 0.
  std::uint64_t kind() const {
    constexpr std::uint32_t in_use = 1u << 31;
    return std::uint64_t{maker} << 32 | (what & ~bytes_mask) | in_use;
  }

  std::uint32_t site() const { return what & site_mask; }
  std::uint32_t bytes() const { return (what & bytes_mask) >> bytes_at; }
  bool writes() const { return (what & writes_bit) != 0; }
  bool is_atomic() const { return (what & atomic_bit) != 0; }
  channel how() const { return static_cast<channel>((what & how_mask) >> how_at); }
  bool stores() const { return (what & stores_bit) != 0; }
  bool is_buffer() const { return (what & buffer_bit) != 0; }
  std::uint32_t pe() const { return maker & 0xff; }
  std::uint32_t target() const { return maker >> 8 & 0xff; }
  std::uint32_t strand() const { return (maker >> strand_at) % (1u << (locks_at - strand_at)); }
  std::uint32_t locks() const { return (maker & locks_mask) >> locks_at; }
  atomic_type type() const { return static_cast<atomic_type>((maker & type_mask) >> type_at); }
  // The memory of which PE it accesses says the target of all but local buffers, so that kinds need not name it.
  bool has_implied_target(std::uint32_t memory_of) const {
    return how() != channel::program && (!is_buffer() || memory_of != pe());
  }
  bool is_lent() const { return is_buffer() && target() == until_complete; }
};

// One access in the shadow: the clock in the upper half, then the number of its kind, then its bytes. 0: none. A
// program has few kinds, so that a number for each makes the shadow half as large.
using shadow_record = std::uint64_t;
inline shadow_record packed(std::uint32_t clock, std::uint32_t kind, std::uint32_t bytes) {
  return std::uint64_t{clock} << 32 | kind << 8 | bytes;
}
inline std::uint32_t clock_of(shadow_record r) { return static_cast<std::uint32_t>(r >> 32); }
inline std::uint32_t kind_of(shadow_record r) { return static_cast<std::uint32_t>(r) >> 8; }
inline std::uint32_t bytes_of(shadow_record r) { return r & 0xff; }

struct alignas(32) cell {
  static constexpr int n = 4;
  static constexpr std::size_t memory = 8;   // bytes that a cell stands for
  static constexpr std::size_t block = 512;  // bytes whose cells share a lock
  shadow_record records[n];
};
static_assert(sizeof(cell) == 32);

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
  std::uint32_t has_value = 0, pe = 0, strand = 0, clock = 0;
};

// Symmetric memory of one PE: the static variables, then the heap.
struct extent {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;
};

// The things of which a run may have more than the detector can remember. Races may then stay unseen, and the end of
// the run says so.
enum class limits : std::uint32_t { kinds, sites, pairs, threads, private_memory, n };

// The part of the region whose size is fixed.
struct region_header {
  static constexpr std::uint32_t most_sites = 1u << 17, most_modules = 64, most_pairs = 4096, slots = 1u << 12;
  static constexpr std::uint32_t most_kinds = 1u << 22;
  static constexpr std::uint32_t most_pes = 128;
  static constexpr std::uint32_t groups = 16;  // threads of a PE may make collectives of several groups at a time
  static constexpr std::uint32_t recent = 4;   // releases that a slot remembers one by one
  struct module {
    std::uint64_t load_base_hash;
    char path[504];
  };
  std::atomic<std::uint64_t> nonce;
  spin_lock sites_lock, kinds_lock;
  std::atomic<std::uint32_t> n_modules, n_reports;
  std::uint32_t n_kinds, kinds_limit;                      // the limit is lower in tests
  std::atomic<std::uint32_t> full;                         // a bit for each of `limits` that some PE has reached
  std::atomic<std::uint64_t> collected[groups][most_pes];  // the bytes that each PE adds to a collect
  spin_lock slot_locks[slots];
  release_record records[slots][recent];
  std::uint32_t n_records[slots];  // counts on; the newest record is at (n - 1) % recent
  module modules[most_modules];
  site_pair pairs[most_pairs];
  site sites[most_sites];                                   // a hash table, linear probing
  std::uint64_t kinds[most_kinds];                          // by their numbers, from 1 on
  std::atomic<std::uint32_t> kind_numbers[2 * most_kinds];  // a hash table, linear probing
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
  // The number of a kind of access; 0 if there is no room for another one.
  std::uint32_t number_of(std::uint64_t kind) const;
  std::uint64_t kind(std::uint32_t number) const { return fixed().kinds[number]; }
  // The access of a record in the shadow of PE `memory_of`.
  access unpacked(shadow_record r, std::uint32_t memory_of) const {
    const std::uint64_t of = kind(kind_of(r));
    access a{clock_of(r), (static_cast<std::uint32_t>(of) & ~(1u << 31)) | bytes_of(r) << access::bytes_at,
             static_cast<std::uint32_t>(of >> 32)};
    if (a.has_implied_target(memory_of)) a.maker |= memory_of << 8;
    return a;
  }
  std::uint32_t number_of(access a, std::uint32_t memory_of) const {
    if (a.has_implied_target(memory_of)) a.maker &= ~access::target_mask;
    return number_of(a.kind());
  }
  void set_full(limits what) const { fixed().full |= 1u << static_cast<std::uint32_t>(what); }
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
