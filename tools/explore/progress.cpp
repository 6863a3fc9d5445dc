#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "machine.hpp"

namespace explore {
namespace {

constexpr double before_first = 2, between = 1;  // seconds

}  // namespace

progress::progress()
    : is_terminal_(isatty(STDERR_FILENO) == 1), started_(seconds_now()), next_(started_ + before_first) {}

// New choices are found as the search goes on, so the estimate is mostly too low.
void progress::show(std::uint64_t orders, double done) {
  const double now = seconds_now();
  if (!is_terminal_ || orders == 0 || now < next_) return;
  next_ = now + between;
  is_shown_ = true;
  const double rate = static_cast<double>(orders) / (now - started_);
  std::fprintf(stderr,
               "\r\033[Kexplore: %llu orders, %.0f orders/s; "
               "%.2g%% of the choices known so far, so about %.2g orders or more",
               static_cast<unsigned long long>(orders), rate, 100 * done, static_cast<double>(orders) / done);
}

void progress::clear() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  is_shown_ = false;
}

}  // namespace explore
