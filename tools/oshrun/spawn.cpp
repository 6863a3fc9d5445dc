#include "oshrun/spawn.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "bootstrap/job_page.hpp"
#include "oshrun/debuggers.hpp"
#include "oshrun/openmp.hpp"
#include "oshrun/posix.hpp"

extern char** environ;

namespace oshrun {
namespace {

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

bool sets(const std::vector<std::string>& variables, std::string_view name) {
  return std::ranges::any_of(variables, [&](const auto& one) { return name_of(one) == name; });
}

// Variables of oshrun (OSHEN_PE first), then those of -x, then the inherited ones; each name once.
std::vector<std::string> build_environment(const program& prog, const options& asked, int job_descriptor) {
  std::vector<std::string> all = {std::string(oshen::bootstrap::pe_variable)};
  if (asked.on_host.empty()) {  // a proxy omits these: PEs of other hosts cannot use its job page
    all.push_back(std::string(oshen::bootstrap::job_fd_variable) + '=' + std::to_string(job_descriptor));
    all.push_back("OSHEN_N_PES=" + std::to_string(asked.n_pes));
  }
  const auto add = [&](const std::string& one) {
    if (!sets(all, name_of(one))) all.push_back(one);
  };
  for (auto one = prog.variables.rbegin(); one != prog.variables.rend(); ++one) add(*one);
  for (char** one = environ; *one != nullptr; ++one)
    if (name_of(*one) != oshen::bootstrap::job_fd_variable) add(*one);  // of a surrounding job
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

inherited::disposition replace(int signal, sighandler_t handler) {
  inherited::disposition before = {signal, {}};
  struct sigaction now = {};
  now.sa_handler = handler;
  sigaction(signal, &now, &before.action);
  return before;
}

start_failure* share_failure() {
  void* page = mmap(nullptr, sizeof(start_failure), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) give_up(1, "cannot allocate shared memory: %s", std::strerror(errno));
  return new (page) start_failure{.error = 0, .at = step::exec, .pe = -1};
}

bool move_descriptor(int fd, int target) {
  // The duplicate stays open across exec, the original does not.
  return fd == target || uninterrupted([&] { return dup2(fd, target); }) == target;
}

}  // namespace

inherited adjust_process() {
  inherited original;
  sigprocmask(SIG_SETMASK, nullptr, &original.blocked);
  original.signals = {replace(SIGPIPE, SIG_IGN), replace(SIGTTIN, SIG_IGN), replace(SIGTTOU, SIG_IGN),
                      replace(SIGCHLD, SIG_DFL)};
  getrlimit(RLIMIT_NOFILE, &original.descriptors);
  const rlimit most = {original.descriptors.rlim_max, original.descriptors.rlim_max};
  setrlimit(RLIMIT_NOFILE, &most);
  return original;
}

bool restore_signals(const inherited& original) {
  for (const auto& one : original.signals)
    if (sigaction(one.signal, &one.action, nullptr) != 0) return false;
  return sigprocmask(SIG_SETMASK, &original.blocked, nullptr) == 0;
}

spawner::spawner(const options& asked, const inherited& original, int job_descriptor, bool bound, bool held)
    : asked_(asked), original_(original), failure_(share_failure()), held_(held), parent_(getpid()) {
  for (const program& prog : asked.programs) images_.push_back(prepare(prog, job_descriptor, bound));
  for (image& one : images_) {  // after the last push_back, because it moves the texts
    one.arguments = pointers(one.words);
    one.environment = pointers(one.variables);
    one.environment.front() = pe_text_;
  }
}

spawner::image spawner::prepare(const program& prog, int job_descriptor, bool bound) const {
  image out;
  out.words = prog.command;
  out.openmp = openmp_variables(prog, asked_.n_pes, usable_cpus().count(), bound);
  out.variables = build_environment(prog, asked_, job_descriptor);
  out.variables.insert(out.variables.end(), out.openmp.begin(), out.openmp.end());
  return out;
}

pid_t spawner::start(int pe, const streams& io, const cpu_mask* cpus) {
  std::snprintf(pe_text_, sizeof pe_text_, "%s=%d", oshen::bootstrap::pe_variable, asked_.first_pe + pe);
  const pid_t pid = fork();
  if (pid == 0) exec_pe(pe, io, cpus);
  if (pid < 0) return -1;
  if (group_ == 0) group_ = pid;
  setpgid(pid, group_);  // parent and child both call it, because either may be first
  return pid;
}

void spawner::exec_pe(int pe, const streams& io, const cpu_mask* cpus) {
  setpgid(0, group_);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent_) _exit(1);  // the parent died before PR_SET_PDEATHSIG
  if (cpus != nullptr) sched_setaffinity(0, cpu_mask::bytes(), reinterpret_cast<const cpu_set_t*>(cpus->data()));
  if (!move_descriptor(io.in, STDIN_FILENO) || !move_descriptor(io.out, STDOUT_FILENO) ||
      !move_descriptor(io.err, STDERR_FILENO))
    fail(pe, step::streams);
  setrlimit(RLIMIT_NOFILE, &original_.descriptors);
  if (!restore_signals(original_)) fail(pe, step::signals);
  const std::size_t which = asked_.program_of(pe);
  const std::string& directory = asked_.programs[which].directory;
  if (!directory.empty() && chdir(directory.c_str()) != 0) fail(pe, step::directory);
  image& own = images_[which];
  if (held_) stop_at_exec();
  execvpe(own.arguments[0], own.arguments.data(), own.environment.data());
  fail(pe, step::exec);
}

void spawner::fail(int pe, step at) {
  const int why = errno;
  int none = -1;
  if (failure_->pe.compare_exchange_strong(none, pe)) {  // only the first failure is reported
    failure_->at.store(at);
    failure_->error.store(why);
  }
  _exit(127);
}

}  // namespace oshrun
