#include <fcntl.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "oshrun/supervisor.hpp"

namespace oshrun {
namespace {

constexpr int bad_usage = 2;
constexpr int cannot_execute = 126, not_found = 127;

// Whether the user typed "a.out" and meant "./a.out".
bool lies_here(const program& prog) {
  std::error_code ignored;
  const std::string& name = prog.command.front();
  return name.find('/') == name.npos && std::filesystem::exists(std::filesystem::path(prog.directory) / name, ignored);
}

bool is_directory(const program& prog) {
  std::error_code ignored;
  return std::filesystem::is_directory(std::filesystem::path(prog.directory) / prog.command.front(), ignored);
}

bool exists(const program& prog) {
  std::error_code ignored;
  const std::string& name = prog.command.front();
  return name.find('/') != name.npos && std::filesystem::exists(std::filesystem::path(prog.directory) / name, ignored);
}

// The interpreter in the first line of a script; "" if there is none.
std::string interpreter_of(const program& prog) {
  std::ifstream file(std::filesystem::path(prog.directory) / prog.command.front());
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return "";
  const std::size_t start = line.find_first_not_of(" \t", 2);
  return start == line.npos ? "" : line.substr(start, line.find_first_of(" \t\r", start) - start);
}

// Prints why exec failed and returns the exit status. ENOENT may also mean the interpreter or the loader.
int say_not_executed(const program& prog, int error) {
  const char* name = prog.command.front().c_str();
  if (error == ENOENT && lies_here(prog)) {
    say("%s: not found in PATH; did you mean ./%s?", name, name);
    return not_found;
  }
  if (error == ENOENT && !exists(prog)) {
    say("%s: no such program", name);
    return not_found;
  }
  const std::string interpreter = error == ENOENT ? interpreter_of(prog) : "";
  if (!interpreter.empty())
    say("%s: cannot execute: the interpreter %s in its first line does not exist", name, interpreter.c_str());
  else if (error == ENOENT)
    say("%s: cannot execute: its dynamic loader does not exist; was it built for another system?", name);
  else if (error == EACCES && is_directory(prog))
    say("%s: is a directory", name);
  else
    say("%s: %s", name, strerror(error));
  return cannot_execute;
}

std::vector<cpu_mask> shares_of(const options& asked) {
  core_list cores;
  if (asked.bind != binding::none) cores = cores_of(usable_cpus());
  if (asked.map_by == mapping::none) return share_cpus(cores, asked.n_pes, asked.bind);
  const auto domains = domains_of(cores, asked.map_by);
  if (domains.empty())
    give_up(bad_usage, "--map-by: the kernel does not report this topology; remove the option, or use --bind core");
  return map_cpus(domains, asked.n_pes, asked.bind);
}

unique_fd child_events() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return unique_fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

unique_fd open_dev_null() {
  unique_fd out(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!out.open()) give_up(1, "cannot open /dev/null: %s", std::strerror(errno));
  return out;
}

unique_fd create_output(const std::string& path) {
  return unique_fd(uninterrupted([&] { return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); }));
}

}  // namespace

supervisor::supervisor(const options& asked, const inherited& original, process_table& table, unique_fd signal_pipe,
                       unique_fd stdin_of_pe_0)
    : asked_(asked),
      table_(table),
      shares_(shares_of(asked)),
      job_(asked.n_pes),
      spawner_(asked, original, job_.descriptor(), !shares_.empty(), table.holds_pes()),
      signal_pipe_(std::move(signal_pipe)),
      child_ended_(child_events()),  // without it their ends are seen a little later
      stdin_of_pe_0_(std::move(stdin_of_pe_0)),
      dev_null_(open_dev_null()),
      kills_before_(count_memory_kills()),
      pes_(static_cast<std::size_t>(asked.n_pes)) {
  fcntl(signal_pipe_.get(), F_SETFL, O_NONBLOCK);
  if (asked.label) labels_.prepare();
}

