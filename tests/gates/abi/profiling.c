/* SPDX-License-Identifier: BSD-3-Clause
 * The profiling interface (section 10): a program that defines shmem_ functions itself receives the calls, and calls
 * the library by the pshmem_ names. This includes names behind a generic, names without the prefix shmem_, and
 * extensions. */
#include <pshmem.h>
#include <pshmemx.h>
#include <shmem.h>

#include <stdio.h>

static int puts_seen, barriers_seen, pes_seen, syncs_seen, ours_seen;
static long value, psync[SHMEM_BARRIER_SYNC_SIZE];

void shmem_long_p(long* dest, long source, int pe) {
  puts_seen++;
  pshmem_long_p(dest, source, pe);
}

void shmem_barrier_all(void) {
  barriers_seen++;
  pshmem_barrier_all();
}

void(shmem_sync)(int PE_start, int logPE_stride, int PE_size, long* pSync) {
  syncs_seen++;
  pshmem_sync(PE_start, logPE_stride, PE_size, pSync);
}

int _my_pe(void) {
  pes_seen++;
  return p_my_pe();
}

void shmemx_double_atomic_add(double* dest, double number, int pe) {
  ours_seen++;
  pshmemx_double_atomic_add(dest, number, pe);
}

int shmemx_team_barrier(shmem_team_t team) {
  ours_seen++;
  return pshmemx_team_barrier(team);
}

int main(void) {
  shmem_init();
  shmem_pcontrol(1);
  shmem_pcontrol(3, "a tool may define more", 4.0);
  int me = _my_pe();
  shmem_p(&value, 7L, me);
  shmem_barrier_all();
  shmem_sync(me, 0, 1, psync);
  static double sum;
  shmemx_atomic_add(&sum, 1.5, me);
  shmemx_team_barrier(SHMEM_TEAM_WORLD);
  int wrong = sum != 1.5 || ours_seen != 2 || value != 7 || puts_seen != 1 || barriers_seen != 1 || pes_seen != 1 ||
              syncs_seen != 1;
  printf("value %ld, seen: %d puts, %d barriers, %d my_pe, %d syncs\n", value, puts_seen, barriers_seen, pes_seen,
         syncs_seen);
  shmem_finalize();
  return wrong;
}
