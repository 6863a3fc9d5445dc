#include "oshrun/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "oshrun/orphans.hpp"
#include "oshrun/pe_listing.hpp"
#include "oshrun/proc.hpp"

namespace oshrun {
namespace {

using namespace std::chrono_literals;

constexpr auto check_interval = 250ms;         // for changes without an event, such as an exit request.
constexpr auto grace_after_failure = 300ms;    // for SIGTERM handlers; short, because the user waits for the prompt.
constexpr auto grace_after_request = 300ms;    // the library leaves its waits.
constexpr auto grace_after_signal = 2000ms;    // programs may save their state.
constexpr auto patience_with_kernel = 5000ms;  // a PE in state D does not end.
constexpr auto patience_with_stuck = 25000ms;  // but it may end later.
constexpr auto polling_interval = 20ms;        // without a signalfd for SIGCHLD.
constexpr int most_failed_waits = 100, nap_us = 10'000;

}  // namespace

int supervisor::run() {
  adopt_orphans();
  const clock::time_point start = clock::now();
  const std::chrono::duration<double> limit(asked_.timeout_seconds);
  if (limit.count() > 0) time_out_at_ = start + std::chrono::duration_cast<clock::duration>(limit);
  start_all();
  while (alive_ > 0 && stage_ != stage::given_up) {
    wait_for_events();
    check_pes();
    check_deadlines();
  }
  const bool all_ended = end_descendants();
  if (stage_ == stage::stuck || (stage_ == stage::given_up && all_ended))
    say("the remaining PEs have ended");
  else if (stage_ != stage::given_up && !all_ended)
    say("cannot kill some processes of the job");
  wait_for_output();
  report_output_errors();
  if (const std::string line = describe(end_, job_, asked_); !line.empty()) say("%s", line.c_str());
  if (asked_.verbose) {
    const std::chrono::duration<double> took = clock::now() - start;
    say("the job ended with status %d after %.3f s", end_.exit_status, took.count());
  }
  return end_.exit_status;
}

// If poll or signalfd fail, the end of a PE is only noticed later.
void supervisor::wait_for_events() {
  pollfd ready[] = {{child_ended_.get(), POLLIN, 0}, {signal_pipe_.get(), POLLIN, 0}};
  const int events = poll(ready, 2, milliseconds_to_sleep());
  if (events < 0) usleep(nap_us);
  reap();
  if (signal_pipe_.open() && (events < 0 || ready[1].revents != 0)) read_forwarded_signal();
}

int supervisor::milliseconds_to_sleep() const {
  clock::duration left = child_ended_.open() ? check_interval : polling_interval;
  if (failed_waits_ > 0) left = 0ms;
  for (const auto& deadline : {time_out_at_, next_step_at_})
    if (deadline) left = std::min(left, *deadline - clock::now());
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(left);
  return static_cast<int>(std::max(whole, 0ms).count());
}

// Reaps PEs, and orphans that became children of this process.
void supervisor::reap() {
  signalfd_siginfo ignored;
  while (child_ended_.open() && read(child_ended_.get(), &ignored, sizeof ignored) > 0) continue;
  int status = 0;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    const auto found = pe_of_.find(pid);
    if (found == pe_of_.end()) continue;
    if (WIFSTOPPED(status)) {
      if (hold_at_exec(pid, status)) table_.note_held();
      continue;
    }
    pe_process& pe = pes_[static_cast<std::size_t>(found->second)];
    pe.alive = false;
    pe.wait_status = status;
    --alive_;
    pe_of_.erase(found);  // the kernel may reuse the number
  }
  if (pid == 0 || alive_ == 0) {
    failed_waits_ = 0;
  } else if (++failed_waits_ == most_failed_waits) {
    say("cannot wait for the PEs: %s; ending the job", strerror(errno));
    end_ = {.why = cause::not_started, .exit_status = 1, .reason = {}};
    signal_all(SIGKILL);
    stage_ = stage::given_up;
  } else {
    usleep(nap_us);
  }
}

void supervisor::read_forwarded_signal() {
  char signal = 0;
  const ssize_t bytes = read(signal_pipe_.get(), &signal, 1);
  if (bytes == 1) return handle_signal(signal);
  if (bytes < 0) return static_cast<void>(usleep(nap_us));  // retried later
  signal_pipe_.close();                                     // the foreground process has ended
  abandoned_ = true;
  end_ = {.why = cause::abandoned, .exit_status = 128 + SIGKILL, .reason = {}};
  kill_now();
}

void supervisor::handle_signal(int signal) {
  switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGTERM:
      if (stage_ == stage::stuck) report_stuck();
      if (stage_ != stage::running) return kill_now();
      return end_job({.why = cause::stopped_by_signal, .exit_status = 128 + signal, .reason = {}}, signal,
                     grace_after_signal);
    case SIGTSTP: return signal_all(SIGSTOP);  // SIGTSTP has no effect on orphaned process groups
    default: return signal_all(signal);
  }
}

void supervisor::check_pes() {
  if (stage_ != stage::running) return;
  if (spawner_.failure().error.load() != 0) return start_failed();
  if (labels_.error() != 0 && labels_.error() != EPIPE)
    return end_job({.why = cause::output_lost, .exit_status = 1, .reason = {}}, SIGTERM, grace_after_failure);
  std::optional<exit_reason> found = check_job(job_, pes_);
  if (!found) return;
  explain_kill(*found);
  const bool leaving = found->why == cause::requested;
  end_job(*found, leaving ? 0 : SIGTERM, leaving ? grace_after_request : grace_after_failure);
}