void supervisor::start_all() {
  for (std::size_t i = 0; asked_.verbose && asked_.hosts.empty() && i < asked_.programs.size(); ++i)
    for (const std::string& one : spawner_.openmp_of(i))
      say("OpenMP in the PEs of %s: %s", asked_.programs[i].command.front().c_str(), one.c_str());
  for (int pe = 0; pe < asked_.n_pes && spawner_.failure().error.load() == 0; ++pe) {
    const cpu_mask* cpus = shares_.empty() ? nullptr : &shares_[static_cast<std::size_t>(pe)];
    if (start_one(pe, cpus)) continue;
    if (stage_ == stage::running) fork_failed(pe, errno);
    break;
  }
  stdin_of_pe_0_.close();  // else the foreground process does not notice the end of PE 0
  if (!asked_.label || labels_.start()) return;
  say("cannot start a thread for the output of the PEs");
  end_ = {.why = cause::not_started, .exit_status = 1, .reason = {}};
  kill_now();
}

// Sets the output of a PE in `io`. `out` and `err` own descriptors that must stay open until the PE runs.
bool supervisor::direct_output(int pe, streams& io, pipe_ends& out, pipe_ends& err) {
  if (!asked_.output_files.empty()) {
    const std::string name = asked_.output_files + '.' + std::to_string(asked_.first_pe + pe);
    out.write = create_output(name + ".out");
    err.write = create_output(name + ".err");
    if (!out.write.open() || !err.write.open()) {
      say("--output-filename: cannot create %s%s: %s", name.c_str(), out.write.open() ? ".err" : ".out",
          strerror(errno));
      end_ = {.why = cause::not_started, .exit_status = 1, .reason = {}};
      kill_now();
      return false;
    }
  } else if (asked_.label) {
    out = make_pipe();
    err = make_pipe();
  } else {
    return true;
  }
  io.out = out.write.get();
  io.err = err.write.get();
  return true;
}

bool supervisor::start_one(int pe, const cpu_mask* cpus) {
  streams io = {dev_null_.get(), STDOUT_FILENO, STDERR_FILENO};
  const int input = asked_.programs[asked_.program_of(pe)].input;
  if (input >= 0)
    io.in = input;
  else if (pe == 0 && asked_.on_host.empty())
    io.in = !asked_.gdb_program.empty() ? dev_null_.get() : stdin_of_pe_0_.open() ? stdin_of_pe_0_.get() : STDIN_FILENO;
  pipe_ends out, err;
  if (!direct_output(pe, io, out, err)) return false;
  if (out.read.open() && (!labels_.add(asked_.first_pe + pe, std::move(out.read), STDOUT_FILENO) ||
                          !labels_.add(asked_.first_pe + pe, std::move(err.read), STDERR_FILENO)))
    return false;
  const pid_t pid = spawner_.start(pe, io, cpus);
  if (pid < 0) return false;
  pes_[static_cast<std::size_t>(pe)] = {.pid = pid, .alive = true};
  pe_of_[pid] = pe;
  ++alive_;
  job_.note_started(pe, pid);
  table_.note_started(pe, pid);
  if (asked_.verbose && asked_.hosts.empty())
    say("PE %d is process %d on CPUs %s", asked_.first_pe + pe, static_cast<int>(pid),
        (cpus != nullptr ? *cpus : usable_cpus()).text().c_str());
  return true;
}

void supervisor::start_failed() {
  const start_failure& failure = spawner_.failure();
  const int error = failure.error.load(), pe = failure.pe.load();
  const program& prog = asked_.programs[asked_.program_of(pe)];
  int status = 1;
  switch (failure.at.load()) {
    case step::exec: status = say_not_executed(prog, error); break;
    case step::directory: say("--wdir %s: %s", prog.directory.c_str(), strerror(error)); break;
    case step::streams:
      say("cannot start PE %d: cannot redirect its input and output: %s", asked_.first_pe + pe, strerror(error));
      break;
    case step::signals:
      say("cannot start PE %d: cannot restore its signals: %s", asked_.first_pe + pe, strerror(error));
      break;
  }
  end_ = {.why = cause::not_started, .exit_status = status, .reason = {}};
  kill_now();
}

void supervisor::fork_failed(int pe, int error) {
  say("cannot start PE %d of %d: %s; is there a limit on processes?", asked_.first_pe + pe,
      asked_.on_host.empty() ? asked_.n_pes : asked_.n_pes_of_job, strerror(error));
  end_ = {.why = cause::not_started, .exit_status = 1, .reason = {}};
  kill_now();
}

}  // namespace oshrun
