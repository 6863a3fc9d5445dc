#include "oshrun/foreign_option_table.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "oshrun/hosts.hpp"
#include "oshrun/options.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {
namespace {

using words_t = foreign_option::words_t;
using name_t = std::string_view;

constexpr int bad_usage = 2;

[[noreturn]] void refuse(name_t name, const std::string& value, const std::string& advice) {
  give_up(bad_usage, "%s%.*s %s: %s", name.size() > 1 ? "--" : "-", static_cast<int>(name.size()), name.data(),
          value.c_str(), advice.c_str());
}

bool is_any(const std::string& value, std::initializer_list<name_t> of) {
  return std::ranges::find(of, value) != of.end();
}

words_t nothing(name_t, const words_t&) { return {}; }
words_t label(name_t, const words_t&) { return {"--label"}; }
words_t verbose(name_t, const words_t&) { return {"--verbose"}; }
words_t directory(name_t, const words_t& v) { return {"--wdir", v[0]}; }
words_t output_files(name_t, const words_t& v) { return {"--output-filename", v[0]}; }
words_t hostfile(name_t, const words_t& v) { return {"--hostfile", v[0]}; }
words_t per_host(name_t, const words_t& v) { return {"--per-host", v[0]}; }
words_t one_per_host(name_t, const words_t&) { return {"--per-host", "1"}; }
words_t round_hosts(name_t, const words_t&) { return {"--round-hosts"}; }
words_t bound_to_core(name_t, const words_t&) { return {"--bind", "core"}; }
words_t unbound(name_t, const words_t&) { return {"--bind", "none"}; }

words_t number(name_t name, const words_t& v) {
  if (v[0].empty() || !std::ranges::all_of(v[0], [](unsigned char c) { return std::isdigit(c) != 0; }))
    refuse(name, v[0], "expected a number of PEs from 1 to " + std::to_string(most_pes));
  return {"--np", v[0]};
}

// A variable of Hydra: two words, or A=1.
words_t with_variable(const char* option, const words_t& v) {
  return {option, v.size() == 1 ? v[0] : v[0] + '=' + v[1]};
}
words_t variable(name_t, const words_t& v) { return with_variable("-x", v); }
words_t variable_of_all(name_t, const words_t& v) { return with_variable("--genv", v); }

// Open MPI adds qualifiers after a colon, such as core:overload-allowed, which are the default here.
words_t bind_to(name_t name, const words_t& v) {
  std::string what = v[0].substr(0, v[0].find(':'));
  if (what == "none") return {"--bind", what};
  if (is_any(what, {"core", "cores", "hwthread", "hwthreads", "thread", "threads", "cpu", "pu"}))
    return {"--bind", "core"};
  refuse(name, v[0], "expected none, core or hwthread; or use --bind auto");
}

// The order core or slot of Open MPI: neighbouring PEs on neighbouring cores, host by host.
words_t order_by(name_t name, const words_t& v) {
  std::string what = v[0], more;
  if (const std::size_t colon = what.find(':'); colon != what.npos) {
    more = what.substr(colon + 1);
    what.resize(colon);
  }
  std::ranges::transform(more, more.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (what == "ppr") {
    const std::size_t colon = more.find(':');
    if (colon != more.npos && is_any(more.substr(colon + 1), {"node", "host"}))
      return {"--per-host", more.substr(0, colon)};
  } else if (more.empty() || is_any(more, {"oversubscribe", "nooversubscribe", "fill", "hwtcpus"})) {
    if (is_any(what, {"core", "slot", "hwthread", "fill"})) return {};
    if (is_any(what, {"node", "host"})) return {"--round-hosts"};
  }
  if (name == "map-by") return {"--map-by", v[0]};  // which says what it expects
  refuse(name, v[0], "expected core or slot: PEs are numbered in the order of cores");
}

// Round-robin over sockets, NUMA nodes or last-level caches, or neighbouring cores.
words_t map_by(name_t name, const words_t& v) {
  if (is_any(v[0], {"socket", "package"})) return {"--map-by", "socket"};
  if (is_any(v[0], {"l3", "l3cache"})) return {"--map-by", "l3"};
  if (v[0] == "numa") return {"--map-by", v[0]};
  return order_by(name, v);
}

// "localhost:2,localhost" requests three PEs, unless -n gives another number.
words_t hosts(name_t, const words_t& v) {
  int slots = 0;
  bool counted = false;
  for (std::size_t start = 0; start <= v[0].size();) {
    const std::size_t end = std::min(v[0].find(',', start), v[0].size());
    const std::string one = v[0].substr(start, end - start);
    const std::string host = one.substr(0, one.find(':'));
    if (!is_here(host)) return {"--hosts", v[0]};
    counted = counted || one != host;
    slots += one == host ? 1 : std::atoi(one.c_str() + host.size() + 1);
    start = end + 1;
  }
  if (!counted) return {};
  return {"--slots", std::to_string(slots)};
}

words_t standard_input(name_t name, const words_t& v) {
  if (v[0] == "0") return {};
  refuse(name, v[0], "PE 0 has standard input, all other PEs have /dev/null");
}

// --output: keywords of prterun; for srun a file.
words_t output(name_t name, const words_t& v) {
  if (is_any(v[0], {"tag", "tag-detailed", "tag-fullname", "rank", "label"})) return {"--label"};
  for (const name_t start : {"filename=", "file="})
    if (v[0].starts_with(start)) return {"--output-filename", v[0].substr(start.size())};
  refuse(name, v[0], "use --label or --output-filename PREFIX");
}

words_t distribution(name_t name, const words_t& v) {
  if (is_any(v[0], {"block", "block:block"})) return {};
  refuse(name, v[0], "expected block: PEs are numbered host by host; use --hosts h1:4,h2:4");
}

// --mpi: PEs of oshrun find each other without it.
words_t bootstrap_of_srun(name_t name, const words_t& v) {
  if (v[0] == "none" || v[0].starts_with("pmi")) return {};
  refuse(name, v[0], "not needed; remove it");
}

words_t kill_on_bad_exit(name_t name, const words_t& v) {
  if (v.empty() || v[0] != "0") return {};
  refuse(name, v[0], "the job ends when a PE fails; start a PE that may fail from a script");
}

// Maps Hydra's names of launchers. Unknown names are reported by --launcher.
words_t launcher(name_t, const words_t& v) {
  if (v[0] == "fork") return {};
  return {"--launcher", v[0] == "slurm" ? "srun" : v[0]};
}

words_t exported(name_t name, const words_t& v) {
  if (v[0] == "ALL") return {};
  refuse(name, v[0], "PEs have the environment of oshrun; use -x VAR=VALUE for additional variables");
}

constexpr const char* settings = "use environment variables (oshinfo --settings lists them): -x VAR=VALUE";
constexpr const char* own_environment = "PEs have the environment of oshrun; use env -i oshrun ...";
constexpr const char* all_variables = "PEs have the whole environment of oshrun; remove it";
constexpr const char* one_prefix = "use --output-filename PREFIX";
constexpr const char* several = "use several programs on the command line: oshrun -n 1 a : -n 2 b";
constexpr const char* threads =
    "each PE gets an equal share of the CPUs (--bind auto); use OMP_NUM_THREADS for threads";
constexpr const char* cpus = "PEs use the CPUs of oshrun; use taskset -c 0-3 oshrun ...";
constexpr const char* of_the_batch = "oshrun uses the present allocation; use this option with salloc or sbatch";
constexpr const char* debugging = "use the debugger as the program: oshrun -n 2 xterm -e gdb ./a.out";
constexpr const char* may_fail = "the job ends when a PE fails; start a PE that may fail from a script";
constexpr const char* placed = "PEs are numbered host by host; use --hosts h1:4,h2:4";
constexpr const char* verbosely = "use --verbose, which prints every process";
constexpr const char* same_path = "the program must have the same path on all hosts; copy it there";
constexpr const char* search = "set PATH: PATH=... oshrun ..., or -x PATH=...";

constexpr foreign_option table[] = {
    // several launchers
    {"n", 1, number, ""},
    {"np", 1, number, ""},
    {"c", 1, number, ""},
    {"ntasks", 1, number, ""},
    {"gnp", 1, number, ""},
    {"wd", 1, directory, ""},
    {"wdir", 1, directory, ""},
    {"dir", 1, directory, ""},
    {"chdir", 1, directory, ""},
    {"D", 1, directory, ""},
    {"q", 0, nothing, ""},
    {"quiet", 0, nothing, ""},
    {"Q", 0, nothing, ""},
    {"host", 1, hosts, ""},
    {"hosts", 1, hosts, ""},
    {"H", 1, hosts, ""},
    {"w", 1, hosts, ""},
    {"nodelist", 1, hosts, ""},
    {"ghost", 1, hosts, ""},
    {"hostfile", 1, hostfile, ""},
    {"machinefile", 1, hostfile, ""},
    {"f", 1, hostfile, ""},
    {"bind-to", 1, bind_to, ""},
    {"cpu-bind", 1, bind_to, ""},
    {"cpu_bind", 1, bind_to, ""},
    {"map-by", 1, map_by, ""},
    {"rank-by", 1, order_by, ""},
    {"output", 1, output, ""},
    {"s", 1, standard_input, ""},
    {"stdin", 1, standard_input, ""},
    {"path", 1, nullptr, search},
    {"i", 0, nullptr, "PE 0 has standard input, all other PEs have /dev/null"},

    // Open MPI and prterun
    {"npernode", 1, per_host, ""},
    {"N", 1, per_host, ""},
    {"pernode", 0, one_per_host, ""},
    {"tag-output", 0, label, ""},
    {"output-filename", 1, output_files, ""},
    {"report-bindings", 0, verbose, ""},
    {"display-map", 0, verbose, ""},
    {"display-allocation", 0, verbose, ""},
    {"display", 1, verbose, ""},
    {"oversubscribe", 0, nothing, ""},
    {"allow-run-as-root", 0, nothing, ""},
    {"use-hwthread-cpus", 0, nothing, ""},
    {"disable-recovery", 0, nothing, ""},
    {"get-stack-traces", 0, nothing, ""},
    {"bind-to-core", 0, bound_to_core, ""},
    {"bind-to-none", 0, unbound, ""},
    {"bycore", 0, nothing, ""},
    {"byslot", 0, nothing, ""},
    {"bynode", 0, round_hosts, ""},
    {"nooversubscribe", 0, nullptr, "the number of PEs is not limited by CPUs; use -n"},
    {"npersocket", 1, nullptr, "use -n, with --map-by socket"},
    {"cpus-per-proc", 1, nullptr, threads},
    {"cpus-per-rank", 1, nullptr, threads},
    {"cpu-set", 1, nullptr, cpus},
    {"cpu-list", 1, nullptr, cpus},
    {"rankfile", 1, nullptr, placed},
    {"rf", 1, nullptr, placed},
    {"nolocal", 0, nullptr, placed},
    {"mca", 2, nothing, ""},  // choose parts of Open MPI, which Oshen does not have
    {"gmca", 2, nothing, ""},
    {"omca", 2, nothing, ""},
    {"prtemca", 2, nothing, ""},
    {"pmixmca", 2, nothing, ""},
    {"am", 1, nullptr, settings},
    {"tune", 1, nullptr, settings},
    {"timestamp-output", 0, nullptr, "use oshrun -l ... | ts"},
    {"merge-stderr-to-stdout", 0, nullptr, "use the shell: oshrun ... 2>&1"},
    {"xterm", 1, nullptr, debugging},
    {"tv", 0, nullptr, debugging},
    {"debug", 0, nullptr, debugging},
    {"prefix", 1, nullptr, "oshrun must have the same path on all hosts; remove it"},
    {"noprefix", 0, nothing, ""},
    {"preload-binary", 0, nullptr, same_path},
    {"preload-files", 1, nullptr, same_path},
    {"enable-recovery", 0, nullptr, may_fail},
    {"continuous", 0, nullptr, may_fail},
    {"max-restarts", 1, nullptr, may_fail},
    {"app", 1, nullptr, several},
    {"report-pid", 1, nullptr, verbosely},
    {"report-uri", 1, nullptr, verbosely},

    // Hydra: MPICH, Intel MPI
    {"genv", 2, variable_of_all, ""},
    {"env", 2, variable, ""},
    {"genvall", 0, nothing, ""},
    {"envall", 0, nothing, ""},
    {"gwdir", 1, directory, ""},
    {"prepend-rank", 0, label, ""},
    {"ppn", 1, per_host, ""},
    {"perhost", 1, per_host, ""},
    {"launcher", 1, launcher, ""},
    {"bootstrap", 1, launcher, ""},
    {"print-all-exitcodes", 0, verbose, ""},
    {"genvnone", 0, nullptr, own_environment},
    {"envnone", 0, nullptr, own_environment},
    {"genvlist", 1, nullptr, all_variables},
    {"envlist", 1, nullptr, all_variables},
    {"outfile-pattern", 1, nullptr, one_prefix},
    {"errfile-pattern", 1, nullptr, one_prefix},
    {"launcher-exec", 1, nullptr, "use --ssh COMMAND"},
    {"bootstrap-exec", 1, nullptr, "use --ssh COMMAND"},
    {"rmk", 1, nullptr, "use --launcher NAME"},
    {"iface", 1, nullptr, "use -x OSHEN_INTERFACE=NAME"},
    {"rr", 0, round_hosts, ""},
    {"grr", 1, nullptr, placed},
    {"configfile", 1, nullptr, several},
    {"membind", 1, nullptr, "memory is placed by first touch; use numactl oshrun ..."},
    {"umask", 1, nullptr, "use the shell: (umask 077; oshrun ...)"},
    {"gpath", 1, nullptr, search},
    {"usize", 1, nullptr, "the number of PEs is fixed; remove it"},
    {"info", 0, nullptr, "use oshinfo"},
    {"check_mpi", 0, nullptr, "use -x OSHEN_CHECK=1"},

    // srun
    {"mpi", 1, bootstrap_of_srun, ""},
    {"K", 0, kill_on_bad_exit, ""},
    {"kill-on-bad-exit", 0, kill_on_bad_exit, ""},
    {"ntasks-per-node", 1, per_host, ""},
    {"u", 0, nothing, ""},
    {"unbuffered", 0, nothing, ""},
    {"export", 1, exported, ""},
    {"cpus-per-task", 1, nullptr, threads},
    {"distribution", 1, distribution, ""},
    {"m", 1, distribution, ""},
    {"hint", 1, nullptr, "use --bind auto, core or none"},
    {"mem-bind", 1, nullptr, "memory is placed by first touch; use numactl oshrun ..."},
    {"o", 1, nullptr, one_prefix},
    {"e", 1, nullptr, one_prefix},
    {"error", 1, nullptr, one_prefix},
    {"multi-prog", 0, nullptr, several},
    {"t", 1, nullptr, "use --timeout SECONDS"},
    {"time", 1, nullptr, "use --timeout SECONDS"},
    {"W", 1, nullptr, may_fail},
    {"wait", 1, nullptr, may_fail},
    {"p", 1, nullptr, of_the_batch},
    {"partition", 1, nullptr, of_the_batch},
    {"A", 1, nullptr, of_the_batch},
    {"account", 1, nullptr, of_the_batch},
    {"J", 1, nullptr, of_the_batch},
    {"job-name", 1, nullptr, of_the_batch},
    {"mem", 1, nullptr, of_the_batch},
    {"gres", 1, nullptr, of_the_batch},
    {"exclusive", 0, nullptr, of_the_batch},
    {"pty", 0, nullptr, "PE 0 has the terminal of oshrun; remove it"},
};

}  // namespace

const foreign_option* find_foreign_option(name_t name) {
  for (const foreign_option& one : table)
    if (one.name == name) return &one;
  return nullptr;
}

}  // namespace oshrun
