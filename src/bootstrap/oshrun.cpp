#include "bootstrap/oshrun.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.hpp"
#include "bootstrap/text.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"

namespace oshen::bootstrap {
namespace {

constexpr std::uint64_t shortest_look_ns = 100000000;  // time within which a sleeper notices the end of the job
constexpr std::uint64_t share_of_look_ns = 100000;     // longer in jobs of thousands, whose looks would take all CPUs
// A PE that explains its wait first reads the records of all PEs. So a barrier of thousands should end before that.
constexpr std::uint64_t share_of_explanation_ns = 1000000;

bool is_job_magic(std::uint64_t magic) { return ((magic ^ job_magic) & any_job_magic) == 0; }

bool is_page(int fd, const struct stat& file) {
  std::uint64_t magic = 0;
  return S_ISREG(file.st_mode) && pread(fd, &magic, sizeof magic, 0) == sizeof magic && is_job_magic(magic);
}

void not_the_page(int fd) {
  log::error(
      "%s = %d is not the job page of oshrun: a script or program between oshrun and this one has closed that "
      "descriptor and opened another file there; it must keep descriptor %d",
      job_fd_variable, fd, fd);
}

// Checks that `fd` is a job page, and finds its size.
status find_page(int fd, std::size_t& bytes) {
  struct stat file;
  if (fstat(fd, &file) != 0) {
    if (errno == EBADF)
      log::error(
          "%s = %d: the descriptor of oshrun's job page is closed; a script or program between oshrun and this one "
          "must keep it open",
          job_fd_variable, fd);
    else
      log::error("%s = %d: cannot examine the job page of oshrun: %s", job_fd_variable, fd, strerror(errno));
    return status::no_launcher;
  }
  bytes = static_cast<std::size_t>(file.st_size);
  if (is_page(fd, file) && bytes >= sizeof(job_page)) return status::ok;
  not_the_page(fd);
  return status::no_launcher;
}

}  // namespace

int pes_of_page(int fd) {
  struct stat file;
  job_page page;
  const bool right =
      fstat(fd, &file) == 0 && is_page(fd, file) && pread(fd, static_cast<void*>(&page), sizeof page, 0) == sizeof page;
  return right ? page.n_pes : 0;
}

bool inherited_job_page() {
  constexpr int most_descriptors = 256;  // oshrun opens it at 100, or at the next free number
  for (int fd = 3; fd < most_descriptors; ++fd) {
    struct stat file;
    if (fstat(fd, &file) == 0 && file.st_nlink == 0 && is_page(fd, file)) return true;  // a memfd has no name
  }
  return false;
}

status oshrun::join() {
  int fd = -1;
  if (!whole_number(getenv(job_fd_variable), fd) || !whole_number(getenv(pe_variable), pe)) {
    log::error("%s and %s are set, but are not numbers; start the program with oshrun", job_fd_variable, pe_variable);
    return status::no_launcher;
  }
  if (page_ == nullptr) {  // otherwise the PE is initialised again
    std::size_t bytes = 0;
    if (const status s = find_page(fd, bytes); failed(s)) return s;
    if (const status s = map_page(fd, bytes); failed(s)) return s;
  }
  if (pe < 0 || pe >= page_->n_pes) {
    log::error("%s = %d: expected 0 .. %d, a PE of this job; only oshrun may set it", pe_variable, pe,
               page_->n_pes - 1);
    return status::no_launcher;
  }
  if (const status s = claim(); failed(s)) return s;
  fcntl(fd, F_SETFD, FD_CLOEXEC);  // programs started by a PE are not PEs
  n_pes = page_->n_pes;
  name = "oshrun";
  records(page_)[pe].pid.store(os::own_pid(), std::memory_order_relaxed);
  return status::ok;
}

status oshrun::map_page(int fd, std::size_t bytes) {
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapping == MAP_FAILED) {
    log::error("cannot map the job page of oshrun: %s", strerror(errno));
    return status::no_launcher;
  }
  page_ = static_cast<job_page*>(mapping);
  if (page_->magic == job_magic && page_->record_bytes == sizeof(pe_record) && bytes >= job_bytes(page_->n_pes))
    return status::ok;
  log::error("oshrun and this library are of different releases; use the oshrun installed beside the library");
  munmap(mapping, bytes);
  page_ = nullptr;
  return status::no_launcher;
}

// One PE is one process: two processes with the same number would corrupt each other's collectives. A claim of a
// process that has died is replaced.
status oshrun::claim() {
  std::atomic<std::int32_t>& claimed_by = records(page_)[pe].claimed_by;
  const std::int32_t self = os::own_pid();
  std::int32_t holder = 0;
  while (!claimed_by.compare_exchange_strong(holder, self) && holder != self) {
    if (os::process_exists(holder)) {
      int exit_status = 0;
      if (job_ending(exit_status)) os::leave_at_once(exit_status);
      end_job(1, false);
      log::error(
          "process %d is PE %d already, and process %d claims the same number: one PE is one process; does a script "
          "start the program twice at once?",
          holder, pe, self);
      return status::no_launcher;
    }
  }
  return status::ok;
}

