// The memory that oshrun shares with the PEs it forked: a memfd, inherited by descriptor.
//
// oshrun creates and maps it, sets `job_fd_variable` and `pe_variable` for each child, and reads the
// records to say which PE died and what the others were doing. The PEs use it as their boot: a sleeping
// barrier and a board of blobs. It holds no symmetric memory (that is the node segment, heap/segment.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace oshen::boot {

inline constexpr std::uint64_t job_magic = 0x324a4e4548534f21;  // "!OSHENJ2"; the digit counts layouts
inline constexpr std::uint64_t any_job_magic = 0x00ffffffffffffff;  // the part that every release has
inline constexpr const char* job_fd_variable = "OSHEN_JOB_FD";  // descriptor number of the memfd
inline constexpr const char* pe_variable = "OSHEN_PE";          // this PE's number
inline constexpr std::size_t blob_bytes = 256;                  // one PE's share of one allgather round

enum class pe_state : std::uint32_t {
  unborn = 0,     // has not called an initialisation routine
  joined = 1,     // between initialisation and the last finalize
  finalized = 2,  // left by shmem_finalize; may join again
};
const char* words_for(pe_state state);

// What a PE is doing, in words; written only when a wait has become long, so it costs nothing.
// Writer: odd `version` while writing. Reader: copy, then check that `version` was even and is unchanged.
struct activity {
  std::atomic<std::uint32_t> version;
  std::uint32_t reserved;
  std::atomic<std::uint64_t> since_ns;  // CLOCK_MONOTONIC; 0 = not in a long wait
  char text[240];                       // "shmem_barrier_all: waiting for PE 3 ..."
};
void post(activity& board, const char* text, std::uint64_t since_ns);
// Copies the text. Returns since when; 0 = not in a long wait, or just being written.
std::uint64_t read_activity(const activity& board, char (&text)[240]);

struct alignas(64) pe_record {
  std::atomic<pe_state> state;
  std::atomic<std::int32_t> pid;
  std::atomic<std::uint32_t> barriers;  // entered so far: whoever is behind the others is late
  std::atomic<std::int32_t> claimed_by;  // the process that is this PE, from its join to its last finalize; 0: none
  activity doing;
  std::byte blob[blob_bytes];
};

struct alignas(64) job_page {
  std::uint64_t magic;
  std::uint32_t record_bytes;  // sizeof(pe_record): both sides must come from one release
  std::int32_t n_pes;
  // Barrier: the last to arrive resets `arrived`, advances `generation` and wakes the sleepers on it.
  alignas(64) std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> generation;
  // End of the whole job on request (shmem_global_exit or a fatal error). The first one wins:
  // `ending` 0 -> 1 by compare-and-swap, then the rest, then `ending` = 2.
  alignas(64) std::atomic<std::uint32_t> ending;
  std::int32_t ending_pe;
  std::int32_t ending_status;  // the exit status of the job
  std::uint32_t ending_quiet;  // 1: shmem_global_exit, nothing to report; 0: the PE printed an error
};

constexpr std::size_t job_bytes(int n_pes) {
  return sizeof(job_page) + static_cast<std::size_t>(n_pes) * sizeof(pe_record);
}
inline pe_record* records(job_page* page) { return reinterpret_cast<pe_record*>(page + 1); }

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace oshen::boot
