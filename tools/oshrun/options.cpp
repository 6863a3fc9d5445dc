#include "oshrun/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oshrun/foreign_options.hpp"
#include "oshrun/launchers.hpp"
#include "oshrun/posix.hpp"
#include "shared/cpus.hpp"
#include "shared/help_format.hpp"

namespace oshrun {
namespace {

constexpr int bad_usage = 2;

constexpr const char* about =
    "Runs a program as several PEs, on this machine or on several hosts.\n"
    "If one PE fails, ends the whole job and reports which PE failed and how.";

constexpr const char* after_help =
    "exit status: 0 if every PE exited with 0, else the status of the first PE that\n"
    "failed (128 + signal if a signal killed it); 124 time-out, 126 not executable,\n"
    "127 not found, 2 wrong usage.";

struct raw_options {
  std::optional<std::string> n_pes, slots, timeout, bind, nodes, hosts, hostfile, per_host, trace, map_by;
  std::vector<std::string> variables, variables_of_all;
  bool chaos = false;
  std::string gdb;  // "true": one for all PEs
  bool round_hosts = false;
  bool version = false;
};

struct help_format : wrapping_formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "usage: oshrun [-n PES] [options] program [arguments] [: -n PES ...]\n";
  }
};

void declare_exploration(CLI::App& app, explore_options& raw) {
  app.add_flag("--explore", raw.explore, "run a program of oshcc --explore in every order that can make a difference");
  app.add_option("--orders", raw.orders, "with --explore: end the search after N orders; --timeout ends it too")
      ->type_name("N");
  app.add_option("--random", raw.random,
                 "with --explore: choose orders at random, up to --orders or --timeout; with --record: the order")
      ->type_name("SEED");
  app.add_flag("--any-output", raw.any_output, "with --explore: orders may differ in their output; list the outputs");
  app.add_flag("--races", raw.races, "with --explore or --record: a race is a failure too");
  app.add_option("--record", raw.record,
                 "with --explore: write the failing order to a file; without: run a program of oshcc --explore in one "
                 "order, and write it")
      ->type_name("FILE");
  app.add_option("--replay", raw.replay, "run the order of such a file again")->type_name("FILE");
  app.add_option("--pause", raw.pause, "with --replay: this PE waits for a debugger at its start")->type_name("PE");
}

void declare(CLI::App& app, options& out, program& prog, raw_options& raw) {
  app.add_option("-n,--np", raw.n_pes, "number of PEs, also -np; default: the number of usable CPUs")->type_name("PES");
  app.add_flag("-l,--label", out.label, "begin every line of output with its PE: [3] text");
  app.add_option("--output-filename", out.output_files, "write the output of PE 3 to PREFIX.3.out and PREFIX.3.err")
      ->type_name("PREFIX");
  app.add_option("--timeout", raw.timeout, "end the job after this time and print what each PE was doing")
      ->type_name("SECONDS");
  app.add_option("--bind", raw.bind,
                 "auto: an equal share of the CPUs for each PE, if there are enough; "
                 "core: one CPU for each PE; none: no binding. Default: OSHEN_BIND, else auto")
      ->type_name("HOW");
  app.add_option("--map-by", raw.map_by,
                 "distribute PEs round-robin over: socket, numa (NUMA nodes) or l3 (last-level caches). "
                 "core, the default: neighbouring PEs get neighbouring cores")
      ->type_name("WHAT");
  app.add_option("--hosts", raw.hosts, "hosts and the number of PEs on each: h1:4,h2:4")->type_name("HOSTS");
  app.add_option("--hostfile", raw.hostfile, "the same from a file with one host on each line: h1:4 or h1 slots=4")
      ->type_name("FILE");
  app.add_option("--per-host", raw.per_host)->group("");
  app.add_flag("--round-hosts", raw.round_hosts)->group("");
  app.add_option("--launcher", out.launcher,
                 "how to start PEs on other hosts: " + launcher_names() +
                     ". Default: OSHEN_LAUNCHER, else the first that is installed, else ssh")
      ->type_name("NAME");
  app.add_option("--ssh", out.ssh, "command that takes a host and a command to run there. Default: OSHEN_SSH, else ssh")
      ->type_name("COMMAND");
  app.add_option("--nodes", raw.nodes, "virtual nodes: N groups of PEs on this machine that share no memory")
      ->type_name("N");
  app.add_flag("--chaos", raw.chaos, "deliver late and reordered between nodes; OSHEN_CHAOS sets the seed");
  app.add_option("--trace", raw.trace, "write a timeline of all calls for ui.perfetto.dev or chrome://tracing")
      ->type_name("FILE");
  declare_exploration(app, out.explored);
  app.add_flag("--gdb", raw.gdb,
               "start gdb on all PEs, before their first instruction; GDB sets its name. "
               "--gdb=tmux: a gdb for each PE, in panes of the tmux that runs here");
  app.add_option("-x", raw.variables,
                 "set a variable for the PEs; VAR alone passes on its present value. May be repeated")
      ->type_name("VAR=VALUE")
      ->allow_extra_args(false);
  app.add_option("--genv", raw.variables_of_all)->allow_extra_args(false)->group("");
  app.add_option("--slots", raw.slots)->group("");
  app.add_option("--wdir", prog.directory, "working directory of the PEs")->type_name("DIR");
  app.add_flag("-v,--verbose", out.verbose, "print the process and CPUs of each PE, and how the job ended");
  app.add_flag("-V,--version", raw.version, "print the version");
}

