/* Runs a program as on a kernel that refuses a call: a seccomp filter returns an error.
 *   deny CALL ERRNO program ...      CALL: a name in the table */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  const char* name;
  unsigned number;
} calls[] = {
    {"signalfd4", SYS_signalfd4}, {"ppoll", SYS_ppoll},
    {"wait4", SYS_wait4},         {"epoll_create1", SYS_epoll_create1},
    {"prctl", SYS_prctl},         {"memfd_create", SYS_memfd_create},
    {"getrandom", SYS_getrandom}, {"setpgid", SYS_setpgid},
    {"pipe2", SYS_pipe2},         {"dup3", SYS_dup3},
#ifdef SYS_poll
    {"poll", SYS_poll},           {"dup2", SYS_dup2},
#endif
};

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    if (strcmp(calls[i].name, argv[1]) != 0) continue;
    struct sock_filter refuse[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(argv[2])),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof refuse / sizeof *refuse, refuse};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      return 77;
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 127;
  }
  return 77; /* no such call on this machine */
}
