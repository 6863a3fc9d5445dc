// How PEs end: `ends right|wrong WAY...`. The PE with the last number takes the last way, and so on; all others take
// the first one. `wrong`: two PEs race before.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long data;

static int end(const char* way) {
  if (strcmp(way, "finalize") == 0) shmem_finalize();
  if (strcmp(way, "exit") == 0) exit(0);
  if (strcmp(way, "fail") == 0) exit(3);
  if (strcmp(way, "global_exit") == 0) shmem_global_exit(0);
  if (strcmp(way, "fork") == 0) {  // the child is no PE
    const pid_t child = fork();
    if (child == 0) exit(0);
    int status = 1;
    if (waitpid(child, &status, 0) != child || status != 0) return 4;
  }
  return 0;  // "main"
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  shmem_init();
  const int me = shmem_my_pe(), from_last = shmem_n_pes() - 1 - me;
  if (strcmp(argv[1], "wrong") == 0 && me < 2) shmem_long_p(&data, me, 0);
  shmem_barrier_all();
  if (me == 0) printf("done\n");
  fflush(stdout);
  return end(argv[from_last < argc - 2 ? argc - 1 - from_last : 2]);
}