// The first PE, from `from` on, that has entered fewer barriers than this one; n_pes: none.
int oshrun::late_pe(int from) const {
  const std::uint32_t mine = records(page_)[pe].barriers.load(std::memory_order_relaxed);
  const auto is_late = [&](int i) {
    return static_cast<std::int32_t>(records(page_)[i].barriers.load(std::memory_order_relaxed) - mine) < 0;
  };
  while (from < n_pes && !is_late(from)) ++from;
  return from;
}

// True if another PE prints the warning. In a large job the first PE that waits in the same barrier, and has posted its
// activity, prints it.
bool oshrun::another_warns() const {
  constexpr int few = 8;  // in a job of at most this many PEs, each prints its own warning
  const std::uint32_t mine = records(page_)[pe].barriers.load(std::memory_order_relaxed);
  for (int i = 0; i < pe && n_pes > few; ++i) {
    const pe_record& its = records(page_)[i];
    if (its.barriers.load(std::memory_order_relaxed) == mine && its.doing.since_ns.load(std::memory_order_relaxed) != 0)
      return true;
  }
  return false;
}

// Called in a long wait: posts the activity for oshrun, and later prints a warning or ends the job. PEs that have
// arrived are not read again. Otherwise the PEs that wait for the last one would together read n^2 records at each
// look.
void oshrun::explain_wait(long_wait& w) {
  w.late = late_pe(w.late);
  if (w.late == n_pes) return;
  const pe_record& its = records(page_)[w.late];
  const auto waited = static_cast<unsigned>((os::now_ns() - w.began) / 1000000000u);
  const bool leaving = records(page_)[pe].state.load(std::memory_order_relaxed) == pe_state::finalized;
  char text[64];
  snprintf(text, sizeof text, "%s: waiting for PE %d", leaving ? "shmem_finalize" : "shmem_init", w.late);
  post(*own_activity(), text, w.began);
  if (w.next_warning != 0 && waited >= w.next_warning) {
    w.next_warning *= 2;
    if (another_warns()) return;
    const bool stopped = os::process_is_stopped(its.pid.load(std::memory_order_relaxed));
    log::error("%s, for %u s now (PE %d %s)", text, waited, w.late,
               stopped ? "stopped" : words_for(its.state.load(std::memory_order_relaxed)));
  }
  if (abort_seconds == 0 || waited < abort_seconds) return;
  log::error("%s: waited %u s (OSHEN_WAIT_ABORT); ending the job", text, waited);
  end_job(1, false);
  os::leave_at_once(1);
}

status oshrun::barrier() {
  records(page_)[pe].barriers.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t generation = page_->generation.load(std::memory_order_acquire);
  if (page_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(n_pes)) {
    page_->arrived.store(0, std::memory_order_relaxed);
    page_->generation.store(generation + 1, std::memory_order_release);  // pairs with the acquire below
    os::futex_wake_all(page_->generation);
    return status::ok;
  }
  const auto n = static_cast<std::uint64_t>(n_pes);
  const std::uint64_t look_every_ns = std::max(shortest_look_ns, n * share_of_look_ns);
  const std::uint64_t explain_after_ns = std::max(shortest_look_ns, n * share_of_explanation_ns);
  long_wait w{.began = os::now_ns(), .next_warning = warn_seconds, .late = 0};
  while (page_->generation.load(std::memory_order_acquire) == generation) {
    int exit_status = 0;
    if (job_ending(exit_status)) os::leave_at_once(exit_status);
    os::futex_wait(page_->generation, generation, look_every_ns);
    if (os::now_ns() - w.began >= explain_after_ns) explain_wait(w);
  }
  if (own_activity()->since_ns.load(std::memory_order_relaxed) != 0) post(*own_activity(), "", 0);
  return status::ok;
}

// A contribution that is larger than the record's blob is sent in chunks. The second barrier keeps a fast PE from
// overwriting a chunk that a slow PE has not read.
status oshrun::allgather(const void* mine, void* all, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += blob_bytes) {
    const std::size_t chunk = bytes - done < blob_bytes ? bytes - done : blob_bytes;
    memcpy(records(page_)[pe].blob, static_cast<const char*>(mine) + done, chunk);
    if (const status s = barrier(); failed(s)) return s;
    for (int i = 0; i < n_pes; ++i)
      memcpy(static_cast<char*>(all) + static_cast<std::size_t>(i) * bytes + done, records(page_)[i].blob, chunk);
    if (const status s = barrier(); failed(s)) return s;
  }
  return status::ok;
}

void oshrun::end_job(int exit_status, bool quiet) {
  auto none = ending_state::none;
  if (!page_->ending.compare_exchange_strong(none, ending_state::claimed, std::memory_order_acq_rel)) return;
  page_->ending_pe = pe;
  page_->ending_status = exit_status;
  page_->ending_quiet = quiet ? 1 : 0;
  page_->ending.store(ending_state::told, std::memory_order_release);
}

bool oshrun::job_ending(int& exit_status) {
  if (page_->ending.load(std::memory_order_acquire) != ending_state::told) return false;
  exit_status = page_->ending_status;
  return true;
}

void oshrun::set_state(pe_state state) {
  pe_record& mine = records(page_)[pe];
  mine.state.store(state, std::memory_order_release);
  std::int32_t self = os::own_pid();
  // A script may start another process as the same PE.
  if (state == pe_state::finalized) mine.claimed_by.compare_exchange_strong(self, 0);
}

}  // namespace oshen::bootstrap
