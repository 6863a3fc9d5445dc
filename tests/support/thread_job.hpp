// A job whose PEs are threads of this process, each with its own world over one shared segment, so that the sanitizers
// see every PE.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "coll/select/selection.hpp"
#include "startup/startup.hpp"
#include "world/world.hpp"

namespace oshen::testing {

// The launcher of such a job.
class thread_launcher final : public bootstrap::launcher {
 public:
  struct meeting {
    explicit meeting(int n) : barrier(n), board(static_cast<std::size_t>(n)) {}
    std::barrier<> barrier;
    std::vector<std::vector<char>> board;
  };

  thread_launcher(meeting& m, int number, int of) : meeting_(m) {
    pe = number;
    n_pes = of;
  }
  status allgather(const void* mine, void* all, std::size_t bytes) override {
    const char* from = static_cast<const char*>(mine);
    meeting_.board[static_cast<std::size_t>(pe)].assign(from, from + bytes);
    meeting_.barrier.arrive_and_wait();
    for (std::size_t i = 0; i < meeting_.board.size(); ++i)
      std::memcpy(static_cast<char*>(all) + i * bytes, meeting_.board[i].data(), bytes);
    meeting_.barrier.arrive_and_wait();
    return status::ok;
  }
  status barrier() override {
    meeting_.barrier.arrive_and_wait();
    return status::ok;
  }
  void end_job(int, bool) override {}
  bool job_ending(int&) override {
    looks.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  oshen::bootstrap::activity* own_activity() override { return nullptr; }
  void set_state(oshen::bootstrap::pe_state) override {}
  std::atomic<int> looks{0};  // how often waits have asked whether the job ends

 private:
  meeting& meeting_;
};

// Runs `body(world)` on every PE of a job of `n` PEs; with `node_pes`, on virtual nodes of that many PEs.
inline void run_job(int n, const std::function<void(world&)>& body, std::size_t heap_bytes = std::size_t{4} << 20,
                    int node_pes = 0, std::uint64_t chaos_seed = 0) {
  thread_launcher::meeting meeting(n);
  heap::segment owner;
  heap::segment_layout plan = plan_of(n, node_pes == 0 ? n : 0, 0, heap_bytes);
  plan.n_slices = n;  // one segment for all virtual nodes
  plan.team_bytes = std::size_t{16} << 20;
  ASSERT_EQ(owner.create(plan), status::ok);
  std::vector<std::thread> pes;
  for (int i = 0; i < n; ++i)
    pes.emplace_back([&, i] {
      thread_launcher launcher(meeting, i, n);
      settings config;
      config.coll_domain = 3;
      config.wait_abort_seconds = 120;  // a watchdog, which prints the waits and ends the test
      auto w = std::make_unique<world>();
      const int first = node_pes == 0 ? 0 : i / node_pes * node_pes;
      const int near = node_pes == 0 ? n : std::min(node_pes, n - first);
      config.node_pes = node_pes;
      config.chaos_seed = chaos_seed;
      w->segment.share(owner, first, near);
      w->near = {.n_pes = near, .mine = i - first, .first = first};
      furnish_world(*w, launcher, config);
      coll::forget_choices(w->team_world);
      coll::forget_choices(w->team_shared);
      meeting.barrier.arrive_and_wait();
      body(*w);
      close_world(*w);
    });
  for (std::thread& pe : pes) pe.join();
  owner.close();
}

}  // namespace oshen::testing
