// SHMEM_SUM_INSCAN and SHMEM_SUM_EXSCAN: the sum of all PEs of the team up to this one, included or excluded. PE 0 of
// an exscan gets 0, which MPI leaves undefined. The call may be in place.
// @since 1.6
#include "reduce_rows.h"

#define CALL(NAME, KIND)                                                          \
  static int KIND##_##NAME(shmem_team_t team, void* d, const void* s, size_t n) { \
    return shmem_##NAME##_sum_##KIND(team, d, s, n);                              \
  }
#define CALLS(NAME, TYPE) CALL(NAME, inscan) CALL(NAME, exscan)
ARITHMETIC_REDUCE_TYPES(CALLS)

#define ROW(NAME, TYPE, KIND) {#NAME, OP_SUM, CLASS_OF(TYPE), sizeof(TYPE), KIND##_##NAME, store_##NAME, load_##NAME},
#define INSCAN_ROW(NAME, TYPE) ROW(NAME, TYPE, inscan)
#define EXSCAN_ROW(NAME, TYPE) ROW(NAME, TYPE, exscan)
static const struct reduction inscans[] = {ARITHMETIC_REDUCE_TYPES(INSCAN_ROW)};
static const struct reduction exscans[] = {ARITHMETIC_REDUCE_TYPES(EXSCAN_ROW)};

static const size_t counts[] = {0, 1, 7, 65, 1025};
enum { most = 1025, widest = 16 };

static unsigned char *dest, *source;

static void scan_once(const struct reduction* r, shmem_team_t team, const char* shape, size_t n, int inclusive,
                      int in_place) {
  const int me = shmem_team_my_pe(team);
  unsigned char* result = in_place ? source : dest;
  memset(dest, 0xa5, (n + 1) * r->element);
  memset(source, 0xa5, (n + 1) * r->element);
  for (size_t i = 0; i < n; i++) r->store(source, i, contribution(r, me, i));
  shmem_team_sync(team);
  CHECK(r->call(team, result, source, n) == 0, "%s scan", r->type);
  for (size_t i = 0; i < n; i++) {
    value expected = 0;
    for (int pe = 0; pe < me + inclusive; pe++) expected += contribution(r, pe, i);
    const value got = r->load(result, i);
    CHECK(same_value(got, expected), "%s %s on %s: element %zu of %zu is %Lg%+Lgi, not %Lg%+Lgi", r->type,
          inclusive ? "inscan" : "exscan", shape, i, n, creall(got), cimagl(got), creall(expected), cimagl(expected));
  }
  for (size_t b = n * r->element; b < (n + 1) * r->element; b++)
    CHECK(result[b] == 0xa5, "%s scan wrote too much", r->type);
  shmem_team_sync(team);
}

static void check_team(shmem_team_t team, const char* shape) {
  for (size_t r = 0; r < LENGTH(inscans); r++)
    for (size_t c = 0; c < LENGTH(counts); c++) {
      if (counts[c] == most && team != SHMEM_TEAM_WORLD) continue;  // the oracle is slow; once is enough
      for (int in_place = 0; in_place < 2; in_place++) {
        scan_once(&inscans[r], team, shape, counts[c], 1, in_place);
        scan_once(&exscans[r], team, shape, counts[c], 0, in_place);
      }
    }
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    dest = memory_take(kind, (most + 1) * widest);
    source = memory_take(kind, (most + 1) * widest);
    for_each_team(check_team);
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
