/* A process of another user that tries to access a job.   stranger SECONDS PID ...
 * It tries the descriptors, memory and maps of the processes, and a signal. Then, for SECONDS, it tries every socket
 * that hands over a node segment, as listed in /proc/net/unix. It prints a line for each success, and finally "connects
 * N". */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void try_to_open(int pid, const char* what) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
  if (open(path, O_RDONLY) >= 0 || opendir(path) != NULL) printf("opened %s\n", path);
}

static void try_process(int pid) {
  char byte, name[16];
  struct iovec mine = {&byte, 1}, theirs = {&byte, 1};
  for (int fd = 0; fd < 128; fd++) {
    snprintf(name, sizeof name, "fd/%d", fd);
    try_to_open(pid, name);
  }
  try_to_open(pid, "fd");
  try_to_open(pid, "mem");
  try_to_open(pid, "map_files");
  try_to_open(pid, "environ");
  if (process_vm_readv(pid, &mine, 1, &theirs, 1, 0) >= 0 || errno != EPERM) printf("read memory of %d\n", pid);
  if (kill(pid, SIGCONT) == 0) printf("signalled %d\n", pid);
}

/* Returns 1 if it received anything. */
static int knock(const char* name, size_t length) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int peer = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct timeval limit = {3, 0};
  char byte, control[64];
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  memcpy(address.sun_path + 1, name, length);
  setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const socklen_t whole = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  if (connect(peer, (const struct sockaddr*)&address, whole) != 0) {
    close(peer);
    return 0;
  }
  if (recvmsg(peer, &message, 0) > 0) printf("received from @%.*s\n", (int)length, name);
  close(peer);
  return 1;
}

int main(int argc, char** argv) {
  static char list[1 << 20];
  const time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
  int connects = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 2; i < argc; i++) try_process(atoi(argv[i]));
  puts("looking");
  while (time(NULL) < end) {
    const int file = open("/proc/net/unix", O_RDONLY);
    size_t bytes = 0;
    for (ssize_t n; (n = read(file, list + bytes, sizeof list - 1 - bytes)) > 0;) bytes += (size_t)n;
    close(file);
    list[bytes] = '\0';
    for (char* at = list; (at = strstr(at, "@oshen-")) != NULL;) {
      const size_t length = strcspn(at + 1, "\n");
      const size_t digits = strspn(at + sizeof "@oshen-" - 1, "0123456789abcdef");
      if (digits == 32) connects += knock(at + 1, length);
      at += length;
    }
    usleep(200);
  }
  printf("connects %d\n", connects);
  return 0;
}
