// Reports of what the PEs of a job are doing.
#pragma once

#include <cstddef>

namespace oshen {

struct world;

// Writes "PE 0 alive, PEs 1 .. 9 waiting too in shmem_barrier_all, PE 10 stopped" about all other PEs, up to `room`
// bytes.
void list_peers(const world& w, char* text, std::size_t room);

// Prints a line for each range of PEs that do the same: host, routine, awaited PE or variable, duration. Jobs on one
// host do not print its name.
void print_report(world& w);

// True if a PE with a lower number is in a long wait in the same routine: in a large job only the first such PE prints
// the warning.
bool another_warns(const world& w, const char* routine);

}  // namespace oshen
