#include "oshrun/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "oshrun/cpus.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {
namespace {

constexpr int bad_usage = 2;

constexpr const char* about =
    "Runs an OpenSHMEM program (or any other) as several PEs on this machine.\n"
    "Ends the whole job when one PE fails, and says which one and how.";

constexpr const char* after_help =
    "exit status: 0 when every PE ended with 0; else that of the first PE that failed\n"
    "(128 + signal when it was killed); 124 time-out, 126 not executable, 127 not found, 2 bad "
    "usage.";

struct raw_options {
  std::optional<std::string> n_pes, timeout, bind;
  bool version = false;
};

struct help_format : CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "usage: oshrun [-n PES] [options] program [arguments]\n";
  }
};

void declare(CLI::App& app, options& out, raw_options& raw) {
  app.add_option("-n,--np", raw.n_pes, "number of PEs, also -np; default: one for each usable CPU")
      ->type_name("PES");
  app.add_flag("-l,--label", out.label, "start every line of output with its PE: [3] text");
  app.add_option("--timeout", raw.timeout, "end the job after so long and show what each PE did")
      ->type_name("SECONDS");
  app.add_option("--bind", raw.bind,
                 "auto: each PE gets an equal share of the CPUs, when there are enough;\n"
                 "core: one CPU each; none. Default: OSHEN_BIND, else auto")
      ->type_name("HOW");
  app.add_option("-x", out.variables, "for the environment of the PEs; may be repeated")
      ->type_name("VAR=VALUE")
      ->allow_extra_args(false);
  app.add_option("--wdir", out.directory, "start the PEs in this directory")->type_name("DIR");
  app.add_flag("-v,--verbose", out.verbose, "say what is started, where, and how it ended");
  app.add_flag("--version", raw.version, "print the version");
}

// CLI11 has no long options with one dash, and everybody types -np.
std::vector<std::string> with_long_np(int argc, char** argv, const CLI::App& app) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size() && words[i].starts_with('-'); ++i) {
    if (words[i] == "-np") words[i] = "--np";
    const CLI::Option* option = app.get_option_no_throw(words[i]);
    if (option != nullptr && option->get_items_expected_min() > 0) ++i;
  }
  return words;
}

int read_count(const std::string& text) {
  int count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count < 1 || count > most_pes)
    give_up(bad_usage, "-n %s: expected a number of PEs from 1 to %d", text.c_str(), most_pes);
  return count;
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
  give_up(bad_usage, "%s %s: expected auto, none or core", asked ? "--bind" : "OSHEN_BIND",
          text.c_str());
}

void check(const options& out) {
  for (const std::string& variable : out.variables)
    if (variable.find('=') == std::string::npos || variable.starts_with('='))
      give_up(bad_usage, "-x %s: expected VAR=VALUE", variable.c_str());
  if (out.command.empty())
    give_up(bad_usage, "no program given; usage: oshrun [-n PES] [options] program [arguments]");
  const std::string& first = out.command.front();
  if (first.starts_with('-'))
    give_up(bad_usage, "%s: no such option (oshrun --help lists them)", first.c_str());
}

void parse(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words = with_long_np(argc, argv, app);
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp& help) {
    std::exit(app.exit(help));
  } catch (const CLI::ParseError& error) {
    give_up(bad_usage, "%s (oshrun --help shows the usage)", error.what());
  }
}

}  // namespace

options read_options(int argc, char** argv) {
  options out;
  raw_options raw;
  CLI::App app(about, "oshrun");
  app.formatter(std::make_shared<help_format>());
  app.footer(after_help);
  app.prefix_command();
  declare(app, out, raw);
  parse(app, argc, argv);
  if (raw.version) {
    std::puts("oshrun " OSHEN_VERSION);
    std::exit(0);
  }
  out.command = app.remaining();
  if (!out.command.empty() && out.command.front() == "--") out.command.erase(out.command.begin());
  out.n_pes = raw.n_pes ? read_count(*raw.n_pes) : usable_cpus().count();
  if (raw.timeout) out.timeout_seconds = read_timeout(*raw.timeout);
  out.bind = read_binding(raw.bind);
  check(out);
  return out;
}

}  // namespace oshrun
