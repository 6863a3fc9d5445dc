#include "oshrun/launchers.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "oshrun/hydra_ssh.hpp"
#include "oshrun/posix.hpp"
#include "oshrun/secret.hpp"

extern char** environ;

namespace oshrun {
namespace {

constexpr int bad_usage = 2;

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), pclose);
  std::string text;
  std::array<char, 512> buffer;
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) text += buffer.data();
  return text;
}

std::string host_list(const std::vector<host>& hosts, bool counts) {
  std::string text;
  for (const host& one : hosts)
    text += (text.empty() ? "" : ",") + one.name + (counts ? ':' + std::to_string(one.n_pes) : "");
  return text;
}

void append(words_t& to, const words_t& more) { to.insert(to.end(), more.begin(), more.end()); }

bool version_contains(const std::string& program, const char* what) {
  return output_of(program + " --version").find(what) != std::string::npos;
}
bool is_hydra_of_mpich(const std::string& program) { return version_contains(program, "HYDRA"); }

words_t use_plain_ssh(const std::string& ssh) {
  if (ssh.empty()) return {};
  const std::size_t end = std::min(ssh.find(' '), ssh.size());
  if (end < ssh.size()) setenv("HYDRA_LAUNCHER_EXTRA_ARGS", ssh.c_str() + end + 1, 1);
  return {"-launcher", "ssh", "-launcher-exec", ssh.substr(0, end)};
}

words_t of_hydra(const std::string& program, const options& asked) {
  words_t line = {program, "-hosts", host_list(asked.hosts, true), "-n", std::to_string(asked.n_pes)};
  const bool replaces = may_replace_hydra_ssh(asked.ssh) && is_hydra_of_mpich(program);  // Intel's ends if ssh fails
  append(line, replaces ? use_hydra_ssh(asked.ssh) : use_plain_ssh(asked.ssh));
  if (asked.label) line.push_back("-prepend-rank");
  if (asked.bind == binding::core) append(line, {"-bind-to", "core"});
  if (asked.bind == binding::none) append(line, {"-bind-to", "none"});
  if (const std::string& where = asked.programs.front().directory; !where.empty()) append(line, {"-wdir", where});
  return line;
}

void add_open_mpi(words_t& line, const options& asked, const char* place) {
  append(line, {"--host", host_list(asked.hosts, true), "--map-by", place, "-n", std::to_string(asked.n_pes)});
  if (geteuid() == 0) line.push_back("--allow-run-as-root");
  if (asked.bind != binding::automatic) append(line, {"--bind-to", asked.bind == binding::core ? "core" : "none"});
  if (asked.timeout_seconds > 0)
    append(line, {"--timeout", std::to_string(std::max(1, static_cast<int>(asked.timeout_seconds)))});
  if (const std::string& where = asked.programs.front().directory; !where.empty()) append(line, {"--wdir", where});
  for (const std::string& one : variables_of_job()) append(line, {"-x", one.substr(0, one.find('='))});
}

words_t of_open_mpi_4(const std::string& program, const options& asked) {
  words_t line = {program};
  if (!asked.ssh.empty()) append(line, {"--mca", "plm_rsh_agent", asked.ssh});
  if (asked.label) line.push_back("--tag-output");
  line.push_back("--oversubscribe");
  add_open_mpi(line, asked, "slot");
  return line;
}

words_t of_prrte(const std::string& program, const options& asked) {
  words_t line = {program};
  // its present location, which may differ from the one that it was built for
  append(line, {"--prefix", std::filesystem::path(program).parent_path().parent_path().string()});
  if (!asked.ssh.empty()) append(line, {"--prtemca", "plm_ssh_agent", asked.ssh});
  if (asked.label) append(line, {"--output", "tag"});
  add_open_mpi(line, asked, "slot:OVERSUBSCRIBE");
  return line;
}

// --mpi: pmi2 or pmix if srun has it. Without them PEs find each other by OSHEN_JOB_SECRET.
words_t of_slurm(const std::string& program, const options& asked) {
  const std::string plugins = output_of(program + " --mpi=list");
  const char* plugin = plugins.find("pmi2") != plugins.npos   ? "pmi2"
                       : plugins.find("pmix") != plugins.npos ? "pmix"
                                                              : "none";
  if (std::strcmp(plugin, "none") == 0) setenv("OSHEN_JOB_SECRET", make_secret().c_str(), 1);
  std::string every;
  for (const host& one : asked.hosts)
    for (int i = 0; i < one.n_pes; ++i) every += (every.empty() ? "" : ",") + one.name;
  words_t line = {program,
                  "--nodes=" + std::to_string(asked.hosts.size()),
                  "--ntasks=" + std::to_string(asked.n_pes),
                  "--distribution=arbitrary",
                  "--nodelist=" + every,
                  std::string("--mpi=") + plugin};
  if (asked.label) line.push_back("--label");
  if (asked.bind == binding::core) line.push_back("--cpu-bind=cores");
  if (asked.bind == binding::none) line.push_back("--cpu-bind=none");
  if (const std::string& where = asked.programs.front().directory; !where.empty()) line.push_back("--chdir=" + where);
  return line;
}

bool any(const std::string&) { return true; }
bool is_open_mpi_4(const std::string& program) {
  return version_contains(program, "(Open MPI) 4.") ||
         version_contains(program, "(OpenRTE) 4.");  // the second if its name is not mpirun
}
bool is_prrte(const std::string& program) {
  return version_contains(program, "(Open MPI) 5.") || version_contains(program, "PRRTE") ||
         version_contains(program, "prterun");
}
bool is_hydra(const std::string& program) {
  return is_hydra_of_mpich(program) || version_contains(program, "Intel(R) MPI");
}
bool in_allocation(const std::string&) { return std::getenv("SLURM_JOB_ID") != nullptr; }

