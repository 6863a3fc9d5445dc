#include "oshrun/job.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "os/clock.hpp"

namespace oshrun {
namespace {

using namespace oshen::bootstrap;

// Above the numbers that shell scripts use (exec 3>file).
constexpr int lowest_descriptor = 100;

// The limit of file sizes counts for memory files too, and the kernel answers a larger one with SIGXFSZ.
void check_file_limit(std::size_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes)
    give_up(1, "the job page has %zu bytes, and files are limited to %llu (ulimit -f); raise the limit", bytes,
            static_cast<unsigned long long>(limit.rlim_cur));
}

unique_fd make_memory(std::size_t bytes) {
  check_file_limit(bytes);
  const unique_fd plain(memfd_create("oshen-job", MFD_CLOEXEC));
  if (!plain.open() || ftruncate(plain.get(), static_cast<off_t>(bytes)) != 0)
    give_up(1, "cannot create the job page: %s", std::strerror(errno));
  unique_fd kept(fcntl(plain.get(), F_DUPFD, lowest_descriptor));
  if (!kept.open()) kept = unique_fd(fcntl(plain.get(), F_DUPFD, 0));
  return kept;
}

}  // namespace

job::job(int n_pes) : fd_(make_memory(job_bytes(n_pes))) {
  void* start = mmap(nullptr, job_bytes(n_pes), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (start == MAP_FAILED) give_up(1, "cannot map the job page: %s", std::strerror(errno));
  page_ = static_cast<job_page*>(start);
  page_->n_pes = n_pes;
  page_->record_bytes = sizeof(pe_record);
  page_->magic = job_magic;
}

void job::note_started(int pe, pid_t pid) {
  std::int32_t none = 0;
  record(pe).pid.compare_exchange_strong(none, static_cast<std::int32_t>(pid));
}

current_activity read_activity(const activity& doing) {
  char text[sizeof doing.text];
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::uint32_t before = doing.version.load(std::memory_order_acquire);
    const std::uint64_t since = doing.since_ns.load(std::memory_order_relaxed);
    std::memcpy(text, doing.text, sizeof text);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 != 0 || doing.version.load(std::memory_order_relaxed) != before) continue;
    if (since == 0) return {};
    const auto waited = static_cast<std::int64_t>(oshen::os::now_ns() - since);
    return {std::string(text, strnlen(text, sizeof text)), static_cast<double>(waited) * 1e-9};
  }
  return {};
}

}  // namespace oshrun
