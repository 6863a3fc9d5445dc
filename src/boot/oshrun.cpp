#include "boot/oshrun.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"

namespace oshen::boot {
namespace {

constexpr std::uint64_t look_every_ns = 100000000;  // how soon a sleeper notices that the job ends

bool whole_number(const char* text, int& value) {
  if (text == nullptr) return false;
  char* end = nullptr;
  const long parsed = strtol(text, &end, 10);
  value = static_cast<int>(parsed);
  return end != text && *end == '\0' && parsed == value;
}

}  // namespace

bool started_by_oshrun() { return getenv(job_fd_variable) != nullptr; }

status oshrun::join() {
  int fd = -1;
  if (!whole_number(getenv(job_fd_variable), fd) || !whole_number(getenv(pe_variable), pe)) {
    log::error("%s and %s are set but do not make sense; start the program with oshrun",
               job_fd_variable, pe_variable);
    return status::no_launcher;
  }
  struct stat file;
  if (fstat(fd, &file) != 0 || static_cast<std::size_t>(file.st_size) < sizeof(job_page)) {
    log::error("%s = %d is not the page of oshrun (%s): was the descriptor closed by a wrapper script?",
               job_fd_variable, fd, strerror(errno));
    return status::no_launcher;
  }
  const auto bytes = static_cast<std::size_t>(file.st_size);
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapping == MAP_FAILED) {
    log::error("cannot map the page of oshrun: %s", strerror(errno));
    return status::no_launcher;
  }
  page_ = static_cast<job_page*>(mapping);
  if (page_->magic != job_magic || page_->record_bytes != sizeof(pe_record) ||
      bytes < job_bytes(page_->n_pes) || pe < 0 || pe >= page_->n_pes) {
    log::error("oshrun and this library are of different releases; use the oshrun installed beside the library");
    return status::no_launcher;
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);  // programs that a PE starts are not PEs
  n_pes = page_->n_pes;
  name = "oshrun";
  records(page_)[pe].pid.store(os::own_pid(), std::memory_order_relaxed);
  return status::ok;
}

// A PE that has entered fewer barriers than this one; -1 when all have come meanwhile.
int oshrun::late_pe() const {
  const std::uint32_t mine = records(page_)[pe].barriers.load(std::memory_order_relaxed);
  for (int i = 0; i < n_pes; ++i)
    if (static_cast<std::int32_t>(records(page_)[i].barriers.load(std::memory_order_relaxed) - mine) < 0) return i;
  return -1;
}

// A wait that lasts says so: to oshrun at once, to the user after a while, and it may be the end of the job.
void oshrun::explain_wait(std::uint64_t began, unsigned& next_warning) {
  const int late = late_pe();
  if (late < 0) return;
  const pe_record& its = records(page_)[late];
  const auto waited = static_cast<unsigned>((os::now_ns() - began) / 1000000000u);
  const bool leaving = records(page_)[pe].state.load(std::memory_order_relaxed) == pe_state::finalized;
  char text[64];
  snprintf(text, sizeof text, "%s: waiting for PE %d", leaving ? "shmem_finalize" : "shmem_init", late);
  post(*board(), text, began);
  if (next_warning != 0 && waited >= next_warning) {
    next_warning *= 2;
    log::error("%s, for %u s now (PE %d %s)", text, waited, late, words_for(its.state.load(std::memory_order_relaxed)));
  }
  if (abort_seconds == 0 || waited < abort_seconds) return;
  log::error("%s: waited %u s (OSHEN_WAIT_ABORT); ending the job", text, waited);
  end_job(1, false);
  os::leave_at_once(1);
}

status oshrun::barrier() {
  records(page_)[pe].barriers.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t generation = page_->generation.load(std::memory_order_acquire);
  if (page_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
      static_cast<std::uint32_t>(n_pes)) {
    page_->arrived.store(0, std::memory_order_relaxed);
    page_->generation.store(generation + 1, std::memory_order_release);  // pairs with the acquire below
    os::futex_wake_all(page_->generation);
    return status::ok;
  }
  const std::uint64_t began = os::now_ns();
  unsigned next_warning = warn_seconds;
  while (page_->generation.load(std::memory_order_acquire) == generation) {
    int exit_status = 0;
    if (job_ending(exit_status)) os::leave_at_once(exit_status);
    os::futex_wait(page_->generation, generation, look_every_ns);
    if (os::now_ns() - began >= look_every_ns) explain_wait(began, next_warning);
  }
  if (board()->since_ns.load(std::memory_order_relaxed) != 0) post(*board(), "", 0);
  return status::ok;
}

// A blob may be larger than its place: it goes in pieces. The second barrier keeps a fast PE from
// overwriting a piece that a slow one has not read.
status oshrun::allgather(const void* mine, void* all, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += blob_bytes) {
    const std::size_t piece = bytes - done < blob_bytes ? bytes - done : blob_bytes;
    memcpy(records(page_)[pe].blob, static_cast<const char*>(mine) + done, piece);
    if (const status s = barrier(); failed(s)) return s;
    for (int i = 0; i < n_pes; ++i)
      memcpy(static_cast<char*>(all) + static_cast<std::size_t>(i) * bytes + done, records(page_)[i].blob, piece);
    if (const status s = barrier(); failed(s)) return s;
  }
  return status::ok;
}

void oshrun::end_job(int exit_status, bool quiet) {
  std::uint32_t nobody = 0;
  if (!page_->ending.compare_exchange_strong(nobody, 1, std::memory_order_acq_rel)) return;
  page_->ending_pe = pe;
  page_->ending_status = exit_status;
  page_->ending_quiet = quiet ? 1 : 0;
  page_->ending.store(2, std::memory_order_release);
}

bool oshrun::job_ending(int& exit_status) {
  if (page_->ending.load(std::memory_order_acquire) != 2) return false;
  exit_status = page_->ending_status;
  return true;
}

void oshrun::set_state(pe_state state) {
  records(page_)[pe].state.store(state, std::memory_order_release);
}

}  // namespace oshen::boot
