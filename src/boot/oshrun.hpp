// PEs forked by oshrun: the job page, inherited by descriptor.
#pragma once

#include <cstdint>

#include "boot/boot.hpp"

namespace oshen::boot {

class oshrun final : public boot {
 public:
  // Maps the page that the environment names; leaves the descriptor open for a later join.
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
  int late_pe() const;
  bool another_speaks() const;
  void explain_wait(std::uint64_t began, unsigned& next_warning);

  job_page* page_ = nullptr;
};

// How many PEs the page of oshrun at descriptor `fd` is for; 0: it is none.
int pes_of_page(int fd);

// True when this process has oshrun's page open, whatever has become of the variables that say so.
bool inherited_job_page();

}  // namespace oshen::boot
