// The launcher of PEs forked by oshrun: it uses the job page.
#pragma once

#include <cstdint>

#include "bootstrap/launcher.hpp"

namespace oshen::bootstrap {

class oshrun final : public launcher {
 public:
  // Maps the page of the descriptor that the environment names. The descriptor stays open for a later join.
  status join();

  status allgather(const void* mine, void* all, std::size_t bytes) override;
  status barrier() override;
  void end_job(int exit_status, bool quiet) override;
  bool job_ending(int& exit_status) override;
  activity* own_activity() override { return &records(page_)[pe].doing; }
  void set_state(pe_state state) override;

 private:
  status map_page(int fd, std::size_t bytes);
  status claim();
  // A wait in a barrier.
  struct long_wait {
    std::uint64_t began;
    unsigned next_warning;
    int late;  // all PEs below this number have arrived
  };
  int late_pe(int from) const;
  bool another_warns() const;
  void explain_wait(long_wait& w);

  job_page* page_ = nullptr;
};

// The number of PEs of the job page at descriptor `fd`; 0 if it is not a job page.
int pes_of_page(int fd);

// True if this process has a job page open, even if the environment does not name it.
bool inherited_job_page();

}  // namespace oshen::bootstrap