int read_count(const std::string& text) {
  int count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count < 1 || count > most_pes)
    give_up(bad_usage, "-n %s: expected a number of PEs from 1 to %d", text.c_str(), most_pes);
  return count;
}

// The variable for --nodes: nodes of equal size; the last may be smaller.
std::string node_pes(const std::string& text, int n_pes) {
  int nodes = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, nodes);
  if (error != std::errc() || stop != end || nodes < 1 || nodes > n_pes)
    give_up(bad_usage, "--nodes %s: expected a number of nodes from 1 to %d, the number of PEs", text.c_str(), n_pes);
  return "OSHEN_NODE_PES=" + std::to_string((n_pes + nodes - 1) / nodes);
}

// Variables for --trace: LD_PRELOAD with the tracing library (tools/oshtrace), and the path of the output file. The
// loader splits LD_PRELOAD at spaces and colons.
void add_trace(const std::string& file, std::vector<std::string>& variables) {
  std::error_code error;
  const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  std::filesystem::path library;
  for (const char* folder : {OSHEN_PLUGINS_FROM_BIN, "../lib"}) {  // of an installation, of the build tree
    library = (bin / folder / "liboshtrace.so").lexically_normal();
    if (std::filesystem::exists(library, error)) break;
  }
  if (!std::filesystem::exists(library, error))
    give_up(bad_usage, "--trace: %s does not exist; install the component runtime", library.c_str());
  if (library.string().find_first_of(" :;") != std::string::npos)
    give_up(bad_usage, "--trace: the loader cannot preload %s: its path contains a space or a colon", library.c_str());
  std::FILE* const probe = std::fopen(file.c_str(), "a");
  if (probe == nullptr) give_up(bad_usage, "--trace %s: cannot write: %s", file.c_str(), std::strerror(errno));
  std::fclose(probe);
  const char* const others = std::getenv("LD_PRELOAD");
  const std::string before = others != nullptr && *others != '\0' ? std::string(":") + others : "";
  variables.push_back("LD_PRELOAD=" + library.string() + before);
  variables.push_back("OSHEN_TRACE=" + std::filesystem::absolute(file).string());
}

double read_timeout(const std::string& text) {
  char* stop = nullptr;
  const double seconds = std::strtod(text.c_str(), &stop);
  if (stop == text.c_str() || *stop != '\0' || !(seconds > 0) || seconds > 1e9)
    give_up(bad_usage, "--timeout %s: expected a number of seconds above 0", text.c_str());
  return seconds;
}

binding read_binding(const std::optional<std::string>& asked) {
  const char* variable = std::getenv("OSHEN_BIND");
  const std::string text = asked.value_or(variable != nullptr ? variable : "auto");
  if (text == "auto") return binding::automatic;
  if (text == "none") return binding::none;
  if (text == "core") return binding::core;
  give_up(bad_usage, "%s %s: expected auto, none or core", asked ? "--bind" : "OSHEN_BIND", text.c_str());
}

mapping read_mapping(const options& out, const std::string& text) {
  if (text == "core") return mapping::none;
  const mapping what = text == "socket" ? mapping::socket
                       : text == "numa" ? mapping::numa
                       : text == "l3"   ? mapping::l3
                                        : mapping::none;
  if (what == mapping::none)
    give_up(bad_usage, "--map-by %s: expected socket, numa, l3 or core; or use --bind auto, core or none",
            text.c_str());
  if (!out.hosts.empty())
    give_up(bad_usage, "--map-by %s: not available with --hosts: there neighbouring PEs get neighbouring cores",
            text.c_str());
  if (out.bind == binding::none)
    give_up(bad_usage, "--map-by %s: PEs are not bound; remove --bind none or OSHEN_BIND=none", text.c_str());
  return what;
}

