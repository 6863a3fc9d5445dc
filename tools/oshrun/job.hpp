// The job page that oshrun shares with the PEs (bootstrap/job_page.hpp). PEs inherit its descriptor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "bootstrap/job_page.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {

class job {
 public:
  explicit job(int n_pes);
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  int n_pes() const { return page_->n_pes; }
  int descriptor() const { return fd_.get(); }
  oshen::bootstrap::job_page& page() { return *page_; }
  oshen::bootstrap::pe_record& record(int pe) { return oshen::bootstrap::records(page_)[pe]; }
  oshen::bootstrap::pe_state state(int pe) { return record(pe).state.load(std::memory_order_acquire); }

  // Records the process of a PE, unless the PE has recorded its own: a wrapper script starts the program later.
  void note_started(int pe, pid_t pid);
  // Whether a PE has called shmem_global_exit or met a fatal error.
  bool end_requested() { return page_->ending.load(std::memory_order_acquire) == oshen::bootstrap::ending_state::told; }

 private:
  unique_fd fd_;
  oshen::bootstrap::job_page* page_;  // never unmapped
};

// The wait that a PE has published; empty text if it is not in a long wait.
struct current_activity {
  std::string text;
  double seconds = 0;
};
current_activity read_activity(const oshen::bootstrap::activity& doing);

}  // namespace oshrun
