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

// A file of that name that can only be meant to be run from here: "a.out" for "./a.out".
bool lies_here(const program& part) {
  std::error_code ignored;
  const std::string& name = part.command.front();
  return name.find('/') == name.npos &&
         std::filesystem::exists(std::filesystem::path(part.directory) / name, ignored);
}

bool is_directory(const program& part) {
  std::error_code ignored;
  return std::filesystem::is_directory(
      std::filesystem::path(part.directory) / part.command.front(), ignored);
}

bool exists(const program& part) {
  std::error_code ignored;
  const std::string& name = part.command.front();
  return name.find('/') != name.npos &&
         std::filesystem::exists(std::filesystem::path(part.directory) / name, ignored);
}

// What the first line of a script names; "" when it is none.
std::string interpreter_of(const program& part) {
  std::ifstream file(std::filesystem::path(part.directory) / part.command.front());
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return "";
  const std::size_t start = line.find_first_not_of(" \t", 2);
  return start == line.npos ? "" : line.substr(start, line.find_first_of(" \t\r", start) - start);
}

// ENOENT has several causes, of which the program is only one. The exit status.
int say_not_executed(const program& part, int error) {
  const char* name = part.command.front().c_str();
  if (error == ENOENT && lies_here(part)) {
    say("%s: not found in PATH; did you mean ./%s?", name, name);
    return not_found;
  }
  if (error == ENOENT && !exists(part)) {
    say("%s: no such program", name);
    return not_found;
  }
  const std::string interpreter = error == ENOENT ? interpreter_of(part) : "";
  if (!interpreter.empty())
    say("%s: its first line names %s, which is not on this machine", name, interpreter.c_str());
  else if (error == ENOENT)
    say("%s: its dynamic loader is not on this machine; was it built for another system?", name);
  else if (error == EACCES && is_directory(part))
    say("%s: is a directory", name);
  else
    say("%s: %s", name, strerror(error));
  return cannot_execute;
}

std::vector<cpu_mask> shares_of(const options& asked) {
  core_list cores;
  if (asked.bind != binding::none) cores = cores_of(usable_cpus());
  if (asked.deal == dealing::none) return share_cpus(cores, asked.n_pes, asked.bind);
  const auto domains = domains_of(cores, asked.deal);
  if (domains.empty())
    give_up(bad_usage, "--map-by: this machine does not say which CPUs share that; leave it out, or --bind core");
  return deal_cpus(domains, asked.n_pes, asked.bind);
}

unique_fd child_events() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return unique_fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

unique_fd open_nothing() {
  unique_fd out(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!out.open()) give_up(1, "cannot open /dev/null: %s", std::strerror(errno));
  return out;
}

unique_fd create_output(const std::string& path) {
  return unique_fd(uninterrupted(
      [&] { return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); }));
}

}  // namespace

supervisor::supervisor(const options& asked, const inherited& original, unique_fd orders,
               unique_fd stdin_of_pe_0)
    : asked_(asked),
      shares_(shares_of(asked)),
      job_(asked.n_pes),
      spawner_(asked, original, job_.descriptor(), !shares_.empty()),
      orders_(std::move(orders)),
      child_ended_(child_events()),  // without it their ends are seen a little later
      stdin_of_pe_0_(std::move(stdin_of_pe_0)),
      nothing_(open_nothing()),
      kills_before_(count_memory_kills()),
      pes_(static_cast<std::size_t>(asked.n_pes)) {
  fcntl(orders_.get(), F_SETFL, O_NONBLOCK);
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
  stdin_of_pe_0_.close();  // else it would not notice that PE 0 has gone
  if (!asked_.label || labels_.start()) return;
  say("cannot start a thread for the output of the PEs");
  end_ = {.why = cause::not_started, .exit_status = 1, .reason = {}};
  kill_now();
}

// Where the PE's output goes; what must stay open until it runs is kept in `out` and `err`.
bool supervisor::direct_output(int pe, streams& io, pipe_ends& out, pipe_ends& err) {
  if (!asked_.output_files.empty()) {
    const std::string name = asked_.output_files + '.' + std::to_string(asked_.first_pe + pe);
    out.write = create_output(name + ".out");
    err.write = create_output(name + ".err");
    if (!out.write.open() || !err.write.open()) {
      say("--output-filename: cannot create %s%s: %s", name.c_str(),
          out.write.open() ? ".err" : ".out", strerror(errno));
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
  streams io = {nothing_.get(), STDOUT_FILENO, STDERR_FILENO};
  const int input = asked_.programs[asked_.program_of(pe)].input;
  if (input >= 0) io.in = input;
  else if (pe == 0 && asked_.on_host.empty()) io.in = stdin_of_pe_0_.open() ? stdin_of_pe_0_.get() : STDIN_FILENO;
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
  if (asked_.verbose && asked_.hosts.empty())
    say("PE %d is process %d on CPUs %s", asked_.first_pe + pe, static_cast<int>(pid),
        (cpus != nullptr ? *cpus : usable_cpus()).text().c_str());
  return true;
}

void supervisor::start_failed() {
  const start_failure& failure = spawner_.failure();
  const int error = failure.error.load(), pe = failure.pe.load();
  const program& part = asked_.programs[asked_.program_of(pe)];
  int status = 1;
  switch (failure.at.load()) {
    case step::exec:
      status = say_not_executed(part, error);
      break;
    case step::directory:
      say("--wdir %s: %s", part.directory.c_str(), strerror(error));
      break;
    case step::streams:
      say("cannot start PE %d: its input and output: %s", asked_.first_pe + pe, strerror(error));
      break;
    case step::signals:
      say("cannot start PE %d: its signals: %s", asked_.first_pe + pe, strerror(error));
      break;
  }
  end_ = {.why = cause::not_started, .exit_status = status, .reason = {}};
  kill_now();
}

void supervisor::fork_failed(int pe, int error) {
  say("cannot start PE %d of %d: %s (is there a limit on processes?)", asked_.first_pe + pe,
      asked_.on_host.empty() ? asked_.n_pes : asked_.n_pes_of_job, strerror(error));
  end_ = {.why = cause::not_started, .exit_status = 1, .reason = {}};
  kill_now();
}

}  // namespace oshrun
