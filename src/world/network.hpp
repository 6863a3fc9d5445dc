// The network of a job that spans nodes: an open transport (transport/endpoint.hpp), the addresses of all PEs, and the
// thread that makes progress while the program computes. A job on one node has none.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "base/status.hpp"
#include "os/mutex.hpp"
#include "os/thread.hpp"
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
  // `blocked`: it blocks in the descriptor.
  enum mode : std::uint32_t { active, standby, deep_standby, blocked };

  // A thread of the program is inside progress().
  std::atomic<bool> is_advancing{false};

  std::atomic<std::uint32_t> program_advances{0};  // number of times that threads of the program have made progress
  std::atomic<bool> has_poller{false};             // a thread of the program blocks in the descriptor, or is about to
  std::atomic<std::uint32_t> sleepers{0};          // threads asleep at the wake flag: another thread must make progress
  std::atomic<std::uint32_t> thread_mode{active};
  int poller_wakeup = -1;               // wake-up descriptor of the blocking poller
  int thread_wakeup = -1;               // wake-up descriptor of the network's own thread
  std::atomic<std::uint32_t> wakes{0};  // of this PE's sleepers, by progress
  // Waits whose arrivals the network's own thread has not seen since it blocked (hide_arrivals()).
  std::atomic<int> n_hidden{0};
  std::atomic<std::uint64_t> retry_ns{0};  // time until the next retry of an operation; 0: the last one succeeded
};

// What is known about the arrival of this PE's operations (wait/delivery.hpp).
struct delivery_state {
  transport::channel channel;        // on the stream of the collectives
  transport::completion unanswered;  // questions without a reply
  std::uint64_t n_changes = 0;       // of all channels, when the questions began
  transport::flush_point fence;      // of the collectives' channel, before the questions
  int next_pe = 0;                   // all connected PEs below this number have been asked
  bool proven = false;               // all changes up to `n_changes` have arrived
};

// The questions of the PE that sends the probes to the nodes of other PEs (wait/node_probes.hpp).
struct node_probes {
  static constexpr int most_open = 32;
  struct question {
    int leader = -1;            // the first PE of the node that is asked; -1: none
    bool has_probe = false;     // the node has received the probe
    std::uint64_t answer = 0;   // of the node
    std::uint64_t next_ns = 0;  // not asked again before this time
    transport::completion unanswered;
  };

  transport::channel channel;  // on the stream of the default context
  question questions[most_open];
  int next_pe = 0;          // all nodes whose first PE is below this number have been asked
  std::uint32_t least = 0;  // the least number of consecutive answers among the nodes that have answered
};

struct network {
  transport::endpoint endpoint;
  transport::channel default_channel;     // of the default context, and of contexts without a channel of their own
  transport::channel collective_channel;  // of the collectives of all teams
  os::mutex channels_lock;
  transport::channel* channels = nullptr;  // of contexts that have one of their own
  int most_separate = 0;                   // channels that may have a separate stream (OSHEN_CTX_ENDPOINTS)
  int n_separate = 0;                      // channels that have one
  std::uint64_t n_changes_closed = 0;      // operations of channels that no longer exist
  delivery_state delivery;
  node_probes probes;
  os::adopted_threads adopted;  // those of the transport's libraries

  world* home = nullptr;
  bool has_card_atomics = false;  // on all PEs of the job
  char* address_table = nullptr;  // of all PEs, `address_bytes` each; the PEs of a node share one table
  std::size_t address_bytes = 0;
  std::atomic<bool>* connected = nullptr;
  os::mutex connecting;
  host_name* hosts = nullptr;  // one entry for each range of PEs with the same host
  int n_hosts = 0;
  int* leaders = nullptr;  // for each PE, the first PE of its node

  // Operations on separate streams read the lines above, which waiting threads do not write.
  alignas(cache_line) progress_state progress;
  pthread_t thread{};
  std::atomic<bool> has_thread{false};
  std::atomic<bool> stopping{false};
  std::atomic<bool> is_broken{false};  // an operation has failed, and perhaps no call will ask about it
};

// True if network cards execute the atomic operations on objects that belong to them, on PEs of this node too. These
// are all objects of the program, or those of the card heap (world/team_heap.hpp).
bool has_card_atomics(const world& w);

// The host of PE `pe` of the job, for messages; "another node" if it is unknown.
const char* host_of(const world& w, int pe);

// The first PE of the node of PE `pe` of the job; all PEs of the job use this number for that node.
int node_leader_of(const world& w, int pe);

// A channel for a context; null: there is no memory or no stream. The caller flushes it before it drops it.
transport::channel* make_channel(network& n, unsigned options);
void drop_channel(network& n, transport::channel* c);

// Connects to PE `pe` of the job, which is needed before the first operation towards it.
transport::outcome connect(world& w, int pe);

}  // namespace oshen