// Several launchers have a program mpirun; is_it runs it to find out which one it is.
struct launcher_entry {
  const char* name;
  const char* program;
  bool (*is_it)(const std::string& program);
  words_t (*line)(const std::string& program, const options& asked);
};
constexpr launcher_entry table[] = {
    {"srun", "srun", in_allocation, of_slurm},
    {"hydra", "mpiexec.hydra", any, of_hydra},
    {"hydra", "mpirun", is_hydra, of_hydra},
    {"mpirun", "mpirun", is_open_mpi_4, of_open_mpi_4},
    {"mpirun", "mpirun.openmpi", is_open_mpi_4, of_open_mpi_4},
    {"mpirun", "mpirun", is_prrte, of_prrte},
    {"prterun", "prterun", any, of_prrte},
};

const launcher_entry* find(const chosen_launcher& one) {
  const std::string file = std::filesystem::path(one.program).filename();
  for (const launcher_entry& r : table)
    if (one.name == r.name && file == r.program && r.is_it(one.program)) return &r;
  return nullptr;
}

bool belongs_to_job(std::string_view variable) {
  constexpr std::string_view starts[] = {"OSHEN_", "SHMEM_", "SMA_", "OMP_", "FI_", "UCX_"};
  constexpr std::string_view whole[] = {"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD"};
  constexpr std::string_view of_a_pe[] = {"OSHEN_PE", "OSHEN_NODE", "OSHEN_JOB_FD"};  // of a surrounding job
  const std::string_view name = variable.substr(0, variable.find('='));
  if (std::ranges::find(of_a_pe, name) != std::end(of_a_pe)) return false;
  return std::ranges::any_of(starts, [&](std::string_view start) { return name.starts_with(start); }) ||
         std::ranges::find(whole, name) != std::end(whole);
}

// Refuses options that the launcher would silently ignore.
void refuse_what_it_cannot(const std::string& name, const options& asked) {
  if (!asked.output_files.empty())
    give_up(bad_usage, "--output-filename: not available with launcher %s; use --launcher ssh", name.c_str());
  if (asked.timeout_seconds > 0 && name == "srun")
    give_up(bad_usage, "--timeout: not available with launcher srun; use --launcher ssh, or timeout %g oshrun ...",
            asked.timeout_seconds);
}

}  // namespace

std::string in_path(const std::string& program) {
  if (program.find('/') != program.npos) return access(program.c_str(), X_OK) == 0 ? program : "";
  const char* path = std::getenv("PATH");
  for (std::string_view left = path != nullptr ? path : ""; !left.empty();) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string candidate = std::string(left.substr(0, end)) + '/' + program;
    struct stat what;
    if (access(candidate.c_str(), X_OK) == 0 && stat(candidate.c_str(), &what) == 0 && S_ISREG(what.st_mode))
      return candidate;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return "";
}

std::string launcher_names() {
  std::string names = "auto, ssh";
  const char* last = "";
  for (const launcher_entry& r : table)
    if (std::strcmp(std::exchange(last, r.name), r.name) != 0) names += std::string(", ") + r.name;
  return names;
}

chosen_launcher choose_launcher(const std::string& requested) {
  if (requested == "ssh") return {requested, ""};
  bool known = requested == "auto";
  for (const launcher_entry& r : table) {
    known = known || requested == r.name;
    if (requested != "auto" && requested != r.name) continue;
    const std::string program = in_path(r.program);
    if (!program.empty() && r.is_it(program)) return {r.name, program};
  }
  if (!known) give_up(bad_usage, "--launcher %s: expected one of %s", requested.c_str(), launcher_names().c_str());
  if (requested == "auto") return {"ssh", ""};
  give_up(bad_usage, "--launcher %s: not found in PATH%s; use --launcher ssh", requested.c_str(),
          requested == "srun" ? ", or there is no Slurm allocation" : "");
}

std::vector<std::string> variables_of_job() {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one)
    if (belongs_to_job(*one)) all.emplace_back(*one);
  return all;
}

std::string shell_quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n'\"\\$`&|;<>()*?[]{}~#!") == word.npos) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

std::string shell_line(const words_t& command) {
  std::string line;
  for (const std::string& word : command) {
    if (!line.empty()) line += ' ';
    line += shell_quoted(word);
  }
  return line;
}

void exec_launcher(const chosen_launcher& launcher, const options& asked) {
  refuse_what_it_cannot(launcher.name, asked);
  const program& prog = asked.programs.front();
  for (const char* name : {"OSHEN_PE", "OSHEN_JOB_FD"}) unsetenv(name);  // of a surrounding job
  for (const std::string& one : prog.variables)
    setenv(one.substr(0, one.find('=')).c_str(), one.c_str() + one.find('=') + 1, 1);
  // With this variable a PE that cannot join its job reports that, instead of running as a single-PE job.
  setenv("OSHEN_N_PES", std::to_string(asked.n_pes).c_str(), 1);
  if (asked.timeout_seconds > 0 && launcher.name == "hydra")
    setenv("MPIEXEC_TIMEOUT", std::to_string(std::max(1, static_cast<int>(asked.timeout_seconds))).c_str(), 1);
  words_t line = find(launcher)->line(launcher.program, asked);
  append(line, prog.command);
  if (asked.verbose) say("%s", shell_line(line).c_str());
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(launcher.program.c_str(), arguments.data());
  give_up(126, "%s: cannot execute: %s", launcher.program.c_str(), std::strerror(errno));
}

}  // namespace oshrun
