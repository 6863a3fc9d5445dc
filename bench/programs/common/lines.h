// TCP connections between the processes of a benchmark on several hosts, independent of the library under test: one
// from each process to process 0, and one from process 0 to itself.
#pragma once
#include "hosts.h"

enum { most_pes = 64 };

typedef struct {
  int me, pes;
  int to[most_pes];  // on process 0: to each process
  int home;          // to process 0
} host_lines;

// Collective: connects all processes within a minute, at an address that process 0 distributes through the library
// under test. `me` and `pes` of `all` must be set. Ends the process on failure.
hosts_map lines_open(host_lines* all, hosts_tell* tell);

// All bytes or none; false if the peer has closed the connection.
bool line_give(int line, const void* data, size_t bytes);
bool line_take(int line, void* data, size_t bytes);

// Prints the message with the number of this process, and ends the process.
_Noreturn void line_fail(const char* what);
