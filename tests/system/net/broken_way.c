/* The connection between two PEs breaks while both live: PE 0 itself shuts down all streams to other hosts. Its later
 * operations on the other PE continue over a new stream, or a PE ends the job with a line. They do not hang. */
#include <dirent.h>
#include <netinet/in.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static long cells[1 << 16];
static long counter;

static void break_streams(void) {
  DIR* all = opendir("/proc/self/fd");
  for (struct dirent* one; all != NULL && (one = readdir(all)) != NULL;) {
    const int fd = atoi(one->d_name);
    struct sockaddr_storage peer;
    socklen_t bytes = sizeof peer;
    if (getpeername(fd, (struct sockaddr*)&peer, &bytes) == 0 &&
        (peer.ss_family == AF_INET || peer.ss_family == AF_INET6))
      shutdown(fd, SHUT_RDWR);
  }
  if (all != NULL) closedir(all);
}

static void use_it(const char* what, int other) {
  static long here[1 << 16];
  if (strcmp(what, "get") == 0) shmem_long_get(here, cells, 1 << 16, other);
  if (strcmp(what, "put") == 0) shmem_long_put(cells, here, 1 << 16, other);
  if (strcmp(what, "atomic") == 0) shmem_long_atomic_fetch_inc(&counter, other);
  if (strcmp(what, "quiet") == 0) shmem_long_put_nbi(cells, here, 1 << 16, other);
  shmem_quiet();
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "get";
  shmem_init();
  if (shmem_my_pe() == 0) {
    use_it(what, 1);
    puts("it works");
    fflush(stdout);
    break_streams();
    for (int i = 0; i < 20; ++i) use_it(what, 1);
    puts("it works again");
    fflush(stdout);
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
