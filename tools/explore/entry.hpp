// The log of a thread, which the scheduler reads: one entry for each step of its program, in program order. The entries
// lie in memory that all processes of the search share. Addresses mean the same in all of them, because they are forks
// of one process.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "calls.h"

namespace explore {

inline constexpr int most_pes = 8, most_threads = 16;  // threads of a PE in one order
inline constexpr std::size_t most_programs = std::size_t{most_pes} * most_threads;
constexpr std::size_t slot_of(int pe, int thread) { return static_cast<std::size_t>(thread * most_pes + pe); }
inline constexpr std::size_t log_entries = 2048;
inline constexpr std::size_t payload_bytes = std::size_t{8} << 20;
inline constexpr std::size_t most_result_bytes = 64;

enum class step : std::uint8_t {
  // The thread goes on after these.
  load,
  store,
  put,
  get_late,
  atomic_late,  // without a result, or with one that a quiet brings
  fence,
  arrive,  // at a collective, with its data
  // The scheduler carries these out. The thread is stopped until then.
  start,
  get,
  atomic,
  wait,
  test,
  read_word,
  poll,  // a loop of loads: until the memory changes
  quiet,
  sync,
  leave,  // a collective
  set_lock,
  test_lock,
  clear_lock,
  // of threads
  create,
  join,
  exit_thread,  // the thread takes no more steps
  sleep,        // on a condition variable: releases the mutex
  awake,        // after a signal
  notify,       // a signal or broadcast
  set_up,       // a barrier of threads, or a semaphore
  meet_threads,
  part_threads,  // a barrier of threads is complete
  post,          // a semaphore
  take,
  try_take,
  end,  // of the use of the library
  global_exit,
  failed_exit,  // exit with a status other than 0
  wrong,        // a wrong argument, in `message`
  not_modelled,
  flush  // the log is full; no step
};
constexpr bool is_blocking(step what) { return what >= step::start; }
// The scheduler carries it out, and it may have to be repeated until something changes.
constexpr bool is_read(step what) {
  return what == step::get || what == step::atomic || what == step::test || what == step::read_word ||
         what == step::poll || what == step::test_lock || what == step::try_take;
}

struct blocks {
  std::uint64_t address = 0;
  std::size_t bytes = 0, n = 1;
  std::ptrdiff_t stride = 0;
};

struct group_key {
  std::uint64_t key = 0;
  std::uint32_t members = 0;  // a bit for each PE
  std::uint32_t number = 0;   // of the collective in this group
  bool descends = false;      // the numbers in the world, in the order of the members
  friend auto operator<=>(const group_key&, const group_key&) = default;
};

struct entry {
  step what = step::load;
  bool late = false;         // put: reads its source when it is carried out
  bool has_signal = false;   // put: a signal follows the data
  bool fetches = false;      // atomic_late: the old value goes to `to`
  bool of_language = false;  // load, store: by an atomic of C or C++
  bool of_threads = false;   // a lock: in memory of the PE, for its threads
  bool shared = false;       // such a lock: others may read as well
  bool all = false;          // notify: a broadcast
  bool timed = false;        // a wait for other threads with a time limit
  bool alone = false;        // a call of OpenSHMEM that needs SHMEM_THREAD_MULTIPLE beside calls of other threads
  bool threaded = false;     // the PE has several threads
  int thread = 0;            // create, join: its number
  std::uint32_t count = 0;   // of a barrier of threads; of a semaphore at first; poll: of other addresses in `operand`
  int pe = -1;
  explore_call call{};
  std::uint64_t ctx = 0;
  blocks to, from;  // sync of an allocation: the new block, the freed block
  // atomic, signal
  std::uint64_t object = 0;
  explore_update atomic{};
  std::array<std::byte, 32> operand{};
  // wait, test
  explore_condition condition{};
  // collective
  group_key group;
  explore_collective collective{};
  std::uint32_t pes = ~0u;  // quiet: only for these targets
  std::size_t payload = 0;  // offset of the data of a put, of the values of a condition, of the source of a collective
  int status = 0;
  std::array<char, 160> message{};
};

union logged {
  entry said;
  logged() {}  // Memory is taken when it is written.
};

// A thread and the scheduler pass control to and fro.
struct mailbox {
  std::atomic<std::uint32_t> go{0};      // futex of the thread: the scheduler counts it up
  std::atomic<std::uint32_t> parked{0};  // the thread counts it up
  // Of the first thread of a PE: its process has ended, with `status` of waitpid.
  std::atomic<int> ended{0};
  int status = 0, pid = 0;
  std::uint64_t budget = 0;         // entries that the thread may log before it stops again
  bool stops_after_stores = false;  // another thread waits for memory of the PE
  std::uint64_t result = 0;
  std::size_t entries = 0, payload_used = 0;
  entry next;  // why it is stopped
  std::array<logged, log_entries> log;
  std::array<std::byte, payload_bytes> payload;
};

enum class command : std::uint32_t { none, run, stop };

struct shared_area {
  std::atomic<std::uint32_t> attention{0};  // futex of the scheduler: a thread has stopped or a PE has ended
  std::atomic<std::uint32_t> order{0};      // futex of the template: counted up with each command
  command what = command::none;
  int n_pes = 0, exit_status = 0;
  std::atomic<const char*> called_by_child{nullptr};  // routine that a process called which a PE has forked
  std::array<mailbox, most_programs> boxes;           // by slot
};

}  // namespace explore
