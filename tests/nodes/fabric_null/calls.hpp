// Counts of the calls of this process, by kind. FABRIC_NULL_CALLS=1: it prints them at its end.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

enum class call { write, read, atomic, send, cq_read, counter_read, count };
constexpr const char* call_names[] = {"write", "read", "atomic", "send", "cq_read", "counter_read"};
std::atomic<unsigned long> n_calls[static_cast<int>(call::count)];
const bool counts_calls = getenv("FABRIC_NULL_CALLS") != nullptr;
thread_local unsigned long n_calls_of_thread = 0;
thread_local unsigned long n_reports_of_thread = 0;  // completion entries that its puts, gets and atomics asked for
void note(call what) {
  if (!counts_calls) return;
  ++n_calls_of_thread;
  n_calls[static_cast<int>(what)].fetch_add(1, std::memory_order_relaxed);
}

struct report {
  ~report() {
    if (!counts_calls) return;
    std::string line = "fabric null:";
    for (int i = 0; i < static_cast<int>(call::count); ++i)
      line += " " + std::string(call_names[i]) + " " + std::to_string(n_calls[i].load());
    fprintf(stderr, "%s\n", line.c_str());
  }
} at_end;

}  // namespace
