// The launcher of PEs that were started through a process manager: they use the hub of PE 0, whose address the process
// manager has carried to them.
#pragma once

#include <atomic>

#include "bootstrap/hub.hpp"
#include "bootstrap/launcher.hpp"
#include "bootstrap/process_manager.hpp"
#include "bootstrap/relay.hpp"
#include "os/mutex.hpp"

namespace oshen::bootstrap {

class hub_client final : public launcher {
 public:
  // Connects to the hub, which PE 0 starts first. `manager` is open and has returned `mine`. Collective. A second call
  // does nothing.
  status join(process_manager& manager, const job_rank& mine);

  status allgather(const void* mine, void* all, std::size_t bytes) override;
  status barrier() override { return allgather(nullptr, nullptr, 0); }
  void end_job(int exit_status, bool quiet) override;
  bool job_ending(int& exit_status) override;
  activity* own_activity() override { return nullptr; }
  void set_state(pe_state state) override;

 private:
  status open_hub(hub_address& mine);
  wire::hello introduction();
  status connect(const hub_address& to, const wire::hello& me);
  status take_place(const hub_address& to, const wire::hello& me);
  static void run(void* self);
  void listen();
  bool receive_from_hub();
  void receive_from_parent();
  const char* routine() const;
  unsigned patience() const;
  void ask_for_result(std::uint32_t round, unsigned waited);
  void take_overdue(std::uint32_t round);
  void leave_parent(int why);
  bool take_result(int fd, const wire::header& head);
  void check(bool authentic, const char* sender);
  bool take_notice(const wire::header& head);
  void end_without_hub(int why);
  [[noreturn]] void leave_without_hub(int why);
  bool send(const wire::header& head, const void* body, std::size_t bytes);
  bool send_held(wire::header head, const void* body, std::size_t bytes);

  process_manager* manager_ = nullptr;
  hub hub_;  // on PE 0 only
  relay relay_;
  int fd_ = -1;       // the stream to the hub
  sip_key secret_{};  // of the job
  wire::signer from_hub_;
  bool joined_ = false;  // start-up has succeeded
  char host_of_pe_0_[64] = "";
  os::mutex sending_;          // guards the next five fields, and orders the messages to the hub
  bool hub_has_left_ = false;  // after the last finalize of this PE
  bool has_parent_ = false;    // the parent in the tree sends the results
  wire::signer to_hub_;
  std::uint32_t rounds_begun_ = 0;
  std::uint64_t round_began_ = 0;
  std::atomic<pe_state> state_{pe_state::unborn};
  char* all_ = nullptr;  // destination of the current allgather
  std::size_t all_bytes_ = 0;
  std::atomic<std::uint32_t> rounds_{0};
  std::atomic<std::uint32_t> ending_{0};  // 1: the job ends with `ending_status_`
  std::int32_t ending_status_ = 0;
  std::atomic<bool> ended_here_{false};  // this PE has ended the job
};

}  // namespace oshen::bootstrap
