// A program started without a launcher: a job of one PE.
#pragma once

#include <string.h>

#include "bootstrap/launcher.hpp"

namespace oshen::bootstrap {

class single final : public launcher {
 public:
  status allgather(const void* mine, void* all, std::size_t bytes) override {
    memcpy(all, mine, bytes);
    return status::ok;
  }
  status barrier() override { return status::ok; }
  void end_job(int, bool) override {}
  bool job_ending(int&) override { return false; }
  activity* own_activity() override { return nullptr; }
  void set_state(pe_state) override {}
};

}  // namespace oshen::bootstrap