// The counter of the kernel may change shortly after the death of the PE.
void supervisor::explain_kill(exit_reason& found) {
  if (found.why != cause::killed || WTERMSIG(found.wait_status) != SIGKILL) return;
  memory_kills now = count_memory_kills();
  if (now.on_machine == kills_before_.on_machine) {
    usleep(nap_us);
    now = count_memory_kills();
  }
  if (now.in_group > kills_before_.in_group)
    found.reason = ", by the kernel: the memory of its control group is exhausted";
  else if (now.on_machine > kills_before_.on_machine)
    found.reason = ", probably by the kernel, which has just killed a process because memory is exhausted";
}

void supervisor::check_deadlines() {
  const clock::time_point now = clock::now();
  if (stage_ == stage::running && time_out_at_ && now >= *time_out_at_) {
    report_time_out();
    end_job({.why = cause::timed_out, .exit_status = 124, .reason = {}}, SIGTERM, grace_after_failure);
  }
  if (!next_step_at_ || now < *next_step_at_ || alive_ == 0) return;
  if (stage_ == stage::ending) return kill_now();
  report_stuck();
}

void supervisor::report_stuck() {
  const char state = read_process(pe_of_.begin()->first).state;
  if (stage_ == stage::killing && !abandoned_) {
    say("%d PEs have not ended after SIGKILL (state %c); waiting for them", alive_, state);
    stage_ = stage::stuck;
    next_step_at_ = clock::now() + patience_with_stuck;
  } else {
    say("%d PEs do not end after SIGKILL (state %c); leaving them behind", alive_, state);
    stage_ = stage::given_up;
  }
}

// Sends the first signal, and SIGCONT because stopped PEs cannot handle it. kill_now() follows after `grace`.
void supervisor::end_job(const exit_reason& end, int first_signal, clock::duration grace) {
  end_ = end;
  stage_ = stage::ending;
  time_out_at_.reset();
  next_step_at_ = clock::now() + grace;
  if (first_signal == 0 || alive_ == 0) return;
  signal_all(first_signal);
  signal_all(SIGCONT);
}

void supervisor::kill_now() {
  if (stage_ < stage::killing) {
    stage_ = stage::killing;
    time_out_at_.reset();
    next_step_at_ = clock::now() + patience_with_kernel;
  }
  signal_all(SIGKILL);
}

// Signals the process group, and the PEs that have left it.
void supervisor::signal_all(int signal) {
  if (alive_ == 0) return;
  kill(-spawner_.group(), signal);
  for (const auto& [pid, pe] : pe_of_)
    if (getpgid(pid) != spawner_.group()) kill(pid, signal);
}

void supervisor::report_time_out() {
  say("time-out after %g s; %d of %d %s have not ended:", asked_.timeout_seconds, alive_, job_.n_pes(),
      asked_.hosts.empty() ? "PEs" : "hosts");
  constexpr int few = 8;  // up to this number each PE has a line
  pe_listing lines(job_, alive_ > few);
  for (int pe = 0; pe < job_.n_pes(); ++pe) {
    if (!pes_[static_cast<std::size_t>(pe)].alive) continue;
    if (const std::string& host = asked_.programs[asked_.program_of(pe)].host; !host.empty())
      say("  the PEs on %s", host.c_str());
    else
      lines.add(pe);
  }
  lines.print();
}

// The reader of the output may be slow (a pager): waits for it until the user interrupts or the foreground process
// ends.
void supervisor::wait_for_output() {
  while (asked_.label && !labels_.done() && !abandoned_) {
    pollfd ready[] = {{labels_.done_fd(), POLLIN, 0}, {signal_pipe_.get(), POLLIN, 0}};
    const int events = poll(ready, 2, -1);
    if (events < 0) usleep(nap_us);
    if (labels_.done()) return;
    if (!signal_pipe_.open() || (events >= 0 && ready[1].revents == 0)) continue;
    char signal = 0;
    const ssize_t bytes = read(signal_pipe_.get(), &signal, 1);
    if (bytes == 0) return;
    if (bytes == 1 && (signal == SIGINT || signal == SIGTERM || signal == SIGHUP)) return;
  }
}

// Reports lost output. A closed reader does not change the status of a job that has failed.
void supervisor::report_output_errors() {
  const int error = labels_.error();
  if (error == 0) return;
  const char* where = labels_.failed_descriptor() == STDOUT_FILENO ? "output" : "error";
  if (error == EPIPE && end_.exit_status != 0) return;
  if (error == EPIPE)
    say("the reader of standard %s has closed it; the remaining output is lost", where);
  else if (labels_.failed_descriptor() == STDIN_FILENO)
    say("cannot read the output of the PEs: %s; it is incomplete", strerror(error));
  else
    say("cannot write to standard %s: %s; the output of the PEs is incomplete", where, strerror(error));
  if (end_.exit_status == 0) end_.exit_status = error == EPIPE ? 128 + SIGPIPE : 1;
}

}  // namespace oshrun
