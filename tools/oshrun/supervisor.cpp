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
#include "oshrun/proc.hpp"
#include "oshrun/roster.hpp"

namespace oshrun {
namespace {

using namespace std::chrono_literals;

constexpr auto look_interval = 250ms;        // for what makes no event: a request of a live PE
constexpr auto grace_after_failure = 300ms;  // for SIGTERM handlers; the user waits for the prompt
constexpr auto grace_after_request = 300ms;  // the library leaves its waits by itself
constexpr auto grace_after_signal = 2000ms;  // programs may save their state
constexpr auto patience_with_kernel = 5000ms;  // a PE in state D does not die
constexpr auto patience_with_stuck = 25000ms;  // but it may later
constexpr auto blind_look_interval = 20ms;     // when the kernel does not say that a PE has ended
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
    look();
    check_deadlines();
  }
  const bool all_ended = end_descendants();
  if (stage_ == stage::stuck || (stage_ == stage::given_up && all_ended))
    say("the PEs that did not die have ended now");
  else if (stage_ != stage::given_up && !all_ended)
    say("some processes of the job could not be killed");
  wait_for_output();
  look_at_output();
  if (const std::string line = describe(end_, job_, asked_); !line.empty()) say("%s", line.c_str());
  if (asked_.verbose) {
    const std::chrono::duration<double> took = clock::now() - start;
    say("the job ended with status %d after %.3f s", end_.exit_status, took.count());
  }
  return end_.exit_status;
}

// Nothing depends on poll and signalfd but how soon the end of a PE is noticed.
void supervisor::wait_for_events() {
  pollfd ready[] = {{child_ended_.get(), POLLIN, 0}, {orders_.get(), POLLIN, 0}};
  const int events = poll(ready, 2, milliseconds_to_sleep());
  if (events < 0) usleep(nap_us);
  reap();
  if (orders_.open() && (events < 0 || ready[1].revents != 0)) take_orders();
}

int supervisor::milliseconds_to_sleep() const {
  clock::duration left = child_ended_.open() ? look_interval : blind_look_interval;
  if (failed_waits_ > 0) left = 0ms;
  for (const auto& deadline : {time_out_at_, next_step_at_})
    if (deadline) left = std::min(left, *deadline - clock::now());
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(left);
  return static_cast<int>(std::max(whole, 0ms).count());
}

// Orphans that fell to us are reaped along with the PEs.
void supervisor::reap() {
  signalfd_siginfo ignored;
  while (child_ended_.open() && read(child_ended_.get(), &ignored, sizeof ignored) > 0) continue;
  int status = 0;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    const auto found = pe_of_.find(pid);
    if (found == pe_of_.end()) continue;
    pe_process& pe = pes_[static_cast<std::size_t>(found->second)];
    pe.alive = false;
    pe.wait_status = status;
    --alive_;
    pe_of_.erase(found);  // the kernel may give the number to somebody else now
  }
  if (pid == 0 || alive_ == 0) {
    failed_waits_ = 0;
  } else if (++failed_waits_ == most_failed_waits) {
    say("cannot wait for the PEs: %s; the job is ended", strerror(errno));
    end_ = {.why = cause::not_started, .exit_status = 1, .reason = {}};
    signal_all(SIGKILL);
    stage_ = stage::given_up;
  } else {
    usleep(nap_us);
  }
}

void supervisor::take_orders() {
  char order = 0;
  const ssize_t bytes = read(orders_.get(), &order, 1);
  if (bytes == 1) return obey(order);
  if (bytes < 0) return static_cast<void>(usleep(nap_us));  // it is asked again
  orders_.close();  // the front is gone, and with it whoever waited for us
  abandoned_ = true;
  end_ = {.why = cause::abandoned, .exit_status = 128 + SIGKILL, .reason = {}};
  kill_now();
}

void supervisor::obey(int signal) {
  switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGTERM:
      if (stage_ == stage::stuck) report_stuck();
      if (stage_ != stage::running) return kill_now();
      return end_job({.why = cause::told_to_stop, .exit_status = 128 + signal, .reason = {}},
                     signal, grace_after_signal);
    case SIGTSTP:
      return signal_all(SIGSTOP);  // SIGTSTP does nothing to processes that no shell looks after
    default:
      return signal_all(signal);
  }
}

