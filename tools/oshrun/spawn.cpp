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

#include "boot/job_page.hpp"
#include "oshrun/posix.hpp"

extern char** environ;

namespace oshrun {
namespace {

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool sets(const std::vector<std::string>& variables, std::string_view name) {
  return std::ranges::any_of(variables, [&](const auto& one) { return name_of(one) == name; });
}

// Ours (the place of OSHEN_PE first), then the user's -x, then what we inherited; each name once.
std::vector<std::string> build_environment(const options& asked, int job_descriptor) {
  std::vector<std::string> all = {
      std::string(oshen::boot::pe_variable),
      std::string(oshen::boot::job_fd_variable) + '=' + std::to_string(job_descriptor),
      "OSHEN_N_PES=" + std::to_string(asked.n_pes)};
  for (auto one = asked.variables.rbegin(); one != asked.variables.rend(); ++one)  // the last wins
    if (!sets(all, name_of(*one))) all.push_back(*one);
  for (char** one = environ; *one != nullptr; ++one)
    if (!sets(all, name_of(*one))) all.emplace_back(*one);
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

exec_failure* share_failure() {
  void* page = mmap(nullptr, sizeof(exec_failure), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) give_up(1, "cannot share memory: %s", std::strerror(errno));
  return new (page) exec_failure{};
}

void put_in_place(int fd, int place) {
  if (fd != place) dup2(fd, place);  // the copy stays open over exec, the original does not
}

}  // namespace

inherited take_over() {
  inherited original;
  sigprocmask(SIG_SETMASK, nullptr, &original.blocked);
  original.signals = {replace(SIGPIPE, SIG_IGN), replace(SIGTTIN, SIG_IGN),
                      replace(SIGTTOU, SIG_IGN), replace(SIGCHLD, SIG_DFL)};
  getrlimit(RLIMIT_NOFILE, &original.descriptors);
  const rlimit most = {original.descriptors.rlim_max, original.descriptors.rlim_max};
  setrlimit(RLIMIT_NOFILE, &most);
  return original;
}

spawner::spawner(const options& asked, const inherited& original, int job_descriptor)
    : original_(original),
      words_(asked.command),
      variables_(build_environment(asked, job_descriptor)),
      arguments_(pointers(words_)),
      environment_(pointers(variables_)),
      failure_(share_failure()),
      parent_(getpid()) {
  environment_.front() = pe_text_;
}

pid_t spawner::start(int pe, const streams& io, const cpu_mask* cpus) {
  std::snprintf(pe_text_, sizeof pe_text_, "%s=%d", oshen::boot::pe_variable, pe);
  const pid_t pid = fork();
  if (pid == 0) become_pe(io, cpus);
  if (pid < 0) return -1;
  if (group_ == 0) group_ = pid;
  setpgid(pid, group_);  // both sides do it: neither knows who is first
  return pid;
}

void spawner::become_pe(const streams& io, const cpu_mask* cpus) {
  setpgid(0, group_);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent_) _exit(1);  // it died before it could be watched
  if (cpus != nullptr)
    sched_setaffinity(0, cpu_mask::bytes(), reinterpret_cast<const cpu_set_t*>(cpus->data()));
  put_in_place(io.in, STDIN_FILENO);
  put_in_place(io.out, STDOUT_FILENO);
  put_in_place(io.err, STDERR_FILENO);
  setrlimit(RLIMIT_NOFILE, &original_.descriptors);
  for (const auto& one : original_.signals) sigaction(one.signal, &one.action, nullptr);
  sigprocmask(SIG_SETMASK, &original_.blocked, nullptr);
  execvpe(arguments_[0], arguments_.data(), environment_.data());
  failure_->error.store(errno);
  _exit(127);
}

}  // namespace oshrun
