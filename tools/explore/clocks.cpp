// The clocks of a PE start at the same moment in every order, and go on by one microsecond whenever they are read. So a
// program that measures times, or seeds its random numbers by them, takes the same steps in the same order.
#include <dlfcn.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include "pe.hpp"
#include "start.hpp"
#include "threads.hpp"

namespace explore {
namespace {

constexpr std::int64_t nanoseconds = 1'000'000'000, one_reading = 1000;
std::int64_t start = 0;    // of the clocks of all PEs
std::int64_t forward = 0;  // of this PE since then

std::int64_t time_of(const timespec& t) { return t.tv_sec * nanoseconds + t.tv_nsec; }
timespec timespec_of(std::int64_t t) { return {t / nanoseconds, t % nanoseconds}; }

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
using clock_function = int(clockid_t, timespec*);
using sleep_function = int(const timespec*, timespec*);

bool is_of_processor(clockid_t clock) {
  return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

clock_function* real_clock = nullptr;

int read_clock(clockid_t clock, timespec* now) {
  if (!pe::here().is_pe()) {
    if (real_clock == nullptr) real_clock = real<clock_function>("clock_gettime");
    return real_clock(clock, now);
  }
  forward += one_reading;
  *now = timespec_of(is_of_processor(clock) ? forward : start + forward);
  return 0;
}

// A PE does not sleep. Its clocks go on instead.
void sleep_for(std::int64_t time) { forward += std::max(std::int64_t{0}, time); }

int sleep_for(const timespec& time, timespec* left) {
  if (!pe::here().is_pe()) return real<sleep_function>("nanosleep")(&time, left);
  if (time.tv_nsec < 0 || time.tv_nsec >= nanoseconds || time.tv_sec < 0) {
    errno = EINVAL;
    return -1;
  }
  sleep_for(time_of(time));
  return 0;
}

}  // namespace

std::int64_t start_of_clocks() { return start; }

void start_clocks(std::int64_t at) {
  timespec now{};
  if (at == 0 && read_clock(CLOCK_REALTIME, &now) == 0) at = time_of(now);
  start = at;
}

void pass_time(const time_limit& limit) {
  timespec now{};
  if (limit.at == nullptr || read_clock(limit.clock, &now) != 0) return;
  sleep_for(time_of(*limit.at) - time_of(now));
}

}  // namespace explore

using namespace explore;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int clock_gettime(clockid_t clock, timespec* now) noexcept { return read_clock(clock, now); }
EXPORT int timespec_get(timespec* now, int base) noexcept {
  return base == TIME_UTC && read_clock(CLOCK_REALTIME, now) == 0 ? base : 0;
}
EXPORT int gettimeofday(timeval* now, void*) noexcept {
  timespec t{};
  if (read_clock(CLOCK_REALTIME, &t) != 0) return -1;
  *now = {t.tv_sec, t.tv_nsec / 1000};
  return 0;
}
EXPORT time_t time(time_t* now) noexcept {
  timespec t{};
  if (read_clock(CLOCK_REALTIME, &t) != 0) return -1;
  if (now != nullptr) *now = t.tv_sec;
  return t.tv_sec;
}
EXPORT clock_t clock() noexcept {
  timespec t{};
  if (read_clock(CLOCK_PROCESS_CPUTIME_ID, &t) != 0) return -1;
  return t.tv_sec * CLOCKS_PER_SEC + t.tv_nsec / (nanoseconds / CLOCKS_PER_SEC);
}

EXPORT int nanosleep(const timespec* time, timespec* left) { return sleep_for(*time, left); }
EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!pe::here().is_pe())
    return real<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep")(clock, flags, time, left);
  if ((flags & TIMER_ABSTIME) == 0) return sleep_for(*time, left) == 0 ? 0 : EINVAL;
  pass_time({clock, time});
  return 0;
}
EXPORT int usleep(useconds_t time) { return sleep_for(timespec_of(std::int64_t{time} * 1000), nullptr); }
EXPORT unsigned sleep(unsigned seconds) {
  timespec left{};
  return sleep_for({seconds, 0}, &left) == 0 ? 0 : static_cast<unsigned>(left.tv_sec);
}
