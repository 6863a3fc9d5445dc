// What the PEs of a job do, in words.
#pragma once

#include <cstddef>

namespace oshen {

struct world;

// "PE 0 alive, PEs 1 .. 9 waiting too in shmem_barrier_all, PE 10 stopped" of all other PEs, as far as there is room.
void list_peers(const world& w, char* text, std::size_t room);

// Prints a line for each PE, or for PEs in a row that do the same: routine, for whom, since when.
void print_report(const world& w);

// Of many PEs that wait long in one routine the first speaks for all.
bool another_speaks(const world& w, const char* routine);

}  // namespace oshen
