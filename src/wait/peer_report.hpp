// Reports of what the PEs of a job are doing.
#pragma once

#include <cstddef>

namespace oshen {

struct world;

// Writes "PE 0 alive, PEs 1 .. 9 waiting too in shmem_barrier_all, PE 10 stopped" about all other PEs, up to `room`
// bytes.
void list_peers(const world& w, char* text, std::size_t room);

// Prints a line for each range of PEs that do the same: routine, awaited PE, duration.
void print_report(const world& w);

// Of many PEs that wait long in one routine the first prints the warning. True if that is another PE.
bool another_warns(const world& w, const char* routine);

}  // namespace oshen
