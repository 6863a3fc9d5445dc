// Pages that a thread may only read from protect() to unprotect(). The first write is counted, and ends the protection.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "base/bits.hpp"

namespace oshen::testing {

class watched_pages {
 public:
  explicit watched_pages(std::size_t bytes) : bytes_(round_up(bytes, static_cast<std::size_t>(getpagesize()))) {
    at_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~watched_pages() { munmap(at_, bytes_); }
  watched_pages(const watched_pages&) = delete;
  watched_pages& operator=(const watched_pages&) = delete;
  void* begin() const { return at_; }

  void protect() {
    present_ = this;
    writes_ = 0;
    struct sigaction how{};
    how.sa_sigaction = [](int, siginfo_t* info, void*) { present_->note(info->si_addr); };
    how.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &how, &before_);
    mprotect(at_, bytes_, PROT_READ);
  }
  // Returns true if a thread has written.
  bool unprotect() {
    mprotect(at_, bytes_, PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &before_, nullptr);
    return writes_ != 0;
  }

 private:
  void note(const void* at) {
    const auto* begin = static_cast<const char*>(at_);
    if (at < begin || at >= begin + bytes_) abort();
    writes_ = 1;
    mprotect(at_, bytes_, PROT_READ | PROT_WRITE);
  }

  static inline watched_pages* present_ = nullptr;
  void* at_ = nullptr;
  std::size_t bytes_;
  volatile int writes_ = 0;
  struct sigaction before_{};
};

}  // namespace oshen::testing
