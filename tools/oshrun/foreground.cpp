#include "oshrun/foreground.hpp"

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

constexpr std::array forwarded = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};
constexpr int background_check_ms = 200;
// Limit of retries for calls that fail unexpectedly.
constexpr int most_failures = 100, nap_us = 10'000;

// A signal that was ignored when oshrun started (nohup, background jobs of scripts) stays ignored. If it were blocked,
// signalfd would deliver it.
bool is_ignored(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int signal : forwarded)
    if (!is_ignored(signal)) sigaddset(&set, signal);
  return set;
}

}  // namespace

unique_fd block_signals() {
  const sigset_t set = watched();
  if (sigprocmask(SIG_BLOCK, &set, nullptr) != 0) give_up(1, "cannot block signals: %s", std::strerror(errno));
  unique_fd signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.open()) give_up(1, "cannot watch signals (signalfd): %s", std::strerror(errno));
  return signals;
}

foreground::foreground(pid_t supervisor, unique_fd signals, unique_fd signal_pipe, unique_fd stdin_of_pe_0)
    : supervisor_(supervisor),
      signal_pipe_(std::move(signal_pipe)),
      to_pe_0_(std::move(stdin_of_pe_0)),
      signals_(std::move(signals)) {}

int foreground::run() {
  for (int failures = 0; failures < most_failures;) {
    const bool pumping = to_pe_0_.open() && in_foreground();
    pollfd ready[] = {{signals_.get(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}, {to_pe_0_.get(), 0, 0}};
    const int limit_ms = failures > 0 ? nap_us / 1000 : to_pe_0_.open() && !pumping ? background_check_ms : -1;
    const int events = poll(ready, pumping ? 3 : has_control_pipe_ ? 2 : 1, limit_ms);
    if (events < 0) usleep(nap_us);
    take_signals();
    if (events > 0 && has_control_pipe_ && ready[1].revents != 0) check_control_pipe();
    if (events > 0 && pumping && ready[1].revents != 0) pump();
    if (events > 0 && pumping && ready[2].revents != 0) to_pe_0_.close();  // PE 0 has ended
    int status = 0;
    const pid_t ended = waitpid(supervisor_, &status, WNOHANG);
    if (ended == supervisor_) return status_of_job(status);
    failures = ended == 0 ? 0 : failures + 1;
  }
  say("cannot wait for the job: %s; ending it", std::strerror(errno));
  signal_pipe_.close();  // the supervisor ends the job
  end_descendants();
  return 1;
}

// Ctrl-Z stops the job first and then this process, as the shell expects. SIGCONT arrives here and is forwarded.
void foreground::take_signals() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) continue;
    const char signal = static_cast<char>(info.ssi_signo);
    write_all(signal_pipe_.get(), &signal, 1);
    if (info.ssi_signo == SIGTSTP) raise(SIGSTOP);
  }
}

// Reads only if the pipe to PE 0 has room: writing to a full pipe would block, and Ctrl-C with it.
void foreground::pump() {
  pollfd room = {to_pe_0_.get(), POLLOUT, 0};
  if (poll(&room, 1, 0) == 0) {
    usleep(1000);
    return;
  }
  char text[4096];  // PIPE_BUF: a pipe with room accepts this many bytes at once
  const ssize_t bytes = read(STDIN_FILENO, text, sizeof text);
  if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (bytes <= 0 || !write_all(to_pe_0_.get(), text, static_cast<std::size_t>(bytes))) to_pe_0_.close();
}

// The end of the control pipe ends the job: the supervisor does that when the signal pipe closes.
void foreground::check_control_pipe() {
  char byte;
  const ssize_t bytes = read(STDIN_FILENO, &byte, 1);
  if (bytes > 0 || (bytes < 0 && (errno == EINTR || errno == EAGAIN))) return;
  has_control_pipe_ = false;
  signal_pipe_.close();
}

// Reading a terminal from the background fails, or stops the process.
bool foreground::in_foreground() const { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

int foreground::status_of_job(int supervisors_status) const {
  end_descendants();  // none, unless the supervisor has failed
  if (WIFEXITED(supervisors_status)) return WEXITSTATUS(supervisors_status);
  const int signal = WTERMSIG(supervisors_status);
  say("its supervisor (pid %d) was killed by signal %d (%s); the job was ended", static_cast<int>(supervisor_), signal,
      strsignal(signal));
  return 128 + signal;
}

}  // namespace oshrun
