// Extension: shmemx_init_attr starts the library in processes that another program created. The caller supplies its PE
// number and a function that exchanges data. Here the PEs are children of one process, which share a page. They start
// twice in turn; each start ends with its shmem_finalize. Calls that they may not make give one line.
// @extension
// @run pes=1 -> ok /pe = 3 of n_pes = 3: expected 0 <= pe < n_pes/
// @run pes=1 cannot -> ok /oshen: [^\n]*the caller's allgather of \d+ bytes failed/
#include <pthread.h>
#include <shmemx.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { children = 3, room = 64 << 10 };

struct shared {
  pthread_barrier_t all;
  unsigned char data[room];
};
struct child {
  struct shared* page;
  int pe, gathers, barriers;
};

static int barrier(void* context) {
  struct child* me = context;
  me->barriers++;
  const int status = pthread_barrier_wait(&me->page->all);
  return status != 0 && status != PTHREAD_BARRIER_SERIAL_THREAD;
}

static int allgather(void* context, const void* mine, void* all, size_t bytes) {
  struct child* me = context;
  me->gathers++;
  if (bytes * children > room) return 1;
  memcpy(me->page->data + (size_t)me->pe * bytes, mine, bytes);
  if (barrier(context) != 0) return 1;
  memcpy(all, me->page->data, children * bytes);
  return barrier(context);
}

static void end(void* context, int status) {
  (void)context;
  _exit(status);
}

// Of a program that was compiled with one more member.
struct newer_attr {
  shmemx_init_attr_t known;
  size_t unknown;
};

static void refusals(shmemx_init_attr_t good) {
  shmemx_init_attr_t a = good;
  CHECK(shmemx_init_attr(NULL) != 0, "NULL");
  a.size = 8;
  CHECK(shmemx_init_attr(&a) != 0, "size");
  struct newer_attr newer = {good, 1};
  newer.known.size = sizeof newer;
  CHECK(shmemx_init_attr(&newer.known) != 0, "a member that the library does not know");
  a = good, a.pe = a.n_pes;
  CHECK(shmemx_init_attr(&a) != 0, "pe");
  a = good, a.allgather = NULL;
  CHECK(shmemx_init_attr(&a) != 0, "no allgather");
  int running = 1;
  shmem_query_initialized(&running);
  CHECK(!running, "a refusal starts nothing");
}

static void live(struct child* me) {
  static int sum, one = 1;
  shmemx_init_attr_t attr = {.size = sizeof attr,
                             .pe = me->pe,
                             .n_pes = children,
                             .requested = SHMEM_THREAD_FUNNELED,
                             .context = me,
                             .allgather = allgather,
                             .barrier = barrier,
                             .abort = end};
  refusals(attr);
  struct newer_attr newer = {attr, 0};
  newer.known.size = sizeof newer;
  for (int start = 0; start < 2; start++) {
    shmemx_init_attr_t* const given = start == 0 ? &attr : &newer.known;
    CHECK(shmemx_init_attr(given) == 0, "start %d", start);
    CHECK(given->provided >= SHMEM_THREAD_FUNNELED, "thread level %d", given->provided);
    CHECK(shmem_my_pe() == me->pe && shmem_n_pes() == children, "PE %d of %d", shmem_my_pe(), shmem_n_pes());
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1);
    CHECK(sum == children, "sum %d", sum);
    shmem_finalize();
  }
  CHECK(me->gathers > 0 && me->barriers > 0, "%d gathers, %d barriers", me->gathers, me->barriers);
}

static int cannot(void* context, const void* mine, void* all, size_t bytes) {
  (void)context, (void)mine, (void)all, (void)bytes;
  return 1;
}
static int fail(void) {
  shmemx_init_attr_t attr = {.size = sizeof attr, .pe = 0, .n_pes = 2, .allgather = cannot, .barrier = barrier};
  CHECK(shmemx_init_attr(&attr) != 0, "an allgather that failed was believed");
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "cannot")) return fail();
  struct shared* page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_barrierattr_t between;
  pthread_barrierattr_init(&between);
  pthread_barrierattr_setpshared(&between, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&page->all, &between, children);
  pid_t pids[children];
  for (int pe = 0; pe < children; pe++) {
    pids[pe] = fork();
    if (pids[pe] != 0) continue;
    struct child me = {.page = page, .pe = pe};
    live(&me);
    exit(0);
  }
  for (int ended = 0; ended < children; ended++) {
    int status = 0;
    const pid_t child = wait(&status);
    if (child > 0 && status == 0) continue;
    fprintf(stderr, "a child ended with %x\n", (unsigned)status);
    for (int pe = 0; pe < children; pe++)
      if (pids[pe] != child) kill(pids[pe], SIGKILL);  // they may wait for it
    return 1;
  }
  return 0;
}
