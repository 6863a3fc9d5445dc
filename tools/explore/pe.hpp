// A PE of an explored program: its threads write what they do into their logs, and stop where the scheduler has to act.
// Only one of them runs at a time.
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
  void begin_thread(int thread);               // in the new thread
  bool active() const { return active_; }      // between shmem_init and shmem_finalize
  bool is_pe() const { return number_ >= 0; }  // false: before shmem_init
  int number() const { return number_; }
  static int thread();                                         // number of the calling thread
  void prepare_thread(int thread);                             // before it is created
  void count_thread(int change) { other_threads_ += change; }  // that are not joined
  void set_level(int level) { level_ = level; }
  int count() const { return area_ == nullptr ? 0 : area_->n_pes; }  // 0: before shmem_init
  symmetric_memory& symmetric() { return symmetric_; }

  void log(entry& next);               // a step after which the thread goes on
  std::uint64_t request(entry& next);  // a step of the scheduler; returns its result
  // The same with bytes that go to the scheduler.
  void log_with(entry& next, std::span<const std::span<const std::byte>> parts);
  std::uint64_t request_with(entry& next, std::span<const std::byte> bytes);
  void plain_access(const void* address, std::size_t bytes, bool writes, const void* place, bool of_language = false);
  void leave();  // the library; the process goes on alone
  void become_child();

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
  void refuse_if_long(explore_call call, std::size_t bytes);
  void note_threads(entry& next);
  static std::uint32_t note_load(std::uint64_t address);
  void poll(entry& access, std::uint32_t loads);

  struct loan {
    std::uint64_t ctx;
    memory_range memory;
  };
  shared_area* area_ = nullptr;
  int number_ = -1;  // -1: this process is no PE
  bool active_ = false;
  bool is_child_ = false;  // a process that a PE has forked
  int other_threads_ = 0;
  int level_ = 0;  // of threads, of the standard
  symmetric_memory symmetric_;
  std::vector<loan> loans_;
};

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, double seconds);
void futex_wake(std::atomic<std::uint32_t>& word);

}  // namespace explore
