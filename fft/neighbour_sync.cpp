#include "neighbour_sync.hpp"

#include <shmem.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "agree.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t line = 64;

std::size_t rounded(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

struct told {
  std::ptrdiff_t offset;  // in the arena
  std::size_t stride;
  std::int32_t status;
};

std::byte* base_of(oshen_group_t* group) {
  return static_cast<std::byte*>(oshen_arena_base(oshen_group_arena(group)));
}

}  // namespace

std::unique_ptr<neighbour_sync> neighbour_sync::make(oshen_group_t* group, std::vector<int> partners, int arrays,
                                       std::size_t bytes, oshen_status_t* status) {
  std::unique_ptr<neighbour_sync> made(new neighbour_sync);
  made->group_ = group;
  made->partners_ = std::move(partners);
  made->me_ = oshen_group_rank(group);
  const oshen_status_t mine = made->allocate(arrays, bytes);
  const std::ptrdiff_t offset = mine == OSHEN_OK ? made->memory_ - base_of(group) : 0;
  std::vector<told> all;
  *status = tell_all(group, told{offset, made->stride_, static_cast<std::int32_t>(mine)}, all);
  for (const told& t : all) *status = std::max(*status, static_cast<oshen_status_t>(t.status));
  if (*status != OSHEN_OK) return nullptr;
  std::vector<std::ptrdiff_t> offsets;
  std::vector<std::size_t> strides;
  for (const told& t : all) {
    offsets.push_back(t.offset);
    strides.push_back(t.stride);
  }
  made->find(offsets, strides);
  return made;
}

oshen_status_t neighbour_sync::allocate(int arrays, std::size_t bytes) {
  const std::size_t head = static_cast<std::size_t>(oshen_group_size(group_)) * sizeof(sync_flags);
  stride_ = arrays > 1 ? rounded(bytes) : 0;
  bytes_ = head + rounded(bytes) + stride_;
  memory_ = static_cast<std::byte*>(oshen_arena_alloc(oshen_group_arena(group_), bytes_));
  if (memory_ == nullptr) return OSHEN_NO_SPACE;
  std::memset(memory_, 0, head);
  const bool reachable = std::all_of(partners_.begin(), partners_.end(), [&](int p) {
    return shmem_ptr(base_of(group_), oshen_group_pe(group_, p)) != nullptr;
  });
  return reachable ? OSHEN_OK : OSHEN_UNSUPPORTED;
}

void neighbour_sync::find(const std::vector<std::ptrdiff_t>& offsets,
                   const std::vector<std::size_t>& strides) {
  std::byte* base = base_of(group_);
  for (std::size_t r = 0; r < offsets.size(); r++) {
    member m{oshen_group_pe(group_, static_cast<int>(r)), nullptr, nullptr, strides[r],
             reinterpret_cast<sync_flags*>(base + offsets[r]),  nullptr};
    m.base = static_cast<std::byte*>(shmem_ptr(base, m.pe));
    if (m.base != nullptr) {
      m.told_here = reinterpret_cast<sync_flags*>(m.base + offsets[r]);
      m.work = m.base + offsets[r] + offsets.size() * sizeof(sync_flags);
    }
    members_.push_back(m);
  }
}

neighbour_sync::~neighbour_sync() {
  if (memory_ != nullptr) oshen_arena_free(oshen_group_arena(group_), memory_);
}

std::byte* neighbour_sync::work(int member) const {
  return of(member).work + (swapped_ ? of(member).other : 0);
}

void neighbour_sync::swap_arrays() {
  swapped_ = !swapped_;
}

bool neighbour_sync::offer(std::byte* buffer) {
  const std::ptrdiff_t offset = buffer - base_of(group_);
  if (offset == offer_) return true;
  offer_ = offset;
  // Static data is symmetric too, but lies elsewhere on every PE.
  return std::all_of(partners_.begin(), partners_.end(),
                     [&](int p) { return shmem_ptr(buffer, of(p).pe) == of(p).base + offer_; });
}

std::byte* neighbour_sync::offered(int member) const {
  return of(member).base + from(member).buffer;
}

void neighbour_sync::finished() {
  for (const int p : partners_) of(p).told_here[me_].buffer = offer_;
  // Pairs with the fence of end: what was stored through shmem_ptr before the flag is seen after
  // it.
  std::atomic_thread_fence(std::memory_order_release);
  shmem_fence();
  met_ = 0;
  for (const int p : partners_)
    shmem_uint64_atomic_set(&of(p).told[me_].neighbour_sync, rounds_ + 1, of(p).pe);
}

bool neighbour_sync::all_finished() {
  for (; met_ < partners_.size(); met_++) {
    auto* flag = const_cast<std::uint64_t*>(&from(partners_[met_]).neighbour_sync);
    if (!shmem_uint64_test(flag, SHMEM_CMP_GE, rounds_ + 1)) return false;
  }
  end();
  return true;
}

void neighbour_sync::wait_for_all() {
  for (; met_ < partners_.size(); met_++) {
    auto* flag = const_cast<std::uint64_t*>(&from(partners_[met_]).neighbour_sync);
    shmem_uint64_wait_until(flag, SHMEM_CMP_GE, rounds_ + 1);
  }
  end();
}

void neighbour_sync::end() {
  std::atomic_thread_fence(std::memory_order_acquire);
  rounds_++;
}

}  // namespace oshen::fft