std::string variable_or(const char* variable, const char* otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? text : otherwise;
}

// Sets the gdb to start. A PE that waits for one at a breakpoint prints no warnings and does not end the job.
void prepare_for_gdb(const std::string& how, options& out, std::vector<std::string>& variables) {
  out.gdb_program = variable_or("GDB", "gdb");
  if (!out.hosts.empty()) give_up(bad_usage, "--gdb: not available with --hosts; start gdb on a host: gdb -p PROCESS");
  if (in_path(out.gdb_program).empty())
    give_up(bad_usage, "--gdb: %s: not found; install gdb, or set GDB to its path", out.gdb_program.c_str());
  if (how != "true" && how != "tmux") give_up(bad_usage, "--gdb=%s: expected --gdb or --gdb=tmux", how.c_str());
  out.gdb_panes = how == "tmux";
  if (out.gdb_panes && in_path("tmux").empty())
    give_up(bad_usage, "--gdb=tmux: tmux: not found in PATH; install it, or use --gdb");
  if (out.gdb_panes && variable_or("TMUX", "").empty())
    give_up(bad_usage, "--gdb=tmux: not inside tmux: start tmux, and this command in it; or use --gdb");
  for (const char* name : {"OSHEN_WAIT_WARN", "OSHEN_DEADLOCK"})
    if (std::getenv(name) == nullptr) variables.push_back(std::string(name) + "=0");
}

// The value of -x. VAR without a value stands for its present value.
std::string read_variable(const std::string& text) {
  if (text.find('=') != text.npos && !text.starts_with('=')) return text;
  const char* here = text.empty() ? nullptr : std::getenv(text.c_str());
  if (here == nullptr)
    give_up(bad_usage, "-x %s: expected VAR=VALUE or the name of a variable that is set", text.c_str());
  return text + '=' + here;
}

void check_command(const std::vector<std::string>& command) {
  if (command.empty()) give_up(bad_usage, "no program given; usage: oshrun [-n PES] [options] program [arguments]");
  const std::string& first = command.front();
  if (first.starts_with('-')) give_up(bad_usage, "%s: unknown option; oshrun --help lists the options", first.c_str());
}

void check_directory(const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  const bool is_one = std::filesystem::is_directory(path, error);
  if (!is_one) give_up(bad_usage, "--wdir %s: %s", path.c_str(), error ? error.message().c_str() : "not a directory");
}

void parse(CLI::App& app, const std::vector<std::string>& given) {
  const auto kind = [&](const std::string& word) {
    const CLI::Option* option = word.empty() ? nullptr : app.get_option_no_throw(word);
    if (option == nullptr) return option_kind::none;
    if (option->get_items_expected_min() > 0) return option_kind::with_value;
    return option->check_lname("gdb") ? option_kind::with_optional_value : option_kind::flag;
  };
  std::vector<std::string> words = translate_options(given, kind);
  std::reverse(words.begin(), words.end());  // the order that CLI11 expects
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp& help) {
    std::exit(app.exit(help));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    give_up(bad_usage, "%s: expected exactly one value", text.substr(0, text.find(':')).c_str());
  } catch (const CLI::ParseError& error) {
    give_up(bad_usage, "%s; oshrun --help shows the usage", error.what());
  }
}

// Parses the words of one program. Options of the whole job go to `out` and `raw`.
void read_program(const std::vector<std::string>& words, options& out, raw_options& raw, bool alone) {
  program prog;
  raw.n_pes.reset();
  raw.slots.reset();
  raw.variables.clear();
  const std::vector<std::string> earlier = std::exchange(raw.variables_of_all, {});
  CLI::App app(about, "oshrun");
  app.formatter(std::make_shared<help_format>());
  app.footer(after_help);
  app.prefix_command();
  declare(app, out, prog, raw);
  parse(app, words);
  if (raw.version) {
    std::puts("oshrun " OSHEN_VERSION);
    std::exit(0);
  }
  raw.variables_of_all.insert(raw.variables_of_all.begin(), earlier.begin(), earlier.end());
  prog.command = app.remaining();
  if (!prog.command.empty() && prog.command.front() == "--") prog.command.erase(prog.command.begin());
  check_command(prog.command);
  check_directory(prog.directory);
  if (!raw.n_pes) raw.n_pes = raw.slots;
  if (!raw.n_pes && !raw.hosts && !raw.hostfile) raw.n_pes = raw.per_host;
  if (!raw.n_pes && !alone)
    give_up(bad_usage, "%s: -n is missing: each of several programs needs one", prog.command.front().c_str());
  const bool elsewhere = raw.hosts || raw.hostfile;
  prog.n_pes = raw.n_pes ? read_count(*raw.n_pes) : elsewhere ? 0 : usable_cpus().count();
  for (const std::string& one : raw.variables) prog.variables.push_back(read_variable(one));
  out.n_pes += prog.n_pes;
  out.programs.push_back(std::move(prog));
}

