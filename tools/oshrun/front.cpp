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
// A call that fails without reason is made again, and not for ever.
constexpr int most_failures = 100, nap_us = 10'000;

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

unique_fd block_signals() {
  const sigset_t set = watched();
  if (sigprocmask(SIG_BLOCK, &set, nullptr) != 0)
    give_up(1, "cannot block signals: %s", std::strerror(errno));
  unique_fd signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.open()) give_up(1, "cannot watch signals (signalfd): %s", std::strerror(errno));
  return signals;
}

front::front(pid_t supervisor, unique_fd signals, unique_fd orders, unique_fd stdin_of_pe_0)
    : supervisor_(supervisor),
      orders_(std::move(orders)),
      to_pe_0_(std::move(stdin_of_pe_0)),
      signals_(std::move(signals)) {}

int front::run() {
  for (int failures = 0; failures < most_failures;) {
    const bool pumping = to_pe_0_.open() && in_foreground();
    pollfd ready[] = {
        {signals_.get(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}, {to_pe_0_.get(), 0, 0}};
    const int limit_ms = failures > 0                     ? nap_us / 1000
                         : to_pe_0_.open() && !pumping ? background_look_ms
                                                       : -1;
    const int events = poll(ready, pumping ? 3 : on_leash_ ? 2 : 1, limit_ms);
    if (events < 0) usleep(nap_us);
    take_signals();
    if (events > 0 && on_leash_ && ready[1].revents != 0) feel_leash();
    if (events > 0 && pumping && ready[1].revents != 0) pump();
    if (events > 0 && pumping && ready[2].revents != 0) to_pe_0_.close();  // PE 0 is gone
    int status = 0;
    const pid_t ended = waitpid(supervisor_, &status, WNOHANG);
    if (ended == supervisor_) return status_of_job(status);
    failures = ended == 0 ? 0 : failures + 1;
  }
  say("cannot wait for the job: %s; it is ended", std::strerror(errno));
  orders_.close();  // the supervisor ends it
  end_descendants();
  return 1;
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

// Who started the job is gone, or wants it to end: so does the supervisor when nobody gives it orders any more.
void front::feel_leash() {
  char byte;
  const ssize_t bytes = read(STDIN_FILENO, &byte, 1);
  if (bytes > 0 || (bytes < 0 && (errno == EINTR || errno == EAGAIN))) return;
  on_leash_ = false;
  orders_.close();
}

// Reading a terminal from the background fails, or would stop us.
bool front::in_foreground() const {
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

int front::status_of_job(int supervisors_status) const {
  end_descendants();  // none, unless the supervisor could not do its work
  if (WIFEXITED(supervisors_status)) return WEXITSTATUS(supervisors_status);
  const int signal = WTERMSIG(supervisors_status);
  say("its supervisor (pid %d) was killed by signal %d (%s); the job was ended",
      static_cast<int>(supervisor_), signal, strsignal(signal));
  return 128 + signal;
}

}  // namespace oshrun