void supervisor::look() {
  if (stage_ != stage::running) return;
  if (spawner_.failure().error.load() != 0) return start_failed();
  if (labels_.error() != 0 && labels_.error() != EPIPE)
    return end_job({.why = cause::output_lost, .exit_status = 1, .reason = {}}, SIGTERM,
                   grace_after_failure);
  std::optional<exit_reason> found = judge(job_, pes_);
  if (!found) return;
  explain_kill(*found);
  const bool leaving = found->why == cause::requested;
  end_job(*found, leaving ? 0 : SIGTERM, leaving ? grace_after_request : grace_after_failure);
}

// The counter may come a moment after the death.
void supervisor::explain_kill(exit_reason& found) {
  if (found.why != cause::killed || WTERMSIG(found.wait_status) != SIGKILL) return;
  memory_kills now = count_memory_kills();
  if (now.on_machine == kills_before_.on_machine) {
    usleep(nap_us);
    now = count_memory_kills();
  }
  if (now.in_group > kills_before_.in_group)
    found.reason = ", by the kernel: the memory of its control group was used up";
  else if (now.on_machine > kills_before_.on_machine)
    found.reason = ", probably by the kernel, which has just killed for want of memory";
}

void supervisor::check_deadlines() {
  const clock::time_point now = clock::now();
  if (stage_ == stage::running && time_out_at_ && now >= *time_out_at_) {
    report_time_out();
    end_job({.why = cause::timed_out, .exit_status = 124, .reason = {}}, SIGTERM,
            grace_after_failure);
  }
  if (!next_step_at_ || now < *next_step_at_ || alive_ == 0) return;
  if (stage_ == stage::ending) return kill_now();
  report_stuck();
}

void supervisor::report_stuck() {
  const char state = read_process(pe_of_.begin()->first).state;
  if (stage_ == stage::killing && !abandoned_) {
    say("%d PEs have not died of SIGKILL yet (state %c); waiting for them", alive_, state);
    stage_ = stage::stuck;
    next_step_at_ = clock::now() + patience_with_stuck;
  } else {
    say("%d PEs do not die (state %c); they are left behind", alive_, state);
    stage_ = stage::given_up;
  }
}

// The first signal asks, and stopped PEs must run to hear it; kill_now() follows after the grace.
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

// To the group, as a terminal would, and to the PEs that have left it.
void supervisor::signal_all(int signal) {
  if (alive_ == 0) return;
  kill(-spawner_.group(), signal);
  for (const auto& [pid, pe] : pe_of_)
    if (getpgid(pid) != spawner_.group()) kill(pid, signal);
}

void supervisor::report_time_out() {
  say("time-out after %g s; %d of %d %s have not ended:", asked_.timeout_seconds, alive_,
      job_.n_pes(), asked_.hosts.empty() ? "PEs" : "hosts");
  constexpr int few = 8;  // PEs with a line each
  roster lines(job_, alive_ > few);
  for (int pe = 0; pe < job_.n_pes(); ++pe) {
    if (!pes_[static_cast<std::size_t>(pe)].alive) continue;
    if (const std::string& host = asked_.programs[asked_.program_of(pe)].host; !host.empty())
      say("  the PEs on %s", host.c_str());
    else
      lines.add(pe);
  }
  lines.print();
}

// Our reader may be slow (a pager): wait as long as it takes, or until the user gives up or is gone.
void supervisor::wait_for_output() {
  while (asked_.label && !labels_.done() && !abandoned_) {
    pollfd ready[] = {{labels_.done_fd(), POLLIN, 0}, {orders_.get(), POLLIN, 0}};
    const int events = poll(ready, 2, -1);
    if (events < 0) usleep(nap_us);
    if (labels_.done()) return;
    if (!orders_.open() || (events >= 0 && ready[1].revents == 0)) continue;
    char order = 0;
    const ssize_t bytes = read(orders_.get(), &order, 1);
    if (bytes == 0) return;
    if (bytes == 1 && (order == SIGINT || order == SIGTERM || order == SIGHUP)) return;
  }
}

// A PE that wrote after its reader had gone has met a broken pipe; one that wrote before has not.
void supervisor::look_at_output() {
  const int error = labels_.error();
  if (error == 0) return;
  const char* where = labels_.failed_descriptor() == STDOUT_FILENO ? "output" : "error";
  if (error == EPIPE && end_.exit_status != 0) return;
  if (error == EPIPE)
    say("the reader of standard %s has closed it; the rest is lost", where);
  else if (labels_.failed_descriptor() == STDIN_FILENO)
    say("cannot read what the PEs wrote: %s; it is incomplete", strerror(error));
  else
    say("cannot write to standard %s: %s; what the PEs wrote is incomplete", where,
        strerror(error));
  if (end_.exit_status == 0) end_.exit_status = error == EPIPE ? 128 + SIGPIPE : 1;
}

}  // namespace oshrun
