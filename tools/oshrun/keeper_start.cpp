#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "oshrun/keeper.hpp"

namespace oshrun {
namespace {

constexpr int cannot_execute = 126, not_found = 127;

// A file of that name that can only be meant to be run from here: "a.out" for "./a.out".
bool lies_here(const std::string& program) {
  std::error_code ignored;
  return program.find('/') == std::string::npos && std::filesystem::exists(program, ignored);
}

}  // namespace

void keeper::start_all() {
  core_list cores;
  if (asked_.bind != binding::none) cores = cores_of(usable_cpus());
  const std::vector<cpu_mask> shares = share_cpus(cores, asked_.n_pes, asked_.bind);
  for (int pe = 0; pe < asked_.n_pes && spawner_.exec_error() == 0; ++pe) {
    const cpu_mask* cpus = shares.empty() ? nullptr : &shares[static_cast<std::size_t>(pe)];
    if (start_one(pe, cpus)) continue;
    fork_failed(pe, errno);
    break;
  }
  stdin_of_pe_0_.close();  // else it would not notice that PE 0 has gone
  if (asked_.label) labels_.start();
}

bool keeper::start_one(int pe, const cpu_mask* cpus) {
  streams io = {nothing_.get(), STDOUT_FILENO, STDERR_FILENO};
  if (pe == 0) io.in = stdin_of_pe_0_.open() ? stdin_of_pe_0_.get() : STDIN_FILENO;
  pipe_ends out, err;
  if (asked_.label) {
    out = make_pipe();
    err = make_pipe();
    io.out = out.write.get();
    io.err = err.write.get();
  }
  const pid_t pid = spawner_.start(pe, io, cpus);
  if (pid < 0) return false;
  if (asked_.label) {
    labels_.add(pe, std::move(out.read), STDOUT_FILENO);
    labels_.add(pe, std::move(err.read), STDERR_FILENO);
  }
  pes_[static_cast<std::size_t>(pe)] = {.pid = pid, .alive = true};
  pe_of_[pid] = pe;
  ++alive_;
  job_.note_started(pe, pid);
  if (asked_.verbose)
    say("PE %d is process %d on CPUs %s", pe, static_cast<int>(pid),
        (cpus != nullptr ? *cpus : usable_cpus()).text().c_str());
  return true;
}

void keeper::exec_failed() {
  const char* program = asked_.command.front().c_str();
  const int error = spawner_.exec_error();
  if (error == ENOENT && lies_here(program))
    say("%s: not found in PATH; did you mean ./%s?", program, program);
  else
    say("%s: %s", program, error == ENOENT ? "no such program" : strerror(error));
  end_ = {.why = cause::not_started, .exit_status = error == ENOENT ? not_found : cannot_execute};
  kill_now();
}

void keeper::fork_failed(int pe, int error) {
  say("cannot start PE %d of %d: %s (is there a limit on processes?)", pe, asked_.n_pes,
      strerror(error));
  end_ = {.why = cause::not_started, .exit_status = 1};
  kill_now();
}

}  // namespace oshrun
