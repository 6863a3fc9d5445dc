#include "meeting.hpp"

#include <shmem.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "agree.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t line = 64;
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

std::size_t rounded(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

struct told {
  std::uint64_t offset;  // in the arena
  std::uint64_t stride;
  std::int32_t status;
};

}  // namespace

std::unique_ptr<meeting> meeting::make(oshen_group_t* group, std::vector<int> partners,
                                       std::size_t bytes, oshen_status_t* status) {
  std::unique_ptr<meeting> made(new meeting);
  oshen_arena_t* arena = oshen_group_arena(group);
  auto* base = static_cast<std::byte*>(oshen_arena_base(arena));
  const auto n = static_cast<std::size_t>(oshen_group_size(group));
  const std::size_t head = rounded(n * sizeof(std::uint64_t)), stride = rounded(bytes);
  made->group_ = group;
  made->partners_ = std::move(partners);
  made->me_ = oshen_group_rank(group);
  made->bytes_ = head + 2 * stride;
  made->memory_ = static_cast<std::byte*>(oshen_arena_alloc(arena, made->bytes_));
  oshen_status_t mine = made->memory_ == nullptr ? OSHEN_NO_SPACE : OSHEN_OK;
  for (const int p : made->partners_) {
    if (mine == OSHEN_OK && shmem_ptr(base, oshen_group_pe(group, p)) == nullptr)
      mine = OSHEN_UNSUPPORTED;
  }
  if (made->memory_ != nullptr) std::memset(made->memory_, 0, head);
  const told own{mine == OSHEN_OK ? static_cast<std::uint64_t>(made->memory_ - base) : nowhere,
                 stride, static_cast<std::int32_t>(mine)};
  std::vector<told> all;
  *status = tell_all(group, own, all);
  for (const told& t : all) *status = std::max(*status, static_cast<oshen_status_t>(t.status));
  if (*status != OSHEN_OK) return nullptr;
  for (std::size_t r = 0; r < n; r++) {
    const int pe = oshen_group_pe(group, static_cast<int>(r));
    auto* mapped = static_cast<std::byte*>(shmem_ptr(base, pe));
    made->members_.push_back({pe, mapped == nullptr ? nullptr : mapped + all[r].offset + head,
                              all[r].stride,
                              reinterpret_cast<std::uint64_t*>(base + all[r].offset)});
  }
  return made;
}

meeting::~meeting() {
  if (memory_ != nullptr) oshen_arena_free(oshen_group_arena(group_), memory_);
}

std::byte* meeting::half(int member, std::uint64_t move) const {
  const auto& m = members_[static_cast<std::size_t>(member)];
  return m.work + (move & 1) * m.stride;
}

std::byte* meeting::work(int member) const {
  return half(member, moves_);
}

std::byte* meeting::last_work() const {
  return half(me_, moves_ - 1);
}

void meeting::finished_writing() {
  // Pairs with the fence of end_move: what was stored through shmem_ptr before the flag is seen
  // after it.
  std::atomic_thread_fence(std::memory_order_release);
  shmem_fence();
  met_ = 0;
  for (const int p : partners_) {
    const auto& m = members_[static_cast<std::size_t>(p)];
    shmem_uint64_atomic_set(m.flags + me_, moves_ + 1, m.pe);
  }
}

bool meeting::all_finished() {
  auto* flags = reinterpret_cast<std::uint64_t*>(memory_);
  for (; met_ < partners_.size(); met_++) {
    if (!shmem_uint64_test(flags + partners_[met_], SHMEM_CMP_GE, moves_ + 1)) return false;
  }
  end_move();
  return true;
}

void meeting::wait_for_all() {
  auto* flags = reinterpret_cast<std::uint64_t*>(memory_);
  for (; met_ < partners_.size(); met_++) {
    shmem_uint64_wait_until(flags + partners_[met_], SHMEM_CMP_GE, moves_ + 1);
  }
  end_move();
}

void meeting::end_move() {
  std::atomic_thread_fence(std::memory_order_acquire);
  moves_++;
}

}  // namespace oshen::fft
