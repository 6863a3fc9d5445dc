#include "pe.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace explore {
namespace {

constexpr int loads_of_a_loop = 64;  // equal loads in a row

pe this_pe;

}  // namespace

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, double seconds) {
  const timespec limit{static_cast<time_t>(seconds), static_cast<long>(std::fmod(seconds, 1.0) * 1e9)};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, seen, seconds > 0 ? &limit : nullptr, nullptr,
          0);
}

void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

pe& pe::here() { return this_pe; }

void pe::become(shared_area& area, int number) {
  area_ = &area;
  number_ = number;
  box_ = &area.pes.at(static_cast<std::size_t>(number));
  box_->pid = getpid();  // before it stops: the template may write the same later
  active_ = true;
  entry first;
  first.what = step::start;
  request(first);
}

// Gives control to the scheduler until it counts `go` up.
void pe::stop(const entry& next) {
  box_->next = next;
  const std::uint32_t before = box_->go.load(std::memory_order_acquire);
  box_->parked.fetch_add(1, std::memory_order_release);
  area_->attention.fetch_add(1, std::memory_order_release);
  futex_wake(area_->attention);
  while (box_->go.load(std::memory_order_acquire) == before) futex_wait(box_->go, before, 0);
}

void pe::stop_for_ever(entry& last) {
  for (;;) stop(last);
}

void pe::reserve(std::size_t bytes) {
  if (box_->entries < log_entries && box_->payload_used + bytes <= payload_bytes) return;
  entry full;
  full.what = step::flush;
  stop(full);
}

void pe::log(entry& next) {
  if (box_->budget == 0) stop(next);
  reserve(0);
  --box_->budget;
  box_->log[box_->entries++] = next;
}

void pe::log_with(entry& next, std::span<const std::span<const std::byte>> parts) {
  if (box_->budget == 0) stop(next);
  std::size_t bytes = 0;
  for (const auto& part : parts) bytes += part.size();
  if (bytes > payload_bytes) wrong(next.call, "%zu bytes: expected at most %zu when exploring", bytes, payload_bytes);
  reserve(bytes);
  --box_->budget;
  next.payload = box_->payload_used;
  std::byte* to = box_->payload.data() + next.payload;
  for (const auto& part : parts) to = std::copy(part.begin(), part.end(), to);
  box_->payload_used += bytes;
  box_->log[box_->entries++] = next;
}

std::uint64_t pe::request(entry& next) {
  stop(next);
  return box_->result;
}

std::uint64_t pe::request_with(entry& next, std::span<const std::byte> bytes) {
  reserve(bytes.size());
  next.payload = box_->payload_used;
  std::copy(bytes.begin(), bytes.end(), box_->payload.data() + next.payload);
  box_->payload_used += bytes.size();
  return request(next);
}

void pe::leave() {
  active_ = false;
  loans_.clear();
}

// A loop such as while (flag == 0): it goes on when something has changed.
bool pe::is_loop_of_loads(std::uint64_t address) {
  same_loads_ = address == same_load_ ? same_loads_ + 1 : 0;
  if (same_loads_ == 0) free_loads_ = 0;
  same_load_ = address;
  return same_loads_ >= loads_of_a_loop;
}

void pe::plain_access(const void* address, std::size_t bytes, bool writes, const void* place, bool of_language) {
  if (!active_ || bytes == 0) return;
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (!symmetric_.has(at, bytes) &&
      std::ranges::none_of(loans_, [&](const loan& l) { return l.memory.overlaps(at, bytes); }))
    return;
  entry access;
  access.what = writes ? step::store : step::load;
  access.call = {0, place};
  access.of_language = of_language;
  access.to = {at, bytes, 1, 0};
  if (!writes && bytes <= sizeof(std::uint64_t)) std::memcpy(access.operand.data(), address, bytes);
  if (writes) {
    same_loads_ = 0;
    free_loads_ = 0;
  } else if (is_loop_of_loads(at)) {
    if (free_loads_ > 0) {
      --free_loads_;
      return;
    }
    access.what = step::poll;
    free_loads_ = request(access);
    return;
  }
  log(access);
}

void pe::lend(std::uint64_t ctx, const void* address, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (!symmetric_.has(at, bytes)) loans_.push_back({ctx, {at, at + bytes}});
}

void pe::take_back(std::uint64_t ctx) {
  std::erase_if(loans_, [=](const loan& l) { return l.ctx == ctx; });
}

void pe::wrong(explore_call call, const char* format, ...) {
  entry last;
  last.what = step::wrong;
  last.call = call;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(last.message.data(), last.message.size(), format, arguments);
  va_end(arguments);
  stop_for_ever(last);
}

void pe::check(explore_call call, const void* address, std::size_t bytes, int pe, int n) {
  if (!active_) wrong(call, "called before shmem_init or after shmem_finalize");
  if (pe < 0 || pe >= n) wrong(call, "PE %d: expected 0 to %d", pe, n - 1);
  if (address != nullptr && bytes > 0 && !symmetric_.has(reinterpret_cast<std::uint64_t>(address), bytes))
    wrong(call, "%p: not symmetric memory", address);
}

}  // namespace explore
