// The page that oshrun shares with the PEs (boot/job_page.hpp): made here, inherited by descriptor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "boot/job_page.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {

class job {
 public:
  explicit job(int n_pes);
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  int n_pes() const { return page_->n_pes; }
  int descriptor() const { return fd_.get(); }
  oshen::boot::job_page& page() { return *page_; }
  oshen::boot::pe_record& record(int pe) { return oshen::boot::records(page_)[pe]; }
  oshen::boot::pe_state state(int pe) { return record(pe).state.load(std::memory_order_acquire); }

  // The PE may have written its own number already: a wrapper script starts the program later.
  void note_started(int pe, pid_t pid);
  // shmem_global_exit or a fatal error was called for, by a PE.
  bool end_requested() { return page_->ending.load(std::memory_order_acquire) == 2; }

 private:
  unique_fd fd_;
  oshen::boot::job_page* page_;  // mapped as long as the process lives
};

// What a PE says it is waiting for; empty text when it is not in a long wait.
struct current_activity {
  std::string text;
  double seconds = 0;
};
current_activity read_activity(const oshen::boot::activity& doing);

}  // namespace oshrun
