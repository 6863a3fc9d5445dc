// PEs started by any launcher: it told them the way to PE 0 (boot/directory.hpp); the rest they do themselves.
#pragma once

#include <atomic>

#include "boot/boot.hpp"
#include "boot/directory.hpp"
#include "boot/hub.hpp"
#include "os/mutex.hpp"

namespace oshen::boot {

class wired final : public boot {
 public:
  // `launcher` has been opened and has said `mine`. Collective. A second join of the same job does nothing.
  status join(directory& launcher, const job_rank& mine);

  status allgather(const void* mine, void* all, std::size_t bytes) override;
  status barrier() override { return allgather(nullptr, nullptr, 0); }
  void end_job(int exit_status, bool quiet) override;
  bool job_ending(int& exit_status) override;
  activity* own_activity() override { return nullptr; }
  void set_state(pe_state state) override;

 private:
  status open_hub(hub_address& mine);
  status connect(const hub_address& to);
  static void run(void* self);
  void listen();
  bool take(const wire::header& head);
  void alone(int why);
  bool say(const wire::header& head, const void* body, std::size_t bytes);

  directory* launcher_ = nullptr;
  hub hub_;                      // on PE 0
  int fd_ = -1;                  // to the hub
  char host_of_pe_0_[64] = "";
  os::mutex speaking_;
  std::atomic<pe_state> state_{pe_state::unborn};
  char* all_ = nullptr;          // where the parts of the others go
  std::size_t all_bytes_ = 0;
  std::atomic<std::uint32_t> rounds_{0};
  std::atomic<std::uint32_t> ending_{0};  // 1: the job ends with `ending_status_`
  std::int32_t ending_status_ = 0;
  std::atomic<bool> noted_{false};        // this PE itself has ended the job
};

}  // namespace oshen::boot
