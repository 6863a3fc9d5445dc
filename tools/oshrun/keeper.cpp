#include "oshrun/keeper.hpp"

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

namespace oshrun {
namespace {

using namespace std::chrono_literals;

constexpr auto look_interval = 250ms;        // for what makes no event: a request of a live PE
constexpr auto grace_after_failure = 300ms;  // for SIGTERM handlers; the user waits for the prompt
constexpr auto grace_after_request = 300ms;  // the library leaves its waits by itself
constexpr auto grace_after_signal = 2000ms;  // programs may save their state
constexpr auto patience_with_kernel = 5000ms;  // a PE in state D does not die

unique_fd child_events() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return unique_fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

const char* name_of(oshen::boot::pe_state state) {
  switch (state) {
    case oshen::boot::pe_state::unborn:
      return "not initialised";
    case oshen::boot::pe_state::joined:
      return "initialised";
    case oshen::boot::pe_state::finalized:
      return "finalized";
  }
  return "unknown";
}

}  // namespace

keeper::keeper(const options& asked, const inherited& original, unique_fd orders,
               unique_fd stdin_of_pe_0)
    : asked_(asked),
      job_(asked.n_pes),
      spawner_(asked, original, job_.descriptor()),
      orders_(std::move(orders)),
      child_ended_(child_events()),
      stdin_of_pe_0_(std::move(stdin_of_pe_0)),
      nothing_(open("/dev/null", O_RDWR | O_CLOEXEC)),
      pes_(static_cast<std::size_t>(asked.n_pes)) {}

int keeper::run() {
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
  if (!end_descendants()) say("some processes of the job could not be killed");
  wait_for_output();
  if (const std::string line = describe(end_, job_); !line.empty()) say("%s", line.c_str());
  if (asked_.verbose) {
    const std::chrono::duration<double> took = clock::now() - start;
    say("the job ended with status %d after %.3f s", end_.exit_status, took.count());
  }
  return end_.exit_status;
}

void keeper::wait_for_events() {
  pollfd ready[] = {{child_ended_.get(), POLLIN, 0}, {orders_.get(), POLLIN, 0}};
  poll(ready, 2, milliseconds_to_sleep());
  if (ready[0].revents != 0) reap();
  if (ready[1].revents != 0) take_orders();
}

int keeper::milliseconds_to_sleep() const {
  clock::duration left = look_interval;
  for (const auto& deadline : {time_out_at_, next_step_at_})
    if (deadline) left = std::min(left, *deadline - clock::now());
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(left);
  return static_cast<int>(std::max(whole, 0ms).count());
}

// Orphans that fell to us are reaped along with the PEs.
void keeper::reap() {
  signalfd_siginfo ignored;
  while (read(child_ended_.get(), &ignored, sizeof ignored) > 0) continue;
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto found = pe_of_.find(pid);
    if (found == pe_of_.end()) continue;
    pe_process& pe = pes_[static_cast<std::size_t>(found->second)];
    pe.alive = false;
    pe.wait_status = status;
    --alive_;
    pe_of_.erase(found);  // the kernel may give the number to somebody else now
  }
}

void keeper::take_orders() {
  char order = 0;
  if (read(orders_.get(), &order, 1) == 1) return obey(order);
  orders_.close();  // the front is gone, and with it whoever waited for us
  end_ = {.why = cause::abandoned, .exit_status = 128 + SIGKILL};
  kill_now();
}

void keeper::obey(int signal) {
  switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGTERM:
      if (stage_ != stage::running) return kill_now();
      return end_job({.why = cause::told_to_stop, .exit_status = 128 + signal}, signal,
                     grace_after_signal);
    case SIGTSTP:
      return signal_all(SIGSTOP);  // SIGTSTP does nothing to processes that no shell looks after
    default:
      return signal_all(signal);
  }
}

void keeper::look() {
  if (stage_ != stage::running) return;
  if (spawner_.exec_error() != 0) return exec_failed();
  const std::optional<verdict> found = judge(job_, pes_);
  if (!found) return;
  const bool leaving = found->why == cause::requested;
  end_job(*found, leaving ? 0 : SIGTERM, leaving ? grace_after_request : grace_after_failure);
}

void keeper::check_deadlines() {
  const clock::time_point now = clock::now();
  if (stage_ == stage::running && time_out_at_ && now >= *time_out_at_) {
    report_time_out();
    end_job({.why = cause::timed_out, .exit_status = 124}, SIGTERM, grace_after_failure);
  }
  if (!next_step_at_ || now < *next_step_at_) return;
  if (stage_ == stage::ending) return kill_now();
  say("%d PEs do not die (state %c); they are left behind", alive_,
      read_process(pe_of_.begin()->first).state);
  stage_ = stage::given_up;
}

// The first signal asks, and stopped PEs must run to hear it; kill_now() follows after the grace.
void keeper::end_job(const verdict& end, int first_signal, clock::duration grace) {
  end_ = end;
  stage_ = stage::ending;
  time_out_at_.reset();
  next_step_at_ = clock::now() + grace;
  if (first_signal == 0 || alive_ == 0) return;
  signal_all(first_signal);
  signal_all(SIGCONT);
}

void keeper::kill_now() {
  stage_ = stage::killing;
  time_out_at_.reset();
  next_step_at_ = clock::now() + patience_with_kernel;
  signal_all(SIGKILL);
}

// To the group, as a terminal would, and to the PEs that have left it.
void keeper::signal_all(int signal) {
  if (alive_ == 0) return;
  kill(-spawner_.group(), signal);
  for (const auto& [pid, pe] : pe_of_)
    if (getpgid(pid) != spawner_.group()) kill(pid, signal);
}

void keeper::report_time_out() {
  say("time-out after %g s; %d of %d PEs have not ended:", asked_.timeout_seconds, alive_,
      job_.n_pes());
  for (int pe = 0; pe < job_.n_pes(); ++pe) {
    if (!pes_[static_cast<std::size_t>(pe)].alive) continue;
    const pid_t pid = job_.record(pe).pid.load();
    const current_activity doing = read_activity(job_.record(pe).doing);
    char since[48] = "";
    if (!doing.text.empty()) std::snprintf(since, sizeof since, " (for %.1f s)", doing.seconds);
    say("  PE %d, pid %d, state %c, %s%s%s%s", pe, static_cast<int>(pid), read_process(pid).state,
        name_of(job_.state(pe)), doing.text.empty() ? "" : ": ", doing.text.c_str(), since);
  }
}

// Our reader may be slow (a pager): wait as long as it takes, or until the user gives up.
void keeper::wait_for_output() {
  if (labels_.done_fd() < 0) return;
  for (;;) {
    pollfd ready[] = {{labels_.done_fd(), POLLIN, 0}, {orders_.get(), POLLIN, 0}};
    poll(ready, 2, -1);
    if (ready[0].revents != 0) return;
    char order = 0;
    if (ready[1].revents == 0) continue;
    if (read(orders_.get(), &order, 1) != 1) return;
    if (order == SIGINT || order == SIGTERM || order == SIGHUP) return;
  }
}

}  // namespace oshrun
