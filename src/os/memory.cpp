#include "os/memory.hpp"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/bits.hpp"
#include "os/control_group.hpp"

namespace oshen::os {
namespace {

constexpr std::size_t unlimited = SIZE_MAX;

// The first number in a one-line file; `unlimited` when the file is missing or says "max".
std::size_t number_in(const char* path) {
  FILE* file = fopen(path, "re");
  if (file == nullptr) return unlimited;
  unsigned long long value = 0;
  const bool found = fscanf(file, "%llu", &value) == 1;
  fclose(file);
  return found ? static_cast<std::size_t>(value) : unlimited;
}

std::size_t limit_of(decltype(RLIMIT_AS) kind) {
  rlimit limit;
  if (getrlimit(kind, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return static_cast<std::size_t>(limit.rlim_cur);
}

// The bytes in a line of /proc/meminfo, whose name ends with a colon; `unlimited` when it is missing.
std::size_t kernel_counts(const char* name) {
  FILE* file = fopen("/proc/meminfo", "re");
  if (file == nullptr) return unlimited;
  char line[128];
  unsigned long long kilobytes = 0;
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != nullptr)
    found = strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), "%llu", &kilobytes) == 1;
  fclose(file);
  return found ? static_cast<std::size_t>(kilobytes) * 1024 : unlimited;
}

// What the kernel keeps of its promises, for the administrator and for other processes of the user.
std::size_t kept_of_promises() {
  std::size_t kept = 0;
  for (const char* name : {"/proc/sys/vm/admin_reserve_kbytes", "/proc/sys/vm/user_reserve_kbytes"})
    if (const std::size_t kilobytes = number_in(name); kilobytes != unlimited) kept += kilobytes * 1024;
  return kept;
}

}  // namespace

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// The kernel creates a memfd with mode 0777. Without the restriction other users could open it through /proc.
int create_shared(const char* label) {
  const int fd = memfd_create(label, MFD_CLOEXEC);
  if (fd >= 0) fchmod(fd, S_IRUSR | S_IWUSR);
  return fd;
}

// RLIMIT_FSIZE also limits memfds, and exceeding it raises a signal, so the size is compared first.
bool resize_shared(int fd, std::size_t bytes) {
  if (bytes <= limit_of(RLIMIT_FSIZE)) return ftruncate(fd, static_cast<off_t>(bytes)) == 0;
  errno = EFBIG;
  return false;
}

void* map_shared(int fd, std::size_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  return start == MAP_FAILED ? nullptr : start;
}

bool give_back_pages(void* start, std::size_t bytes) { return madvise(start, bytes, MADV_REMOVE) == 0; }

// QEMU's user mode ignores MADV_REMOVE and reports success. A sample byte shows whether the pages were emptied.
void empty_pages(void* start, std::size_t bytes) {
  volatile char& sample = *static_cast<char*>(start);
  sample = 1;
  if (!give_back_pages(start, bytes) || sample != 0) memset(start, 0, bytes);
}

void* reserve(std::size_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

void release(void* start, std::size_t bytes) { munmap(start, bytes); }

bool growing_table::open(std::size_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return false;
  start_ = start;
  bytes_ = round_up(bytes, page_bytes());
  return true;
}

void growing_table::close() {
  if (start_ != nullptr) release(start_, bytes_);
  *this = {};
}

bool growing_table::grow(std::size_t bytes) {
  constexpr std::size_t step = std::size_t{256} << 10;
  const std::size_t wanted = std::min(round_up(bytes, step), bytes_);
  if (bytes > bytes_ || mprotect(start_, wanted, PROT_READ | PROT_WRITE) != 0) return false;
  writable_ = wanted;
  return true;
}

std::size_t missing_bytes(const char* start, std::size_t bytes) {
  constexpr std::size_t pages_at_once = 4096;
  unsigned char there[pages_at_once];
  const std::size_t page = page_bytes();
  const std::size_t lead = reinterpret_cast<std::uintptr_t>(start) % page;
  std::size_t missing = 0;
  for (std::size_t done = 0, all = bytes + lead; done < all; done += pages_at_once * page) {
    const std::size_t length = std::min(pages_at_once * page, all - done);
    if (mincore(const_cast<char*>(start) - lead + done, length, there) != 0) return 0;
    for (std::size_t i = 0; i * page < length; ++i) missing += (there[i] & 1) == 0;
  }
  return missing * page;
}

std::size_t backed_bytes(int fd) {
  struct stat file;
  return fd >= 0 && fstat(fd, &file) == 0 ? static_cast<std::size_t>(file.st_blocks) * 512 : unlimited;
}

std::size_t promisable_memory() {
  if (number_in("/proc/sys/vm/overcommit_memory") != 2) return unlimited;
  const std::size_t limit = kernel_counts("CommitLimit:"), promised = kernel_counts("Committed_AS:");
  if (limit == unlimited || promised == unlimited) return unlimited;
  const std::size_t taken = promised + kept_of_promises();
  return limit > taken ? limit - taken : 0;
}

std::size_t available_memory() {
  return std::min({own_memory_limits().room, kernel_counts("MemAvailable:"), promisable_memory()});
}

std::size_t total_memory() {
  struct sysinfo info;
  const std::size_t node = sysinfo(&info) == 0 ? info.totalram * info.mem_unit : std::size_t{1} << 30;
  return std::min(own_memory_limits().limit, node);
}

std::size_t address_space_left() {
  const std::size_t limit = limit_of(RLIMIT_AS), largest_file = limit_of(RLIMIT_FSIZE);
  if (limit == unlimited) return largest_file;
  const std::size_t pages = number_in("/proc/self/statm");
  const std::size_t used = pages == unlimited ? 0 : pages * page_bytes();
  return std::min(limit > used ? limit - used : 0, largest_file);
}

}  // namespace oshen::os
