/* The connection between two PEs breaks while both live: PE 0 itself shuts down all streams to other hosts. Its later
 * operations on the other PE continue over a new stream, or a PE ends the job with a line. They do not hang. With the
 * argument `context` these are operations on a private context, and only its own streams break. */
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

enum { most_descriptors = 1024 };
static int is_kept[most_descriptors];

static void keep_present_streams(void) {
  struct sockaddr_storage peer;
  for (int fd = 0; fd < most_descriptors; ++fd) {
    socklen_t bytes = sizeof peer;
    is_kept[fd] = getpeername(fd, (struct sockaddr*)&peer, &bytes) == 0;
  }
}

static int break_streams(void) {
  int n = 0;
  DIR* all = opendir("/proc/self/fd");
  for (struct dirent* one; all != NULL && (one = readdir(all)) != NULL;) {
    const int fd = atoi(one->d_name);
    struct sockaddr_storage peer;
    socklen_t bytes = sizeof peer;
    if (fd < most_descriptors && !is_kept[fd] && getpeername(fd, (struct sockaddr*)&peer, &bytes) == 0 &&
        (peer.ss_family == AF_INET || peer.ss_family == AF_INET6)) {
      shutdown(fd, SHUT_RDWR);
      n++;
    }
  }
  if (all != NULL) closedir(all);
  return n;
}

static void use_it(shmem_ctx_t ctx, const char* what, int other) {
  static long here[1 << 16];
  if (strcmp(what, "get") == 0) shmem_ctx_long_get(ctx, here, cells, 1 << 16, other);
  if (strcmp(what, "put") == 0) shmem_ctx_long_put(ctx, cells, here, 1 << 16, other);
  if (strcmp(what, "atomic") == 0) shmem_ctx_long_atomic_fetch_inc(ctx, &counter, other);
  if (strcmp(what, "quiet") == 0) shmem_ctx_long_put_nbi(ctx, cells, here, 1 << 16, other);
  shmem_ctx_quiet(ctx);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "get";
  const int has_context = argc > 2 && strcmp(argv[2], "context") == 0;
  shmem_init();
  if (shmem_my_pe() == 0) {
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    use_it(ctx, what, 1);
    if (has_context) {
      keep_present_streams();
      if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) return 3;
      use_it(ctx, what, 1);
    }
    puts("it works");
    fflush(stdout);
    if (break_streams() == 0) return 3;
    for (int i = 0; i < 20; ++i) use_it(ctx, what, 1);
    puts("it works again");
    fflush(stdout);
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
