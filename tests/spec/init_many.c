// Initialisations are counted. After the last finalize, initialisation works again, several times in one process, with
// new PE numbers, statics, heap, teams and contexts.
// @since 1.6
#include "check.h"

enum { lives = 5, nested = 3 };
static int life_count = 100;  // a plain static: keeps its value through finalize and a new init
static long inbox;

static int initialized(void) {
  int answer = -1;
  shmem_query_initialized(&answer);
  return answer;
}

static void check_traffic(int life, int me, int n) {
  const int right = (me + 1) % n, left = (me + n - 1) % n;
  long* heap = shmem_calloc(1, sizeof(long));
  CHECK(heap && *heap == 0, "life %d: the heap", life);
  shmem_barrier_all();
  shmem_long_p(heap, life * 10 + me, right);
  shmem_long_p(&inbox, life * 20 + me, right);
  shmem_barrier_all();
  CHECK(*heap == life * 10 + left && inbox == life * 20 + left, "life %d: %ld, %ld", life, *heap, inbox);
  shmem_barrier_all();

  shmem_team_t team;  // neither freed nor destroyed: the last finalize does that
  shmem_ctx_t ctx;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team) == 0, "life %d: team", life);
  CHECK(shmem_ctx_create(0, &ctx) == 0, "life %d: context", life);
  shmem_ctx_long_atomic_inc(ctx, &inbox, right);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK(inbox == life * 20 + left + 1, "life %d: atomic through a context", life);
  shmem_barrier_all();
}

int main(void) {
  int me = -1, n = -1;
  CHECK(initialized() == 0, "before the first init");
  for (int life = 1; life <= lives; life++) {
    shmem_init();
    CHECK(life == 1 || (me == shmem_my_pe() && n == shmem_n_pes()), "life %d: another number", life);
    me = shmem_my_pe();
    n = shmem_n_pes();
    for (int i = 1; i < nested; i++) shmem_init();
    check_traffic(life, me, n);
    for (int i = 1; i < nested; i++) {
      shmem_finalize();  // not the last one: acts as a barrier and destroys nothing
      CHECK(initialized() == 1, "life %d, after finalize %d", life, i);
    }
    shmem_long_p(&inbox, -life, (me + 1) % n);
    shmem_barrier_all();
    CHECK(inbox == -life, "life %d: the library is gone too early", life);
    life_count++;
    shmem_finalize();
    CHECK(initialized() == 0, "life %d: still initialised", life);
    CHECK(life_count == 100 + life && inbox == -life, "life %d: statics lost", life);
  }
  return 0;
}
