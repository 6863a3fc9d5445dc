// The network of a job that spans nodes: an open transport (transport/endpoint.hpp), the addresses of all PEs, and the
// thread that makes progress while the program computes. A job on one node has none.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "base/status.hpp"
#include "os/mutex.hpp"
#include "transport/endpoint.hpp"

namespace oshen {

struct world;

// The host of PE `first_pe` and of the PEs after it, up to the next entry.
struct host_name {
  int first_pe;
  char text[60];
};

// State that decides which thread makes progress (wait/progress.hpp).
struct progress_state {
  // The modes of the network's own thread. `active`: it makes progress. `standby`: it leaves progress to the program's
  // threads for a moment. `deep_standby`: it leaves progress to the blocking poller, which wakes it when it stops.
  enum mode : std::uint32_t { active, standby, deep_standby };

  std::atomic<std::uint32_t> program_advances{0};  // number of times that threads of the program have made progress
  std::atomic<bool> has_poller{false};             // a thread of the program blocks in the descriptor, or is about to
  std::atomic<std::uint32_t> sleepers{0};          // threads asleep at the wake flag: another thread must make progress
  std::atomic<std::uint32_t> thread_mode{active};
  int poller_wakeup = -1;  // wake-up descriptor of the blocking poller
  int thread_wakeup = -1;  // wake-up descriptor of the network's own thread
};

struct network {
  transport::endpoint endpoint;
  transport::channel default_channel;     // of the default context, and of contexts without a channel of their own
  transport::channel collective_channel;  // of the collectives of all teams

  world* home = nullptr;
  char* address_table = nullptr;  // of all PEs, `address_bytes` each; the PEs of a node share one table
  std::size_t address_bytes = 0;
  std::atomic<bool>* connected = nullptr;
  os::mutex connecting;
  host_name* hosts = nullptr;  // one entry for each range of PEs with the same host
  int n_hosts = 0;
  int* leaders = nullptr;  // for each PE, the first PE of its node

  progress_state progress;
  pthread_t thread{};
  std::atomic<bool> has_thread{false};
  std::atomic<bool> stopping{false};
  std::atomic<bool> is_broken{false};  // an operation has failed, and perhaps no call will ask about it
};

// The host of PE `pe` of the job, for messages; "another node" if it is unknown.
const char* host_of(const world& w, int pe);

// The first PE of the node of PE `pe` of the job; all PEs of the job use this number for that node.
int node_leader_of(const world& w, int pe);

// Connects to PE `pe` of the job, which is needed before the first operation towards it.
transport::outcome connect(world& w, int pe);

}  // namespace oshen
