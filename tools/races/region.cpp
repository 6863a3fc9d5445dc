#include "region.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <mutex>

#include "settings.hpp"

namespace races {
namespace {

constexpr std::size_t page = 4096;
std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

void spin_lock::wait_and_lock() {
  while (busy_.exchange(1, std::memory_order_acquire) != 0) sched_yield();
}

void region::plan(std::uint32_t pes, std::size_t statics, std::size_t heap) {
  pes_ = pes;
  clocks_ = whole_pages(sizeof(region_header));
  const std::size_t tables = (std::size_t{pes} + std::size_t{region_header::slots} * (1 + region_header::recent)) *
                             knowledge::words_for(pes) * sizeof(std::uint32_t);
  locks_ = clocks_ + whole_pages(tables);
  locks_bytes_ = whole_pages(((statics + heap) / cell::block + 1) * sizeof(spin_lock));
  shadow_ = locks_ + pes * locks_bytes_;
  shadow_bytes_ = whole_pages((statics + heap) / cell::memory * sizeof(cell));
  bytes_ = shadow_ + pes * shadow_bytes_;
}

bool region::map(int fd) {
  void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (at == MAP_FAILED) return false;
  madvise(at, bytes_, MADV_DONTDUMP);
  base_ = static_cast<char*>(at);
  fd_ = fd;
  return true;
}

bool region::create(std::uint32_t pes, std::size_t statics, std::size_t heap, message& mine) {
  plan(pes, statics, heap);
  const int fd = memfd_create("oshen-races", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes_)) != 0 || !map(fd)) {
    if (fd >= 0) ::close(fd);
    return false;
  }
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  mine = {getpid(), fd, static_cast<std::uint64_t>(now.tv_sec) * 1000000007 + static_cast<std::uint64_t>(now.tv_nsec)};
  fixed().nonce = mine.nonce;
  fixed().kinds_limit = chosen().most_kinds;
  return true;
}

bool region::open(std::uint32_t pes, std::size_t statics, std::size_t heap, const message& theirs) {
  plan(pes, statics, heap);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%ld/fd/%ld", static_cast<long>(theirs.process),
                static_cast<long>(theirs.descriptor));
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  // Another host may have another process of this number: the size and the nonce tell.
  if (lseek(fd, 0, SEEK_END) != static_cast<off_t>(bytes_) || !map(fd)) {
    ::close(fd);
    return false;
  }
  if (fixed().nonce == theirs.nonce) return true;
  close();
  return false;
}

std::uint32_t region::number_of(std::uint64_t kind) const {
  region_header& shared = fixed();
  constexpr std::uint32_t entries = 2 * region_header::most_kinds;
  auto at = static_cast<std::uint32_t>(kind * 0x9e3779b97f4a7c15u >> 41) % entries;
  for (;; at = (at + 1) % entries) {
    std::uint32_t number = shared.kind_numbers[at].load(std::memory_order_acquire);
    if (number == 0) {
      const std::scoped_lock lock(shared.kinds_lock);
      number = shared.kind_numbers[at].load(std::memory_order_relaxed);
      if (number == 0) {
        if (shared.n_kinds + 1 >= shared.kinds_limit) {
          set_full(limits::kinds);
          return 0;
        }
        number = ++shared.n_kinds;
        shared.kinds[number] = kind;
        shared.kind_numbers[at].store(number, std::memory_order_release);
      }
    }
    if (shared.kinds[number] == kind) return number;
  }
}

void region::close() {
  if (base_ == nullptr) return;
  munmap(base_, bytes_);
  ::close(fd_);
  base_ = nullptr;
}

}  // namespace races
