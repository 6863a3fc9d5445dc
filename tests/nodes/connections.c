/* PEs on nodes of their own, over transport tcp. After the start a PE has no data connection. After a put to one PE it
 * has one connection, and so has the target. Beside the program's thread there is at most one. */
#include <dirent.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static uint64_t arrived;

/* The entries of a folder of /proc that are numbers: `counts` chooses among them. */
static int count(const char* folder, int (*counts)(int number)) {
  int n = 0;
  DIR* const entries = opendir(folder);
  if (entries == NULL) shmem_global_exit(2);
  for (const struct dirent* one; (one = readdir(entries)) != NULL;)
    if (one->d_name[0] != '.' && counts(atoi(one->d_name))) ++n;
  closedir(entries);
  return n;
}

static int any(int number) {
  (void)number;
  return 1;
}

static int is_connection(int fd) {
  struct sockaddr_storage peer;
  socklen_t bytes = sizeof peer;
  return getpeername(fd, (struct sockaddr*)&peer, &bytes) == 0 &&
         (peer.ss_family == AF_INET || peer.ss_family == AF_INET6);
}

static void expect(int connections, const char* when) {
  const int found = count("/proc/self/fd", is_connection), threads = count("/proc/self/task", any);
  if (found == connections && threads <= 2) return;
  fprintf(stderr, "PE %d: %s: %d connections, expected %d; %d threads, expected at most 2\n", shmem_my_pe(), when,
          found, connections, threads);
  shmem_global_exit(1);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), other = me ^ 1;
  const uint64_t one = 1;
  if (me % 2 == 0) expect(0, "after the start");                       /* the other one may have been put to already */
  if (me % 2 != 0) shmem_uint64_wait_until(&arrived, SHMEM_CMP_EQ, 1); /* the lower PE connects */
  shmem_uint64_put(&arrived, &one, 1, other);
  shmem_quiet();
  if (me % 2 == 0) shmem_uint64_wait_until(&arrived, SHMEM_CMP_EQ, 1);
  expect(1, "after a put to one PE");
  if (me == 0) puts("one connection");
  shmem_finalize();
  return 0;
}
