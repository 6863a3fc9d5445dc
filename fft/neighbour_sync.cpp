#include "neighbour_sync.hpp"

#include <shmem.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "agree.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t line = 64;

std::byte* base_of(oshen_group_t* group) {
  return static_cast<std::byte*>(oshen_arena_base(oshen_group_arena(group)));
}

}  // namespace

std::size_t neighbour_sync::rounded(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

std::size_t neighbour_sync::head_bytes(int members) {
  return static_cast<std::size_t>(members) * sizeof(sync_flags);
}

oshen_status_t neighbour_sync::verdict(const std::vector<places>& all) {
  oshen_status_t worst = OSHEN_OK;
  for (const places& t : all) {
    const auto said = static_cast<oshen_status_t>(t.status);
    if (said == OSHEN_UNSUPPORTED) return said;  // then no work arrays are needed, whether there is room or not
    worst = std::max(worst, said);
  }
  return worst;
}

std::unique_ptr<neighbour_sync> neighbour_sync::make(oshen_group_t* group, std::vector<int> partners,
                                                     const work_arrays& need, const lent_memory& lent,
                                                     oshen_status_t* status) {
  std::unique_ptr<neighbour_sync> made(new neighbour_sync);
  made->group_ = group;
  made->partners_ = std::move(partners);
  made->me_ = oshen_group_rank(group);
  places mine{0, 0, 0, static_cast<std::int32_t>(made->allocate(need, lent))};
  if (mine.status == OSHEN_OK) {
    mine.flags = made->memory_ - base_of(group);
    mine.work = made->work_ - base_of(group);
    mine.other = made->stride_;
  }
  std::vector<places> all;
  *status = tell_all(group, mine, all);
  if (*status == OSHEN_OK) *status = verdict(all);
  if (*status != OSHEN_OK) return nullptr;
  made->find(all);
  return made;
}

oshen_status_t neighbour_sync::allocate(const work_arrays& need, const lent_memory& lent) {
  const oshen_status_t reach = reaches(lent);  // first: out of reach of anybody, nothing is taken
  if (reach != OSHEN_OK) return reach;
  const bool is_lent = lent.base != nullptr;
  if (is_lent && lent.bytes < need.all()) return OSHEN_NO_SPACE;
  const std::size_t head = head_bytes(oshen_group_size(group_));
  stride_ = need.count > 1 ? rounded(need.bytes) : 0;
  bytes_ = head + (is_lent ? 0 : need.all());
  memory_ = static_cast<std::byte*>(oshen_arena_alloc(oshen_group_arena(group_), bytes_));
  if (memory_ == nullptr) return OSHEN_NO_SPACE;
  std::memset(memory_, 0, head);
  work_ = is_lent ? lent.base : memory_ + head;
  return OSHEN_OK;
}

oshen_status_t neighbour_sync::reaches(const lent_memory& lent) const {
  for (const int p : partners_) {
    const int pe = oshen_group_pe(group_, p);
    auto* base = static_cast<std::byte*>(shmem_ptr(base_of(group_), pe));
    if (base == nullptr) return OSHEN_UNSUPPORTED;
    // Static data is symmetric too, but lies elsewhere on every PE.
    const bool in_heap = lent.base == nullptr || shmem_ptr(lent.base, pe) == base + (lent.base - base_of(group_));
    if (!in_heap) return OSHEN_INVALID;
  }
  return OSHEN_OK;
}

void neighbour_sync::find(const std::vector<places>& all) {
  std::byte* base = base_of(group_);
  for (std::size_t r = 0; r < all.size(); r++) {
    const int pe = oshen_group_pe(group_, static_cast<int>(r));
    // A PE reaches itself, whatever the library says: a convolution may turn where nobody else has anything.
    const bool own = static_cast<int>(r) == me_;
    member m{pe, own ? base : static_cast<std::byte*>(shmem_ptr(base, pe)), nullptr, all[r].other,
             reinterpret_cast<sync_flags*>(base + all[r].flags), nullptr};
    if (m.base != nullptr) {
      m.told_here = reinterpret_cast<sync_flags*>(m.base + all[r].flags);
      m.work = m.base + all[r].work;
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
