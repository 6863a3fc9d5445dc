// The job page: a memfd that oshrun shares with its PEs, which inherit the descriptor.
//
// oshrun creates and maps it, and sets `job_fd_variable` and `pe_variable` for each PE. It reads the records to report
// which PE died and what the others were doing. The PEs use the page for their barrier and allgather at start-up. It
// holds no symmetric memory; that is in the node segment (heap/segment.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace oshen::bootstrap {

inline constexpr std::uint64_t job_magic = 0x324a4e4548534f21;      // "!OSHENJ2"; the digit numbers the layouts
inline constexpr std::uint64_t any_job_magic = 0x00ffffffffffffff;  // mask of the bytes that all releases share
inline constexpr const char* job_fd_variable = "OSHEN_JOB_FD";      // descriptor of the memfd
inline constexpr const char* pe_variable = "OSHEN_PE";              // the PE's number
inline constexpr std::size_t blob_bytes = 256;  // one PE's contribution to one round of an allgather

enum class pe_state : std::uint32_t {
  unborn = 0,     // has not called an initialisation routine
  joined = 1,     // between initialisation and the last finalize
  finalized = 2,  // left by shmem_finalize; may join again
};
const char* words_for(pe_state state);

// A description of a PE's wait. The PE writes it only in long waits. `version` is odd while the PE writes; a reader
// copies the text, and checks that `version` was even and has not changed.
struct activity {
  std::atomic<std::uint32_t> version;
  std::uint32_t reserved;
  std::atomic<std::uint64_t> since_ns;  // CLOCK_MONOTONIC; 0 = not in a long wait
  char text[240];                       // "shmem_barrier_all: waiting for PE 3 ..."
};
void post(activity& a, const char* text, std::uint64_t since_ns);
// Copies the text, and returns the time at which the wait began; 0 if the PE is in no long wait, or is writing.
std::uint64_t read_activity(const activity& a, char (&text)[240]);

struct alignas(64) pe_record {
  std::atomic<pe_state> state;
  std::atomic<std::int32_t> pid;
  std::atomic<std::uint32_t> barriers;   // number of barriers entered; a late PE has a smaller number than the others
  std::atomic<std::int32_t> claimed_by;  // pid of the PE's process, from its join to its last finalize; 0: none
  activity doing;
  std::byte blob[blob_bytes];
};

enum class ending_state : std::uint32_t { none, claimed, told };

struct alignas(64) job_page {
  std::uint64_t magic;
  std::uint32_t record_bytes;  // sizeof(pe_record): oshrun and library must be of one release
  std::int32_t n_pes;
  // Barrier: the last to arrive resets `arrived`, advances `generation` and wakes the sleepers on it.
  alignas(64) std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> generation;
  // The end of the whole job on request (shmem_global_exit or a fatal error). The first request counts: it sets
  // `ending` from `none` to `claimed` by compare-and-swap, writes the other members, and sets `ending` to `told`.
  alignas(64) std::atomic<ending_state> ending;
  std::int32_t ending_pe;
  std::int32_t ending_status;  // the exit status of the job
  std::uint32_t ending_quiet;  // 1: shmem_global_exit; 0: the PE has printed an error
};

constexpr std::size_t job_bytes(int n_pes) {
  return sizeof(job_page) + static_cast<std::size_t>(n_pes) * sizeof(pe_record);
}
inline pe_record* records(job_page* page) { return reinterpret_cast<pe_record*>(page + 1); }

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace oshen::bootstrap
