// What the test programs share: the count of failures, and the main part of PROGRAM [SEED [CASES ...]].
#pragma once

#include <shmem.h>

#include <cstdio>
#include <cstdlib>

#include "random_boxes.hpp"

inline int failures = 0;  // of this PE

inline void check(bool condition, const char* what, const char* file, int line) {
  if (condition) return;
  failures++;
  std::printf("%s:%d: PE %d of %d: not true: %s\n", file, line, shmem_my_pe(), shmem_n_pes(), what);
}
#define CHECK(condition) check(condition, #condition, __FILE_NAME__, __LINE__)

// A cube in slabs along the slowest axis, for a transform or a remap.
template <class Attr>
Attr slabs(oshen_group_t* group, int edge) {
  Attr a{};
  a.size = sizeof a;
  for (int& e : a.extent) e = edge;
  const int me = oshen_group_rank(group), n = oshen_group_size(group);
  a.in.low[2] = edge * me / n;
  a.in.size[0] = a.in.size[1] = edge;
  a.in.size[2] = edge * (me + 1) / n - a.in.low[2];
  a.out = a.in;
  return a;
}

// Calls `body(group of all PEs, random source equal on all, random source of this PE)`. Returns the exit status for
// main. A failure ends the job.
template <class Body>
int run_program(int argc, char** argv, Body body) {
  const unsigned seed = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
  shmem_init();
  const int me = shmem_my_pe();
  oshen_arena_t* arena = nullptr;
  oshen_group_t* group = nullptr;
  if (oshen_arena_create(16 << 20, &arena) != OSHEN_OK ||
      oshen_group_create(arena, SHMEM_TEAM_WORLD, &group) != OSHEN_OK) {
    std::printf("PE %d: no group\n", me);
    shmem_global_exit(1);
  }
  random_source random(seed), delays(seed + 77u * static_cast<unsigned>(me));
  body(group, random, delays);
  oshen_group_destroy(group);
  oshen_arena_destroy(arena);
  if (failures != 0) {
    std::printf("PE %d of %d: %d failures, seed %u\n", me, shmem_n_pes(), failures, seed);
    shmem_global_exit(1);
  }
  shmem_finalize();
  return 0;
}
