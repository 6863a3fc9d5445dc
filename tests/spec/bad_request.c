// Invalid requests of non-blocking collectives, and requests that the program never waits for.
// @extension
// @run pes=2 null -> fails /PE 1.*shmemx_coll_wait.*request = NULL/
// @run pes=2 null_to_start -> fails /PE [01].*shmemx_team_sync_nb.*request = NULL/
// @run pes=2 wild -> fails /PE 1.*shmemx_coll_test.*request/
// @run pes=2 future -> fails /PE 1.*shmemx_coll_wait.*request/
//
// @run pes=1 of_destroyed_team -> fails /PE 0.*shmemx_coll_wait.*request/
// @run pes=1 root -> fails /PE 0.*shmemx_int_broadcast_nb.*PE_root = 7/
// @run pes=2 OSHEN_WAIT_ABORT=2 forgotten_alone -> fails /PE 1: shmem_finalize: 1 non-blocking collectives were never waited for/
// @run pes=2 forgotten -> ok /PE 1: shmem_finalize: 2 non-blocking collectives were never waited for/
#include <shmemx.h>
#include "bad_use.h"

static int cell, value;

static void null(void) { shmemx_coll_wait(NULL); }
static void null_to_start(void) { shmemx_team_sync_nb(SHMEM_TEAM_WORLD, NULL); }
static void wild(void) {
  shmemx_request_t request = (shmemx_request_t)(uintptr_t)0x123400000001;
  shmemx_coll_test(&request);
}
static void future(void) {
  shmemx_request_t request = (shmemx_request_t)(uintptr_t)0x100000005;
  shmemx_coll_wait(&request);
}
static void of_destroyed_team(void) {
  shmem_team_t team;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team);
  shmemx_request_t request;
  shmemx_team_sync_nb(team, &request);
  shmem_team_destroy(team);
  shmemx_coll_wait(&request);
}
static void root(void) {
  shmemx_request_t request;
  shmemx_broadcast_nb(SHMEM_TEAM_WORLD, &cell, &value, 1, 7, &request);
}
static void nothing(void) {}

int main(int argc, char** argv) {
  static const struct mistake mistakes[] = {{"null", null},
                                            {"null_to_start", null_to_start},
                                            {"wild", wild},
                                            {"future", future},
                                            {"of_destroyed_team", of_destroyed_team},
                                            {"root", root},
                                            {"forgotten", nothing},
                                            {"forgotten_alone", nothing}};
  shmem_init();
  if (argc == 2 && !strcmp(argv[1], "forgotten")) {
    shmemx_request_t requests[2];
    shmemx_broadcast_nb(SHMEM_TEAM_WORLD, &cell, &value, 1, 0, &requests[0]);
    shmemx_team_sync_nb(SHMEM_TEAM_WORLD, &requests[1]);
  }
  if (argc == 2 && !strcmp(argv[1], "forgotten_alone") && shmem_my_pe() == 1) {  // so it never ends
    shmemx_request_t request;
    shmemx_team_sync_nb(SHMEM_TEAM_WORLD, &request);
  }
  const int result = make_mistake(mistakes, LENGTH(mistakes), argc, argv);
  shmem_finalize();
  return result;
}
