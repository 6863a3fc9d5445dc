// A PE may fork and run commands: the child writes its own copy of the globals, never its parent's, and the parent
// continues to communicate.
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

static int data = 5, bss;

static void check_fork(void) {
  const pid_t child = fork();
  CHECK(child >= 0, "fork");
  if (child == 0) {
    const int good = data == 5 && bss == 6;  // the child starts with the parent's values
    data = -1;
    bss = -2;
    _exit(good ? 17 : 18);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child, "waitpid");
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 17, "the child ended with %x", (unsigned)status);
  CHECK(data == 5 && bss == 6, "the child wrote its parent's globals: %d, %d", data, bss);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
  bss = 6;
  int* heap = shmem_malloc(sizeof(int));
  check_fork();
  CHECK(system("true") == 0, "system(true)");
  CHECK(system("exit 3") == 3 << 8, "system(exit 3)");
  shmem_barrier_all();
  shmem_int_p(heap, me, right);
  shmem_int_p(&data, 100 + me, right);
  shmem_barrier_all();
  CHECK(*heap == (me + n - 1) % n && data == 100 + (me + n - 1) % n, "after fork: %d, %d", *heap, data);
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