// Splits the command line at words ":" before "--".
std::vector<std::vector<std::string>> split_at_colons(int argc, char** argv) {
  std::vector<std::vector<std::string>> parts(1);
  bool literal = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    literal = literal || word == "--";
    if (word == ":" && !literal)
      parts.emplace_back();
    else
      parts.back().push_back(word);
  }
  return parts;
}

// Sets the hosts and the PEs on each. No hosts if the only one is this machine.
void assign_hosts(options& out, const raw_options& raw) {
  if (raw.hosts && raw.hostfile) give_up(bad_usage, "--hosts and --hostfile: expected only one of them");
  if (!raw.hosts && !raw.hostfile) {
    if (raw.per_host && out.n_pes > read_count(*raw.per_host))
      give_up(bad_usage, "%d PEs with %s on each host: expected several hosts, as in --hosts h1:4,h2:4", out.n_pes,
              raw.per_host->c_str());
    return;
  }
  if (out.programs.size() > 1)
    give_up(bad_usage, "--hosts: expected one program: \":\" works on one machine only; use srun, mpiexec or mpirun");
  if (raw.nodes) give_up(bad_usage, "--nodes %s: not available with --hosts; set OSHEN_NODE_PES", raw.nodes->c_str());
  if (raw.round_hosts)
    give_up(bad_usage, "PEs cannot be numbered round-robin over hosts; remove the option, or use --hosts h1:1,h2:1");
  out.hosts = raw.hosts ? read_hosts(*raw.hosts, "--hosts") : read_hostfile(*raw.hostfile);
  if (raw.per_host)
    for (host& one : out.hosts)
      if (one.slots == 0) one.slots = read_count(*raw.per_host);
  out.n_pes = out.programs.front().n_pes = assign_pes(out.hosts, out.n_pes);
  if (out.launcher.empty()) out.launcher = variable_or("OSHEN_LAUNCHER", "auto");
  if (out.ssh.empty()) out.ssh = variable_or("OSHEN_SSH", "");
  if (out.hosts.size() == 1 && is_here(out.hosts.front().name)) out.hosts.clear();
}

}  // namespace

std::size_t options::program_of(int pe) const {
  std::size_t which = 0;
  for (; pe >= programs[which].n_pes; ++which) pe -= programs[which].n_pes;
  return which;
}

options read_options(int argc, char** argv) {
  options out;
  raw_options raw;
  const auto programs = split_at_colons(argc, argv);
  for (const auto& words : programs) read_program(words, out, raw, programs.size() == 1);
  assign_hosts(out, raw);
  if (out.n_pes > most_pes) give_up(bad_usage, "-n: %d PEs in total: expected at most %d", out.n_pes, most_pes);
  if (raw.nodes) raw.variables_of_all.push_back(node_pes(*raw.nodes, out.n_pes));
  out.explored.has_n = raw.n_pes.has_value();
  const bool is_replay = out.explored.replay.has_value();
  if (is_replay) out.explored.trace = raw.trace;
  for (const auto& [given, option] : {std::pair(raw.trace.has_value() && !is_replay, "--trace"),
                                      {raw.nodes.has_value(), "--nodes"},
                                      {raw.chaos, "--chaos"},
                                      {!raw.gdb.empty(), "--gdb"}})
    if (given) out.explored.others = option;
  if (raw.timeout) out.timeout_seconds = read_timeout(*raw.timeout);
  check_explore_options(out);
  if (raw.trace && !is_replay) add_trace(*raw.trace, raw.variables_of_all);
  if (!raw.gdb.empty()) prepare_for_gdb(raw.gdb, out, raw.variables_of_all);
  if (raw.chaos && std::getenv("OSHEN_CHAOS") == nullptr) raw.variables_of_all.push_back("OSHEN_CHAOS=1");
  for (const std::string& one : raw.variables_of_all)
    for (program& prog : out.programs) prog.variables.insert(prog.variables.begin(), read_variable(one));
  out.bind = read_binding(raw.bind);
  if (raw.map_by) out.map_by = read_mapping(out, *raw.map_by);
  return out;
}

}  // namespace oshrun
