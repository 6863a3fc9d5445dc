#include "pe.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace explore {
namespace {

constexpr int loads_of_a_loop = 64, loads_of_a_long_loop = 256;  // that repeat the last one, or the last ones
constexpr std::uint32_t most_in_loop = 4;                        // different loads

pe this_pe;

struct loop_of_loads {
  std::array<std::uint64_t, most_in_loop + 1> recent{};  // addresses of the last loads, the last one first
  std::array<int, most_in_loop> times{};                 // loads in a row that repeat the one 1, 2, ... before
  std::uint64_t free_loads = 0;                          // of this loop, which are no steps
};

// What each thread has for itself.
struct thread_state {
  mailbox* box = nullptr;
  int number = 0;
  loop_of_loads loop;
};
thread_local thread_state mine;

bool is_plain(step what) { return what == step::load || what == step::store || what == step::poll; }
bool is_of_threads(const entry& e) { return e.of_threads || e.what == step::create || e.what == step::join; }

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
  mine.box = &area.boxes[slot_of(number, 0)];
  mine.box->pid = getpid();  // before it stops: the template may write the same later
  active_ = true;
  pthread_atfork(nullptr, nullptr, [] { here().become_child(); });
  entry first;
  first.what = step::start;
  request(first);
}

// Its loads and stores are its own. It must not call the library.
void pe::become_child() {
  leave();
  is_child_ = true;
  other_threads_ = 0;
}

int pe::thread() { return mine.number; }

void pe::prepare_thread(int thread) {
  mailbox& box = area_->boxes[slot_of(number_, thread)];
  box.entries = box.payload_used = 0;
  box.parked.store(0);
  count_thread(1);
}

void pe::begin_thread(int thread) {
  mine.number = thread;
  mine.box = &area_->boxes[slot_of(number_, thread)];
  entry first;
  first.what = step::start;
  request(first);
}

// Two threads in calls at the same time, or calls of other threads than the first one: what the program asked for.
void pe::note_threads(entry& next) {
  constexpr int funneled = 1, serialized = 2;
  next.threaded = other_threads_ > 0;
  if (is_plain(next.what) || is_of_threads(next) || next.call.routine == nullptr) return;
  next.alone = next.threaded && level_ == serialized;
  if (mine.number != 0 && level_ <= funneled && next.what != step::wrong)
    wrong(next.call, "called by thread %d: expected SHMEM_THREAD_MULTIPLE or _SERIALIZED", mine.number);
}

// Gives control to the scheduler until it counts `go` up.
void pe::stop(const entry& next) {
  if (is_child_) {
    area_->called_by_child.store(next.call.routine != nullptr ? next.call.routine : "a function for threads");
    _exit(1);
  }
  mailbox& box = *mine.box;
  box.next = next;
  const std::uint32_t before = box.go.load(std::memory_order_acquire);
  box.parked.fetch_add(1, std::memory_order_release);
  area_->attention.fetch_add(1, std::memory_order_release);
  futex_wake(area_->attention);
  while (box.go.load(std::memory_order_acquire) == before) futex_wait(box.go, before, 0);
}

void pe::stop_for_ever(entry& last) {
  for (;;) stop(last);
}

void pe::reserve(std::size_t bytes) {
  if (mine.box->entries < log_entries && mine.box->payload_used + bytes <= payload_bytes) return;
  entry full;
  full.what = step::flush;
  stop(full);
}

void pe::refuse_if_long(explore_call call, std::size_t bytes) {
  if (bytes <= payload_bytes) return;
  entry last;
  last.what = step::not_modelled;
  last.call = {nullptr, call.place};
  std::snprintf(last.message.data(), last.message.size(), "%s of %zu bytes, which is more than %zu,", call.routine,
                bytes, payload_bytes);
  stop_for_ever(last);
}

void pe::log(entry& next) {
  note_threads(next);
  if (mine.box->budget == 0) stop(next);
  reserve(0);
  --mine.box->budget;
  if (next.what == step::store && mine.box->stops_after_stores) mine.box->budget = 0;
  mine.box->log[mine.box->entries++].said = next;
}

void pe::log_with(entry& next, std::span<const std::span<const std::byte>> parts) {
  note_threads(next);
  if (mine.box->budget == 0) stop(next);
  std::size_t bytes = 0;
  for (const auto& part : parts) bytes += part.size();
  refuse_if_long(next.call, bytes);
  reserve(bytes);
  --mine.box->budget;
  next.payload = mine.box->payload_used;
  std::byte* to = mine.box->payload.data() + next.payload;
  for (const auto& part : parts) to = std::copy(part.begin(), part.end(), to);
  mine.box->payload_used += bytes;
  mine.box->log[mine.box->entries++].said = next;
}

std::uint64_t pe::request(entry& next) {
  note_threads(next);
  stop(next);
  return mine.box->result;
}

std::uint64_t pe::request_with(entry& next, std::span<const std::byte> bytes) {
  refuse_if_long(next.call, bytes.size());
  reserve(bytes.size());
  next.payload = mine.box->payload_used;
  std::copy(bytes.begin(), bytes.end(), mine.box->payload.data() + next.payload);
  mine.box->payload_used += bytes.size();
  return request(next);
}

void pe::leave() {
  active_ = false;
  loans_.clear();
}

// Returns the number of loads in a loop such as while (flag == 0), which goes on when something has changed. 0: none.
std::uint32_t pe::note_load(std::uint64_t address) {
  loop_of_loads& loop = mine.loop;
  std::uint32_t found = 0;
  for (std::uint32_t period = 1; period <= most_in_loop; ++period) {
    int& times = loop.times[period - 1];
    times = loop.recent[period - 1] == address ? times + 1 : 0;
    if (found == 0 && times >= (period == 1 ? loads_of_a_loop : loads_of_a_long_loop)) found = period;
  }
  std::shift_right(loop.recent.begin(), loop.recent.end(), 1);
  loop.recent.front() = address;
  if (found == 0) loop.free_loads = 0;
  return found;
}

// In a loop of `loads` loads that have changed nothing.
void pe::poll(entry& access, std::uint32_t loads) {
  loop_of_loads& loop = mine.loop;
  if (loop.free_loads > 0) {
    --loop.free_loads;
    return;
  }
  access.what = step::poll;
  access.count = loads - 1;
  std::memcpy(access.operand.data(), loop.recent.data() + 1, access.count * sizeof(std::uint64_t));
  const std::uint64_t free_loads = request(access);
  // The changed object may be read only now.
  if (loads > 1 && free_loads == 0) loop = {};
  loop.free_loads = free_loads;
}

void pe::plain_access(const void* address, std::size_t bytes, bool writes, const void* place, bool of_language) {
  if ((!active_ && other_threads_ == 0) || bytes == 0) return;
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const bool is_private = other_threads_ == 0 && !symmetric_.has(at, bytes) &&
                          std::ranges::none_of(loans_, [&](const loan& l) { return l.memory.overlaps(at, bytes); });
  if (is_private) return;
  entry access;
  access.what = writes ? step::store : step::load;
  access.call = {nullptr, place};
  access.of_language = of_language;
  access.to = {at, bytes, 1, 0};
  if (writes)
    mine.loop = {};
  else if (const std::uint32_t loads = note_load(at); loads > 0)
    return poll(access, loads);
  if (!writes && bytes <= sizeof(std::uint64_t)) std::memcpy(access.operand.data(), address, bytes);
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
