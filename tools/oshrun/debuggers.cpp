#include "oshrun/debuggers.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "oshrun/launchers.hpp"
#include "oshrun/panes.hpp"
#include "oshrun/posix.hpp"

// Names and types of the MPIR process acquisition interface, version 1.1. Debuggers read and write them.
extern "C" {
struct MPIR_PROCDESC {
  char* host_name;
  char* executable_name;
  int pid;
};
MPIR_PROCDESC* MPIR_proctable = nullptr;
int MPIR_proctable_size = 0;
volatile int MPIR_being_debugged = 0;
volatile int MPIR_debug_state = 0;
char* MPIR_debug_abort_string = nullptr;
int MPIR_i_am_starter = 1;       // this process is no PE
int MPIR_partial_attach_ok = 1;  // PEs to which no debugger attaches continue by themselves
int MPIR_acquired_pre_main = 1;  // PEs have not reached main

// A debugger has a breakpoint here.
[[gnu::noinline, gnu::used]] void MPIR_Breakpoint() { asm volatile("" ::: "memory"); }
}

namespace oshrun {
namespace {

constexpr int spawned = 1;  // MPIR_debug_state
constexpr int nap_us = 2000;

// It is the only child.
bool supervisor_has_ended() {
  siginfo_t info = {};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

void* share(std::size_t bytes) {
  void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) give_up(1, "cannot allocate shared memory: %s", std::strerror(errno));
  return start;
}

std::vector<std::string> gdb_command(const std::string& gdb) {
  std::vector<std::string> words = {gdb, "-q"};
  const auto add = [&](const std::string& command) { words.insert(words.end(), {"-ex", command}); };
  add("set pagination off");
  add("set schedule-multiple on");
  add("handle SIGSTOP nostop noprint nopass");  // in which the PEs stand
  for (int pe = 0; pe < MPIR_proctable_size; ++pe) {
    if (pe > 0) {
      add("add-inferior");
      add("inferior " + std::to_string(pe + 1));
    }
    add("attach " + std::to_string(MPIR_proctable[pe].pid));
  }
  add("inferior 1");
  return words;
}

// The command of a pane: a gdb on one PE, which goes on when the pane ends, also by the loss of its terminal.
std::string pane_command(const std::string& gdb, int pe) {
  const std::string pid = std::to_string(MPIR_proctable[pe].pid);
  std::string command = "trap 'kill -CONT " + pid + "' HUP EXIT; " + shell_quoted(gdb) + " -q";
  for (const std::string& one : {"set prompt (PE " + std::to_string(pe) + ") ",
                                 std::string("handle SIGSTOP nostop noprint nopass"), "attach " + pid})
    command += " -ex " + shell_quoted(one);
  return command;
}

// gdb is in a process group of its own, so that its Ctrl-C does not end the job.
[[noreturn]] void become_gdb(std::vector<std::string> words, const inherited& original) {
  setpgid(0, 0);
  tcsetpgrp(STDIN_FILENO, getpid());
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  restore_signals(original);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  say("--gdb: cannot execute %s: %s", arguments[0], std::strerror(errno));
  _exit(127);
}

}  // namespace

struct process_table::progress {
  std::atomic<int> n_held;
};

process_table::process_table(const options& asked) : asked_(asked) {
  if (!asked.hosts.empty() || !asked.on_host.empty()) return;
  static char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  const auto n = static_cast<std::size_t>(asked.n_pes);
  progress_ = new (share(sizeof(progress))) progress{};
  MPIR_proctable = static_cast<MPIR_PROCDESC*>(share(n * sizeof(MPIR_PROCDESC)));
  for (int pe = 0; pe < asked.n_pes; ++pe) {
    const program& prog = asked.programs[asked.program_of(pe)];
    MPIR_proctable[pe] = {host, const_cast<char*>(prog.command.front().c_str()), 0};
  }
  MPIR_proctable_size = asked.n_pes;
}

bool process_table::holds_pes() const {
  return progress_ != nullptr && (!asked_.gdb_program.empty() || MPIR_being_debugged != 0);
}

void process_table::note_started(int pe, pid_t pid) {
  if (progress_ != nullptr) MPIR_proctable[pe].pid = pid;
}
void process_table::note_held() { progress_->n_held.fetch_add(1); }

void process_table::debug(const inherited& original) const {
  while (progress_->n_held.load() < asked_.n_pes) {
    if (supervisor_has_ended()) return;
    usleep(nap_us);
  }
  MPIR_debug_state = spawned;
  if (asked_.gdb_panes) return open_gdb_panes();
  if (!asked_.gdb_program.empty())
    run_gdb(original);
  else
    MPIR_Breakpoint();
  for (int pe = 0; pe < asked_.n_pes; ++pe) kill(MPIR_proctable[pe].pid, SIGCONT);
}

void process_table::run_gdb(const inherited& original) const {
  const std::vector<std::string> words = gdb_command(asked_.gdb_program);
  const pid_t gdb = fork();
  if (gdb == 0) become_gdb(words, original);
  if (gdb < 0) return say("--gdb: cannot fork: %s", std::strerror(errno));
  int status = 0;
  uninterrupted([&] { return waitpid(gdb, &status, 0); });
  tcsetpgrp(STDIN_FILENO, getpgrp());
}

// Without its gdb a PE would run past what the user wants to see, so the job ends if there is no room for all panes.
void process_table::open_gdb_panes() const {
  std::vector<std::string> commands;
  for (int pe = 0; pe < asked_.n_pes; ++pe) commands.push_back(pane_command(in_path(asked_.gdb_program), pe));
  if (open_panes(commands)) return;
  say("--gdb=tmux: tmux cannot open a pane for each of %d PEs; enlarge the terminal, or use --gdb", asked_.n_pes);
  _exit(1);  // the supervisor then ends the PEs
}

// Yama lets a process be traced by others than its ancestors only if it says so.
void stop_at_exec() {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
}

bool hold_at_exec(pid_t pid, int wait_status) {
  if (WSTOPSIG(wait_status) != SIGTRAP) {
    ptrace(PTRACE_CONT, pid, nullptr, reinterpret_cast<void*>(static_cast<long>(WSTOPSIG(wait_status))));
    return false;
  }
  ptrace(PTRACE_DETACH, pid, nullptr, reinterpret_cast<void*>(static_cast<long>(SIGSTOP)));
  return true;
}

}  // namespace oshrun
