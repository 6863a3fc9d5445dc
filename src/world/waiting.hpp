// A PE's own state of waiting (wait/): its wait policy, its sleeping threads, and the work that advances meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/mutex.hpp"

namespace oshen {

struct team;
struct world;
namespace coll::async {
struct progress_engine;
}

// The stages of a wait, in order. They are decided once, from the numbers of PEs and CPUs and the kernel
// (wait/wait_policy.hpp, design/waiting.md).
struct wait_policy {
  bool cpu_for_each = false;           // there are no more PEs than CPUs
  unsigned quick_tests = 0;            // tests in the caller, a pause apart, before any other work
  unsigned near_tests = 0;             // the same in jobs that span nodes, for waits for PEs of this node only
  unsigned quick_yields = 0;           // then sched_yield this often, without reading the clock
  std::uint64_t spin_ns = 0;           // then spin for this long
  std::uint64_t yield_ns = 0;          // then sched_yield for this long
  std::uint64_t longest_awake_ns = 0;  // a futile wake-up doubles spin_ns and yield_ns if their sum is below this
  std::uint64_t first_sleep_ns = 0;    // then sleep for at most this; each further sleep may last twice as long
  std::uint64_t longest_sleep_ns = 0;  // limit of a sleep
  std::uint64_t look_every_ns = 0;     // between two looks around in a long wait
  std::uint64_t standby_ns = 0;        // for this long at first the network's thread leaves progress to the program
  std::uint64_t retry_ns = 0;          // sleep while the transport must try an operation again
  bool flags_are_fenced = false;       // writers of flags fence, so that sleepers need no remote barrier for flags
  bool tests_give_way = false;         // a failed shmem_test hands over the CPU or makes progress, as a wait does
  bool hides_arrivals = false;         // the transport can leave out arrivals that a polling thread takes (leave_out)
  // Tests for each call of the network, in waits for objects and for signals of the program. If tests take long, a
  // call follows the last one after this time at the latest: other PEs may wait for this one meanwhile.
  unsigned tests_of_objects = 1, tests_of_signals = 1;
  unsigned tests_of_card_objects = 1;  // in the card heap, signals too: requests of peers never change them
  std::uint64_t without_network_ns = 200000;
  bool kernel_wakes = false;  // the kernel has the remote barrier; without it sleeps are short
};

// The threads of this PE that sleep at its wake flag (wait/wake.hpp).
struct sleepers {
  os::mutex lock;
  int count = 0;
  bool for_flags = false;  // this PE is counted in node_page::asleep
};

// A PE's threads in long waits, and the state of its answers to probes (wait/quiescence.hpp).
struct quiescence_state {
  // A thread in a long wait. The object lies on the thread's stack.
  struct waiter {
    int thread_id = 0;
    bool has_looked = false;
    waiter* next = nullptr;
  };

  os::mutex lock;
  waiter* waiters = nullptr;
  std::uint32_t probe = 0;    // the probe that is being answered
  int rounds = 0;             // rounds since the probe was seen, in each of which every waiter has tested
  std::uint32_t streak = 0;   // consecutive probes that were answered
  std::uint32_t wakes = 0;    // of the wake flag, at the last round
  std::uint64_t moves = 0;    // of os::is_still, at the last round
  std::uint64_t changes = 0;  // of count_changes(), at the last round
  // On the PE that speaks for its node:
  int answered = 0;                  // the PEs of the node before this one have answered
  std::uint32_t answered_probe = 0;  // the probe of these answers
  std::uint64_t next_probe_ns = 0;   // if it sends the probes
};

// Work that goes on while this PE waits for something else: non-blocking collectives. Every long wait advances it
// (wait/backoff.cpp). The collectives fill it in when the first of them starts.
struct background {
  std::atomic<std::uint32_t> n_open{0};  // operations in progress; while it is 0, a wait has nothing else to do
  // Does all work that needs no waiting; true if there was any. If another thread of this PE already does such work,
  // the call waits for that thread if `thorough`, and otherwise returns at once.
  bool (*advance)(world& w, bool thorough) = nullptr;
  // Completes the operations of one team on this PE. Collective over the team.
  void (*finish_team)(team& t, const char* routine) = nullptr;
  // Completes all operations and closes the engine. Collective.
  void (*finish)(world& w) = nullptr;

  os::mutex making;  // held by the thread that creates the engine
  std::atomic<coll::async::progress_engine*> engine{nullptr};
};

}  // namespace oshen
