#include "oshrun/front.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "oshrun/orphans.hpp"

namespace oshrun {
namespace {

constexpr std::array passed_on = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                  SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};
constexpr int background_look_ms = 200;

// A signal that oshrun was started to ignore (nohup; a script's background job) stays ignored.
// Blocked, it would arrive all the same.
bool is_ignored(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int signal : passed_on)
    if (!is_ignored(signal)) sigaddset(&set, signal);
  return set;
}

}  // namespace

void block_signals() {
  const sigset_t set = watched();
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

front::front(pid_t keeper, unique_fd orders, unique_fd stdin_of_pe_0)
    : keeper_(keeper), orders_(std::move(orders)), to_pe_0_(std::move(stdin_of_pe_0)) {
  const sigset_t set = watched();
  signals_ = unique_fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int front::run() {
  for (;;) {
    const bool pumping = to_pe_0_.open() && in_foreground();
    pollfd ready[] = {
        {signals_.get(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}, {to_pe_0_.get(), 0, 0}};
    poll(ready, pumping ? 3 : 1, to_pe_0_.open() && !pumping ? background_look_ms : -1);
    if (ready[0].revents != 0) take_signals();
    if (pumping && ready[1].revents != 0) pump();
    if (pumping && ready[2].revents != 0) to_pe_0_.close();  // PE 0 is gone
    siginfo_t ended = {};
    if (waitid(P_PID, static_cast<id_t>(keeper_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == keeper_)
      return status_of_keeper();
  }
}

// Ctrl-Z stops the job first and then ourselves, as the shell expects; SIGCONT comes back here.
void front::take_signals() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) continue;
    const char order = static_cast<char>(info.ssi_signo);
    write_all(orders_.get(), &order, 1);
    if (info.ssi_signo == SIGTSTP) raise(SIGSTOP);
  }
}

// A full pipe blocks here and Ctrl-C with it, so nothing is read while PE 0 does not take it.
void front::pump() {
  pollfd room = {to_pe_0_.get(), POLLOUT, 0};
  if (poll(&room, 1, 0) == 0) {
    usleep(1000);
    return;
  }
  char text[4096];  // PIPE_BUF: what a pipe with room takes whole
  const ssize_t bytes = read(STDIN_FILENO, text, sizeof text);
  if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (bytes <= 0 || !write_all(to_pe_0_.get(), text, static_cast<std::size_t>(bytes)))
    to_pe_0_.close();
}

// Reading a terminal from the background fails, or would stop us.
bool front::in_foreground() const {
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

int front::status_of_keeper() const {
  int status = 0;
  waitpid(keeper_, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  end_descendants();
  say("its keeper (pid %d) was killed by signal %d (%s); the job was ended",
      static_cast<int>(keeper_), WTERMSIG(status), strsignal(WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

}  // namespace oshrun
