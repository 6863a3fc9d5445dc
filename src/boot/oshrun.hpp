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
  activity* board() override { return &records(page_)[pe].doing; }
  void set_state(pe_state state) override;

 private:
  int late_pe() const;
  void explain_wait(std::uint64_t began, unsigned& next_warning);

  job_page* page_ = nullptr;
};

// True when oshrun started this process.
bool started_by_oshrun();

}  // namespace oshen::boot
