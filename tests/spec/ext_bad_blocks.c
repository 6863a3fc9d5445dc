// Wrong blocks: one line names the argument, its value and the expected value, and the job ends. Between nodes no
// algorithm sends matched messages; there an algorithm that puts reports the mistake.
// @extension
// @run pes=2 alltoallv_length -> fails /shmemx_int_alltoallv: (dest|source)_counts\[[01]\] = [34]: PE [01] of the team gives [34] for the same block/
//
// @run pes=2 gatherv_length -> fails /PE [01]: shmemx_int_gatherv: (dest_counts\[1\] = 2: PE 1|nelems = 3: PE 0) of the team gives [23] for the same block/
//
// @run pes=2 scatterv_length -> fails /PE [01]: shmemx_int_scatterv: nelems = 3: PE 0 of the team gives 2 for the same block/
//
// @run pes=2 OSHEN_COLL_ALLTOALLV=linear-message alltoallv_length -> fails /shmemx_int_alltoallv: (PE 0 of the team sends 12 bytes where 16 are expected|source_counts\[1\] = 3: PE 1 of the team gives 4)/
//
// @run pes=2 OSHEN_COLL_GATHERV=linear-message gatherv_length -> fails /shmemx_int_gatherv: (PE 1 of the team sends 12 bytes where 8 are expected|nelems = 3: PE 0 of the team gives 2)/
//
// @run pes=2 OSHEN_COLL_SCATTERV=linear-message scatterv_length -> fails /PE 1: shmemx_int_scatterv: (PE 0 of the team sends 8 bytes where 12 are expected|nelems = 3: PE 0 of the team gives 2)/
//
// @run pes=2 no_counts -> fails /PE 1: shmemx_int_sum_reduce_scatterv: counts = NULL: expected an array of 2, one for each PE of the team/
//
// @run pes=2 no_displs -> fails /PE 1: shmemx_int_alltoallv: source_displs = NULL: expected an array of 2/
// @run pes=2 far_displ -> fails /PE 1: shmemx_int_alltoallv: dest_displs\[1\] = 18446744073709551615: 4 elements from there exceed/
//
// @run pes=2 outside -> fails /PE 1: shmemx_int_alltoallv: dest = .*exceed the symmetric/
// @run pes=2 private_dest -> fails /PE 1: shmemx_int_gather: dest = .*not a symmetric address/
//
// @run pes=2 root -> fails /PE 1: shmemx_int_scatter: PE_root = 2: expected 0 .. 1/
#include <shmemx.h>

#include "bad_use.h"

static int dest[16], source[16];
static const size_t lengths[] = {4, 4}, places[] = {0, 4}, others[] = {4, 3};

static int me(void) { return shmem_my_pe(); }

// Both PEs make these calls, with different arguments.
static void alltoallv_length(void) {
  shmemx_alltoallv(SHMEM_TEAM_WORLD, dest, lengths, places, source, me() == 0 ? others : lengths, places);
}
static void gatherv_length(void) {
  static const size_t expected[] = {2, 2};
  shmemx_gatherv(SHMEM_TEAM_WORLD, dest, expected, places, source, (size_t)(2 + me()), 0);
}
static void scatterv_length(void) {
  static const size_t sent[] = {2, 2};
  shmemx_scatterv(SHMEM_TEAM_WORLD, dest, (size_t)(2 + me()), source, sent, places, 0);
}

static void no_counts(void) { shmemx_sum_reduce_scatterv(SHMEM_TEAM_WORLD, dest, source, NULL); }
static void no_displs(void) { shmemx_alltoallv(SHMEM_TEAM_WORLD, dest, lengths, places, source, lengths, NULL); }
static void far_displ(void) {
  const size_t far[] = {0, SIZE_MAX};
  shmemx_alltoallv(SHMEM_TEAM_WORLD, dest, lengths, far, source, lengths, places);
}
static void outside(void) {
  const size_t outside[] = {0, (size_t)1 << 40};
  shmemx_alltoallv(SHMEM_TEAM_WORLD, dest, lengths, outside, source, lengths, places);
}
static void private_dest(void) {
  int private_data[16];
  shmemx_gather(SHMEM_TEAM_WORLD, private_data, source, 4, 0);
}
static void root(void) { shmemx_scatter(SHMEM_TEAM_WORLD, dest, source, 4, 2); }

static const struct mistake mistakes[] = {{"alltoallv_length", alltoallv_length},
                                          {"gatherv_length", gatherv_length},
                                          {"scatterv_length", scatterv_length},
                                          {"no_counts", no_counts},
                                          {"no_displs", no_displs},
                                          {"far_displ", far_displ},
                                          {"outside", outside},
                                          {"private_dest", private_dest},
                                          {"root", root}};
enum { TOGETHER = 3 };  // both PEs make the first calls of the table

int main(int argc, char** argv) {
  shmem_init();
  return make_mistakes(mistakes, TOGETHER, LENGTH(mistakes), argc, argv);
}
