// A PE of an explored program: it writes what it does into its log, and stops where the scheduler has to act.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "entry.hpp"

namespace explore {

struct memory_range {
  std::uint64_t begin = 0, end = 0;
  bool contains(std::uint64_t address, std::size_t bytes) const { return address >= begin && address + bytes <= end; }
  bool overlaps(std::uint64_t address, std::size_t bytes) const { return address < end && address + bytes > begin; }
};

// The memory that every PE has at the same addresses: the writable segments of the executable, and the heap.
struct symmetric_memory {
  std::vector<memory_range> globals;
  memory_range heap;
  bool has(std::uint64_t address, std::size_t bytes) const {
    if (heap.contains(address, bytes)) return true;
    for (const memory_range& one : globals)
      if (one.contains(address, bytes)) return true;
    return false;
  }
};

class pe {
 public:
  static pe& here();  // of this process

  void become(shared_area& area, int number);
  bool active() const { return active_; }
  int number() const { return number_; }
  int count() const { return area_ == nullptr ? 0 : area_->n_pes; }  // 0: before shmem_init
  symmetric_memory& symmetric() { return symmetric_; }

  void log(entry& next);               // a step after which the PE goes on
  std::uint64_t request(entry& next);  // a step of the scheduler; returns its result
  // The same with bytes that go to the scheduler.
  void log_with(entry& next, std::span<const std::span<const std::byte>> parts);
  std::uint64_t request_with(entry& next, std::span<const std::byte> bytes);
  void plain_access(const void* address, std::size_t bytes, bool writes, const void* place, bool of_language = false);
  void leave();  // the library; the process goes on alone

  // Private memory that non-blocking operations use until a quiet.
  void lend(std::uint64_t ctx, const void* address, std::size_t bytes);
  void take_back(std::uint64_t ctx);

  [[noreturn]] __attribute__((format(printf, 3, 4))) void wrong(explore_call call, const char* format, ...);
  // Ends with an error unless the memory is symmetric and pe is one of the n PEs.
  void check(explore_call call, const void* address, std::size_t bytes, int pe, int n);
  [[noreturn]] void stop_for_ever(entry& last);

 private:
  void stop(const entry& next);
  void reserve(std::size_t bytes);
  bool is_loop_of_loads(std::uint64_t address);

  struct loan {
    std::uint64_t ctx;
    memory_range memory;
  };
  shared_area* area_ = nullptr;
  mailbox* box_ = nullptr;
  int number_ = 0;
  bool active_ = false;
  symmetric_memory symmetric_;
  std::vector<loan> loans_;
  std::uint64_t same_load_ = 0;  // address of the last loads
  int same_loads_ = 0;
  std::uint64_t free_loads_ = 0;  // of this address, which are no steps
};

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, double seconds);
void futex_wake(std::atomic<std::uint32_t>& word);

}  // namespace explore
