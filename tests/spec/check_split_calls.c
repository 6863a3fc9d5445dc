// OSHEN_CHECK compares the arguments of team splits: start, stride, size and xrange between the PEs of the parent, and
// the configuration between the PEs of the new team. The last PE makes the different call.
// @extension
// @run pes=1,2,3,5 OSHEN_CHECK=1 right
// @run pes=2,3 OSHEN_CHECK=1 starts -> fails /PE \d: shmem_team_split_strided: start = [01], but PE \d gives [01]: all PEs of the parent team must give the same value/
// @run pes=2,3 OSHEN_CHECK=1 strides -> fails /PE \d: shmem_team_split_strided: stride = -?\d, but PE \d gives -?\d: all PEs of the parent team/
// @run pes=2,3 OSHEN_CHECK=1 sizes -> fails /PE \d: shmem_team_split_strided: size = [12], but PE \d gives [12]: all PEs of the parent team/
// @run pes=3 OSHEN_CHECK=1 invalid_on_one_pe -> fails /PE \d: shmem_team_split_strided: size = (1|100), but PE \d gives (1|100): all PEs of the parent team/
// @run pes=2,3 OSHEN_CHECK=1 ranges -> fails /PE \d: shmem_team_split_2d: xrange = [12], but PE \d gives [12]: all PEs of the parent team/
// @run pes=2,3 OSHEN_CHECK=1 contexts -> fails /PE \d: shmem_team_split_strided: config->num_contexts = [24], but PE \d gives [24]: all PEs of the new team must give the same value/
// @run pes=2,3 OSHEN_CHECK=1 masks -> fails /PE \d: shmem_team_split_strided: config_mask = [01], but PE \d gives [01]: all PEs of the new team/
// @run pes=3,5 OSHEN_CHECK=1 column_contexts -> fails /PE \d: shmem_team_split_2d: yaxis_config->num_contexts = [24], but PE \d gives [24]: all PEs of the new team/
// @run pes=2,5 OSHEN_CHECK=1 row_masks -> fails /PE \d: shmem_team_split_2d: xaxis_mask = [01], but PE \d gives [01]: all PEs of the new team/
// @run pes=3 OSHEN_CHECK=1 color_contexts -> fails /PE \d: shmemx_team_split_color: config->num_contexts = [24], but PE \d gives [24]: all PEs of the new team/
// @run pes=2,3 OSHEN_CHECK=1 routines -> fails /PE \d: shmem_team_split_(2d|strided): PE \d calls shmem_team_split_(2d|strided) instead/
// @run pes=3 OSHEN_CHECK=1 split_against_barrier -> fails /PE \d: shmem_(team_split_2d|barrier_all): PE \d calls shmem_(team_split_2d|barrier_all) instead/
// @run pes=3 OSHEN_CHECK=1 in_a_team -> fails /PE \d: shmem_team_split_strided: start = [01], but PE \d gives [01]: all PEs of the parent team/
#include <shmemx.h>

#include "check_calls.h"

enum { rounds = 20 };
static shmem_team_t team = SHMEM_TEAM_INVALID, other = SHMEM_TEAM_INVALID;
static const long use = SHMEM_TEAM_NUM_CONTEXTS;

static void split(shmem_team_t parent, int start, int stride, int size) {
  shmem_team_split_strided(parent, start, stride, size, NULL, 0, &team);
}
static shmem_team_config_t contexts_of(int number) { return (shmem_team_config_t){.num_contexts = number}; }

static void starts(void) { split(SHMEM_TEAM_WORLD, odd ? 1 : 0, 1, 1); }
static void strides(void) { split(SHMEM_TEAM_WORLD, 0, odd ? -3 : 1, 1); }
static void sizes(void) { split(SHMEM_TEAM_WORLD, 0, 1, odd ? 1 : 2); }
static void invalid_on_one_pe(void) { split(SHMEM_TEAM_WORLD, 0, 1, odd ? 100 : 1); }
static void ranges(void) { shmem_team_split_2d(SHMEM_TEAM_WORLD, odd ? 1 : 2, NULL, 0, &team, NULL, 0, &other); }
static void contexts(void) {
  const shmem_team_config_t config = contexts_of(odd ? 4 : 2);
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, &config, use, &team);
}
static void masks(void) {
  const shmem_team_config_t config = contexts_of(2);
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, &config, odd ? 0 : use, &team);
}
static void column_contexts(void) {
  const shmem_team_config_t config = contexts_of(odd ? 4 : 2);
  shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &team, &config, use, &other);
}
static void row_masks(void) {
  const shmem_team_config_t config = contexts_of(2);
  shmem_team_split_2d(SHMEM_TEAM_WORLD, n, &config, odd ? 0 : use, &team, NULL, 0, &other);
}
static void color_contexts(void) {
  const shmem_team_config_t config = contexts_of(odd ? 4 : 2);
  shmemx_team_split_color(SHMEM_TEAM_WORLD, me % 2, -me, &config, use, &team);
}
static void routines(void) { odd ? ranges() : split(SHMEM_TEAM_WORLD, 0, 1, 1); }
static void split_against_barrier(void) { odd ? shmem_barrier_all() : ranges(); }

// The PEs of the world in reverse order: its PE 0 makes the different call.
static void in_a_team(void) {
  shmem_team_t reverse;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reverse);
  split(reverse, odd ? 1 : 0, 1, 1);
}

static void destroy(void) {
  shmem_team_destroy(team);
  shmem_team_destroy(other);
}

// The PEs of different rows may give different configurations, and a configuration without its mask does not count.
static void right(void) {
  for (int round = 0; round < rounds; round++) {
    const shmem_team_config_t row = contexts_of(1 + me / 2), column = contexts_of(10 + me % 2),
                              ignored = contexts_of(me);
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, &row, use, &team, &column, use, &other) == 0, "round %d", round);
    shmem_team_config_t found = {0};
    CHECK(shmem_team_get_config(team, use, &found) == 0 && found.num_contexts == row.num_contexts, "round %d", round);
    destroy();
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, odd ? &ignored : NULL, 0, &team) == 0, "round %d", round);
    CHECK(shmem_team_split_strided(team, n - 1, -2, (n + 1) / 2, NULL, 0, &other) == 0, "round %d", round);
    destroy();
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n + 1, NULL, 0, &team) != 0, "round %d", round);
    CHECK(shmemx_team_split_color(SHMEM_TEAM_WORLD, odd ? -1 : 1, me, NULL, 0, &team) == 0, "round %d", round);
    shmem_team_destroy(team);
    shmem_barrier_all();
  }
}

static const struct mistake mistakes[] = {{"right", right},
                                          {"starts", starts},
                                          {"strides", strides},
                                          {"sizes", sizes},
                                          {"invalid_on_one_pe", invalid_on_one_pe},
                                          {"ranges", ranges},
                                          {"contexts", contexts},
                                          {"masks", masks},
                                          {"column_contexts", column_contexts},
                                          {"row_masks", row_masks},
                                          {"color_contexts", color_contexts},
                                          {"routines", routines},
                                          {"split_against_barrier", split_against_barrier},
                                          {"in_a_team", in_a_team}};

int main(int argc, char** argv) { return make_calls(mistakes, LENGTH(mistakes), NULL, argc, argv); }
