/* A heap that is exhausted, and one that is larger than the machine.
 *   heap exhaust | search | sparse | promise | team_promise | teams | list | again MiB | two MiB MiB | fill MiB | huge
 * MiB heap leave malloc | align | teams | count: ends with 3 as soon as it is refused PE 0 prints its result; the test
 * checks the rest. */
#define _DEFAULT_SOURCE /* madvise */
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { most = 4096 };
static const size_t mib = (size_t)1 << 20;
static long agreed, mine;

/* Checks that all PEs have the same result; otherwise later addresses would differ. */
static void same_everywhere(long value) {
  mine = value;
  shmem_long_max_reduce(SHMEM_TEAM_WORLD, &agreed, &mine, 1);
  if (agreed == value) return;
  fprintf(stderr, "heap: PE %d got %ld, another PE %ld\n", shmem_my_pe(), value, agreed);
  shmem_global_exit(1);
}

static int huge;    /* ask for huge pages */
static int of_team; /* blocks of a team */
static void* allocate(size_t bytes) {
  return of_team ? shmemx_team_malloc(SHMEM_TEAM_WORLD, bytes) : shmem_malloc(bytes);
}

/* Allocates blocks until NULL, at most `limit`; writes every byte if `touch` is set. */
static int take(size_t bytes, int limit, int touch, char** blocks) {
  int count = 0;
  while (count < limit && (blocks[count] = allocate(bytes)) != NULL) {
    if (huge) madvise(blocks[count], bytes, MADV_HUGEPAGE);
    if (touch) memset(blocks[count], count + 1, bytes);
    count++;
  }
  same_everywhere(count);
  return count;
}

/* Creates teams until there is no room, and uses the last one. */
static int count_teams(void) {
  static long one = 1, sum;
  shmem_team_t team, last = SHMEM_TEAM_WORLD;
  int count = 0;
  while (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team) == 0) last = team, count++;
  shmem_long_sum_reduce(last, &sum, &one, 1);
  same_everywhere(sum == shmem_n_pes() ? count : -1);
  return count;
}

/* The neighbour writes the block, so that the pages belong to this PE but another PE touches them first. */
static void use(char* block, size_t bytes) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_char_p(block, 1, right);
  shmem_char_p(block + bytes - 1, 2, right);
  shmem_barrier_all();
  if (block[0] == 1 && block[bytes - 1] == 2) return;
  fprintf(stderr, "heap: PE %d: wrong bytes in %zu\n", shmem_my_pe(), bytes);
  shmem_global_exit(1);
}

/* PE 0 takes private memory, so that less is left for the heap than at the start. */
static char* eat(size_t bytes) {
  char* eaten = shmem_my_pe() == 0 ? malloc(bytes) : NULL;
  for (size_t i = 0; eaten != NULL && i < bytes; i += 4096) *(volatile char*)&eaten[i] = 1;
  shmem_barrier_all();
  return eaten;
}

/* A refused size is refused again, even after an untouched block is freed. It is granted when memory is free again. */
static void ask_again(size_t bytes) {
  char* first = shmem_malloc(bytes);
  if (first == NULL) shmem_global_exit(1);
  shmem_free(first); /* never touched */
  char* eaten = eat(120 * mib);
  for (int i = 0; i < 3; i++) same_everywhere(shmem_malloc(bytes) == NULL ? 0 : 100 + i);
  if (agreed != 0) {
    fprintf(stderr, "heap: given at attempt %ld\n", agreed - 100);
    shmem_global_exit(1);
  }
  free(eaten);
  shmem_barrier_all();
  char* block = shmem_malloc(bytes);
  if (block == NULL) shmem_global_exit(1);
  use(block, bytes);
}

/* Two refusals, one after the other: a late PE must not mistake the second answer for the first. */
static void ask_for_two(size_t small, size_t large) {
  char* eaten = eat(120 * mib);
  for (int round = 0; round < 30; round++) {
    char* one = shmem_malloc(small);
    char* two = shmem_malloc(large);
    same_everywhere((one != NULL) + 2 * (two != NULL));
    shmem_free(two);
    shmem_free(one);
  }
  free(eaten);
}

/* Small blocks, which need more private memory for their list than the last PE may have. */
static int overfill_list(void) {
  const struct rlimit nothing = {0, 0};
  if (shmem_my_pe() == shmem_n_pes() - 1) setrlimit(RLIMIT_DATA, &nothing);
  int count = 0;
  while (count < 20000 && shmem_malloc(1) != NULL) count++;
  return count;
}

/* Ends this PE at once when a call is refused: no PE may take away the line that explains it. */
static void leave_when_refused(const char* what) {
  shmem_team_t team;
  const size_t too_much = (size_t)1 << 46;
  if (!strcmp(what, "align")) {
    if (shmem_align((size_t)1 << 40, 100) == NULL) exit(3);
  } else if (!strcmp(what, "teams")) {
    while (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team) == 0) continue;
    exit(3);
  } else if (shmem_malloc(too_much) == NULL) {
    if (!strcmp(what, "malloc")) exit(3);
    if (shmem_malloc(too_much) == NULL) shmem_finalize();
    exit(3);
  }
}

int main(int argc, char** argv) {
  static char* blocks[most];
  if (argc < 2) return 2;
  shmem_init();
  int count = 0;
  if (!strcmp(argv[1], "exhaust")) {
    count = take(mib, most, 1, blocks);
    if (count > 0) shmem_free(blocks[--count]);
    char* again = shmem_malloc(mib);
    if (again == NULL) shmem_global_exit(1);
    use(again, mib);
  } else if (!strcmp(argv[1], "sparse")) {
    count = take((size_t)1 << 38, 1, 0, blocks); /* 256 GiB of 1 TiB: more than the machine has */
    same_everywhere(shmem_malloc((size_t)1 << 45) == NULL);
    char* small = shmem_malloc(mib);
    if (small == NULL) shmem_global_exit(1);
    use(small, mib);
  } else if (!strcmp(argv[1], "search")) { /* the largest power of two that can be allocated */
    size_t bytes = (size_t)1 << 40;
    while ((blocks[0] = shmem_malloc(bytes)) == NULL) bytes /= 2;
    same_everywhere((long)bytes);
    count = 1;
  } else if (!strcmp(argv[1], "teams")) {
    count = count_teams();
  } else if (!strcmp(argv[1], "leave")) {
    leave_when_refused(argv[2]);
    return 1;
  } else if (!strcmp(argv[1], "list")) {
    count = overfill_list();
  } else if (!strcmp(argv[1], "again")) {
    ask_again(mib * (size_t)atoi(argv[2]));
  } else if (!strcmp(argv[1], "two")) {
    ask_for_two(mib * (size_t)atoi(argv[2]), mib * (size_t)atoi(argv[3]));
  } else if (!strcmp(argv[1], "promise") || !strcmp(argv[1], "team_promise")) {
    of_team = argv[1][0] == 't';
    count = take(256 * mib, most, 0, blocks);
  } else {
    huge = !strcmp(argv[1], "huge");
    count = take(mib * (size_t)atoi(argv[2]), most, 1, blocks);
  }
  if (shmem_my_pe() == 0) printf("%d %s\n", count, strcmp(argv[1], "teams") == 0 ? "teams" : "blocks");
  shmem_finalize();
  return 0;
}
