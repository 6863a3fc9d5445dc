// The way to PEs on other nodes: an open transport (transport/link.hpp), the addresses of all PEs, and the thread that
// makes progress while the program computes. There is one only where the job spans nodes.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "base/status.hpp"
#include "os/mutex.hpp"
#include "transport/link.hpp"
#include "world/turns.hpp"

namespace oshen {

struct world;

struct host_name {
  int first_pe;
  char text[60];
};

struct network {
  transport::link link;
  transport::lane default_lane;     // of the default context, and of contexts that get none of their own
  transport::lane collective_lane;  // of the collectives of all teams

  world* home = nullptr;
  char* addresses = nullptr;          // of all PEs, `address_bytes` each; one table for the node
  std::size_t address_bytes = 0;
  std::atomic<bool>* connected = nullptr;
  os::mutex connecting;
  host_name* hosts = nullptr;         // one entry for each row of PEs with the same host
  int n_hosts = 0;
  int* leaders = nullptr;             // of the node of each PE: its first PE

  turns turn;
  pthread_t thread{};
  std::atomic<bool> has_thread{false};
  std::atomic<bool> stopping{false};
};

// Opens the transport that OSHEN_TRANSPORT names, or the first that works everywhere. Collective over all PEs of the
// job, which have mapped their nodes' segments. On failure there has been a line. `one_host`: all PEs are on one
// machine.
status open_network(world& w, bool one_host);
// After the last barrier of the job.
void close_network(world& w);

// Makes progress, as a thread of the program; wakes who waits on this PE if something came in. True if something moved.
bool advance_network(world& w);
// The same by the network's own thread, which this does not send aside.
bool advance_from_aside(world& w);

// The host of PE `pe` of the job, for messages; "another node" when nobody knows.
const char* host_of(const world& w, int pe);

// The first PE of the node of PE `pe` of the job: a number by which all PEs of the job know that node.
int node_leader_of(const world& w, int pe);

// Before the first operation towards PE `pe` of the job.
transport::outcome connect(world& w, int pe);

}  // namespace oshen
