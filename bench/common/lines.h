// Lines between the processes of a benchmark on several hosts, TCP connections that no library under test knows of: one
// from each process to process 0, and one from process 0 to itself.
#pragma once
#include "hosts.h"

enum { most_pes = 64 };

typedef struct {
  int me, pes;
  int to[most_pes];  // process 0's, to all
  int home;          // to process 0
} host_lines;

// Collective: they find each other, by what process 0 tells all through the library under test, within a minute. Of
// `all`, `me` and `pes` are filled in. Ends the process on failure.
hosts_map lines_open(host_lines* all, hosts_tell* tell);

// All bytes or none; false: the other end has gone.
bool line_give(int line, const void* data, size_t bytes);
bool line_take(int line, void* data, size_t bytes);

// Says it, with this process' number, and ends.
_Noreturn void line_fail(const char* what);
