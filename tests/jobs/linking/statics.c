// Variables of every kind are symmetric at any place that the linker chooses; read-only memory stays unchanged.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { many = 100000 };
static long zeros[many];
static int initialised = 7;
static char large[3 << 20];
static void* const relocated[2] = {&initialised, zeros};

static int failed(const char* what) {
  printf("PE %d: %s\n", shmem_my_pe(), what);
  return 1;
}

static int child_writes_its_own(long expected) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    zeros[1] = -77;
    initialised = 1234;
    _exit(zeros[many - 1] == expected && getenv("PATH") ? 0 : 4);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0 && zeros[1] != -77 && initialised == 9;
}

int main(void) {
  initialised = 9;
  memset(large, 5, sizeof large);
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n, before = (me + n - 1) % n;
  if (initialised != 9 || large[sizeof large - 1] != 5) return failed("values of before init are lost");
  for (int i = 0; i < many; i++) zeros[i] = me;
  shmem_barrier_all();
  shmem_long_put(zeros, zeros + 50, 1, next);
  shmem_long_p(&zeros[many - 1], me + 1000, next);
  shmem_char_p(&large[sizeof large - 1], (char)me, next);
  shmem_barrier_all();
  if (zeros[0] != before || zeros[many - 1] != before + 1000) return failed("puts went elsewhere");
  if (large[sizeof large - 1] != (char)before) return failed("the end of the last segment is not shared");
  const long* there = shmem_ptr(&zeros[5], next);
  if (!there || *there != next) return failed("shmem_ptr leads elsewhere");
  if (!child_writes_its_own(before + 1000)) return failed("a child shares its parent's variables");
  shmem_finalize();
  if (zeros[many - 1] != before + 1000 || relocated[0] != &initialised) return 2;
  shmem_init();
  shmem_barrier_all();
  shmem_long_p(&zeros[7], me + 5, next);
  shmem_barrier_all();
  if (zeros[7] != before + 5) return failed("not shared after a second init");
  shmem_finalize();
  if (me == 0) puts("statics ok");
  return 0;
}
