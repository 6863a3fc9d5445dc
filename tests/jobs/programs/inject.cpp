// Makes the k-th system call of a kind fail in a job. A supervisor sees every system call of the job (seccomp user
// notification) and replies instead of the kernel.
//
//   inject count <program> ...                          prints "ROLE CALL TIMES" for each
//   inject ROLE CALL K ERRNO <program> ...              ROLE: front, supervisor, pe, other; CALL: its number
//
// Ends when every process of the job has ended, with the status of the program. Other statuses: 98 if the call did not
// happen, 99 if processes are left 5 s after the program, 77 if the kernel cannot do this.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <string>
#include <utility>

namespace {

constexpr unsigned every_call = ~0u;
constexpr int left_behind = 99, never_came = 98, not_possible = 77;
constexpr int patience_ms = 5000;

struct meeting {  // the synchronisation of supervisor and job before the job begins
  std::atomic<int> listener{-1};
  std::atomic<bool> taken{false};
};

// Returns the listener of the filter, which lets the exit calls pass.
int install_filter(unsigned call) {
  const bool all = call == every_call;
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
      BPF_JUMP(BPF_JMP | (all ? BPF_JGE : BPF_JEQ) | BPF_K, all ? 0 : call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

// After the filter is installed, every call waits for the supervisor, which has no listener yet. So this function makes
// none.
[[noreturn]] void become_job(meeting& place, unsigned call, char** program) {
  const int listener = install_filter(call);
  if (listener < 0) _exit(not_possible);
  place.listener.store(listener);
  while (!place.taken.load()) continue;
  execvp(program[0], program);
  _exit(127);
}

struct parents {
  pid_t group = 0, parent = 0;
};

parents read_parents(pid_t thread) {
  parents out;
  const std::string path = "/proc/" + std::to_string(thread) + "/status";
  FILE* file = fopen(path.c_str(), "re");
  if (file == nullptr) return out;
  char line[256];
  while (fgets(line, sizeof line, file) != nullptr) {
    sscanf(line, "Tgid: %d", &out.group);
    sscanf(line, "PPid: %d", &out.parent);
  }
  fclose(file);
  return out;
}

// Faults in the loader are not injected, because they precede all code of this project.
bool is_loader(pid_t thread, unsigned long long instruction) {
  const std::string path = "/proc/" + std::to_string(thread) + "/maps";
  FILE* file = fopen(path.c_str(), "re");
  if (file == nullptr) return false;
  char line[512];
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != nullptr) {
    unsigned long long start = 0, end = 0;
    if (sscanf(line, "%llx-%llx", &start, &end) == 2 && start <= instruction && instruction < end)
      found = strstr(line, "/ld-") != nullptr || strstr(line, "/ld.so") != nullptr;
  }
  fclose(file);
  return found;
}

class supervisor {
 public:
  // `began`: the supervisor will not see the first call of the job, which starts the program.
  supervisor(int listener, pid_t front, bool began) : listener_(listener), front_(front), began_(began) {}
  std::map<std::pair<std::string, int>, int> counts;
  std::string wanted_role;  // "": none
  int wanted_time = 0, error = 0;
  bool hit = false;

  // Returns false when no process is left that could make a call.
  bool serve(int limit_ms, bool& timed_out) {
    pollfd ready{listener_, POLLIN, 0};
    const int events = poll(&ready, 1, limit_ms);
    timed_out = events == 0;
    if (events <= 0 || (ready.revents & POLLIN) == 0) return events == 0 || (ready.revents & POLLHUP) == 0;
    seccomp_notif call{};
    if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return true;  // killed meanwhile
    seccomp_notif_resp answer{};
    answer.id = call.id;
    const pid_t thread = static_cast<pid_t>(call.pid);
    const std::string role = role_of(thread);
    const bool ours = began_ && !is_loader(thread, call.data.instruction_pointer);
    began_ = true;  // the first call starts the program
    const int time = ours ? ++counts[{role, call.data.nr}] : 0;
    if (ours && role == wanted_role && time == wanted_time) {
      // brk reports no error; it returns the end of the heap.
      if (call.data.nr != SYS_brk) answer.error = -error;
      hit = true;
    } else {
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    return true;
  }

 private:
  std::string role_of(pid_t thread) {
    const auto known = roles_.find(thread);
    if (known != roles_.end()) return known->second;
    const parents who = read_parents(thread);
    const char* role = who.group == front_                         ? "front"
                       : who.parent == front_                      ? "supervisor"
                       : read_parents(who.parent).parent == front_ ? "pe"
                                                                   : "other";
    return roles_[thread] = role;
  }

  int listener_;
  pid_t front_;
  bool began_;
  std::map<pid_t, std::string> roles_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool count = argc > 2 && std::string(argv[1]) == "count";
  if (!count && argc < 6) return 2;
  char** program = argv + (count ? 2 : 5);
  void* page = mmap(nullptr, sizeof(meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* place = new (page) meeting;
  const pid_t front = fork();
  if (front == 0) become_job(*place, count ? every_call : static_cast<unsigned>(atoi(argv[2])), program);

  int status = 0;
  while (place->listener.load() < 0) {
    if (waitpid(front, &status, WNOHANG) == front) return not_possible;
    usleep(100);
  }
  const int process = static_cast<int>(syscall(SYS_pidfd_open, front, 0));
  const int listener = static_cast<int>(syscall(SYS_pidfd_getfd, process, place->listener.load(), 0));
  if (listener < 0) {
    kill(front, SIGKILL);
    return not_possible;
  }
  const bool sees_start = count || atoi(argv[2]) == SYS_execve;
  supervisor watch(listener, front, !sees_start);
  if (!count) {
    watch.wanted_role = argv[1];
    watch.wanted_time = atoi(argv[3]);
    watch.error = atoi(argv[4]);
  }
  place->taken.store(true);

  int waited_ms = 0;
  bool ended = false, timed_out = false;
  while (watch.serve(ended ? 100 : 1000, timed_out)) {
    if (!ended) ended = waitpid(front, &status, WNOHANG) == front;
    if (ended && timed_out && (waited_ms += 100) >= patience_ms) return left_behind;
  }
  if (!ended) waitpid(front, &status, 0);
  if (count)
    for (const auto& [what, times] : watch.counts) printf("%s %d %d\n", what.first.c_str(), what.second, times);
  else if (!watch.hit)
    return never_came;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
