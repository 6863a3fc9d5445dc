#include "heap/segment.hpp"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.hpp"
#include "base/log.hpp"
#include "heap/core_dump.hpp"
#include "os/memory.hpp"

namespace oshen::heap {

std::size_t segment_layout::data_offset() const { return round_up(control_bytes, os::page_bytes()); }
std::size_t segment_layout::heap_offset() const { return round_up(data_offset() + data_bytes, alignment); }
std::size_t segment_layout::team_begin() const { return round_up(heap_bytes, alignment); }
std::size_t segment_layout::symmetric_bytes() const { return team_bytes == 0 ? heap_bytes : team_begin() + team_bytes; }
std::size_t segment_layout::annex_offset() const {
  return round_up(heap_offset() + symmetric_bytes(), os::page_bytes());
}
std::size_t segment_layout::stride() const { return round_up(annex_offset() + annex_bytes, alignment); }
std::size_t segment_layout::touched_at_start() const {
  constexpr std::size_t private_tables = std::size_t{1} << 20;
  return static_cast<std::size_t>(n_slices) * (data_offset() + data_bytes + private_tables);
}
std::size_t segment_layout::total() const { return node_bytes + static_cast<std::size_t>(n_slices) * stride(); }

status segment::create(const segment_layout& plan) {
  fd_ = os::create_shared("oshen");
  if (fd_ < 0) {
    log::error("cannot create the node segment: memfd_create: %s", strerror(errno));
    return status::no_memory;
  }
  // A first touch that the kernel refuses is a SIGBUS, so it is known here whether start-up can touch its memory.
  if (const std::size_t room = os::promisable_memory(); plan.touched_at_start() > room) {
    log::error(
        "cannot create a node segment: %d PEs need %zu bytes at once, and the kernel promises %zu: end other programs, "
        "or raise vm.overcommit_ratio (vm.overcommit_memory is 2)",
        plan.n_slices, plan.touched_at_start(), room);
    return status::no_memory;
  }
  if (!os::resize_shared(fd_, plan.total())) {
    log::error("cannot create a node segment of %zu bytes for %d PEs: %s; a smaller SHMEM_SYMMETRIC_SIZE may help",
               plan.total(), plan.n_slices, strerror(errno));
    return status::no_memory;
  }
  return map(plan);
}

status segment::attach(const segment_layout& plan, int fd) {
  fd_ = fd;
  return map(plan);
}

namespace {

constexpr int reserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// Reserves `alignment` more bytes than needed and trims both ends, so that the start is aligned.
char* reserve_anywhere(std::size_t bytes) {
  void* room = mmap(nullptr, bytes + alignment, PROT_NONE, reserved, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  char* start = static_cast<char*>(room);
  char* aligned = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(start), alignment));
  const std::size_t lead = static_cast<std::size_t>(aligned - start);
  if (lead != 0) munmap(start, lead);
  if (alignment - lead != 0) munmap(aligned + bytes, alignment - lead);
  return aligned;
}

// Reserves bytes at this address, unless something else is there.
char* reserve_at(std::uintptr_t address, std::size_t bytes) {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const room = mmap(wanted, bytes, PROT_NONE, reserved | MAP_FIXED_NOREPLACE, -1, 0);
  if (room == MAP_FAILED || room == wanted) return room == wanted ? static_cast<char*>(room) : nullptr;
  munmap(room, bytes);  // an old kernel takes the address as a hint
  errno = EEXIST;
  return nullptr;
}

}  // namespace

char* segment::reserve() const {
  if (!plan_.one_address) return reserve_anywhere(mapped_);
  const std::size_t before =
      plan_.node_bytes + static_cast<std::size_t>(plan_.own_slice) * plan_.stride() + plan_.heap_offset();
  if (before < common_address) return reserve_at(common_address - before, mapped_);
  errno = ENOMEM;
  return nullptr;
}

status segment::map(const segment_layout& plan) {
  plan_ = plan;
  mapped_ = plan.total();
  char* const aligned = reserve();
  if (aligned == nullptr) {
    log::error("cannot map %zu bytes of symmetric memory for %d PEs%s: %s; a smaller SHMEM_SYMMETRIC_SIZE may help",
               mapped_, plan.n_slices, plan.one_address ? " with the heap at one address (OSHEN_ONE_ADDRESS)" : "",
               strerror(errno));
    return status::no_memory;
  }
  mapping_ = mmap(aligned, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd_, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    munmap(aligned, mapped_);
    log::error("cannot map the node segment: %s", strerror(errno));
    return status::no_memory;
  }
  leave_out_of_core(mapping_, mapped_);
  base_ = aligned;
  slices_ = base_ + plan.node_bytes;
  stride_ = plan.stride();
  return status::ok;
}

void segment::share(const segment& owner, int first, int n) {
  plan_ = owner.plan_;
  plan_.n_slices = n;
  base_ = owner.base_;
  stride_ = owner.stride_;
  slices_ = owner.slice(first);
}

void segment::close() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
  if (fd_ >= 0) ::close(fd_);
  mapping_ = nullptr;
  base_ = slices_ = nullptr;
  fd_ = -1;
}

}  // namespace oshen::heap
