// oshinfo: prints the properties of this library, its settings, its choices, and the machine.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "oshinfo/sections.hpp"
#include "shared/cpus.hpp"
#include "shared/help_format.hpp"

using namespace oshinfo;

namespace {

int print(const std::string& text) { return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1; }

// `collective`: "" for the page of all. Ends the process if there is no such collective.
std::string page_of(const json& collectives, const std::string& collective) {
  const std::string text = collective.empty() ? overview_page(collectives) : collective_page(collectives, collective);
  if (!text.empty()) return text;
  std::fprintf(stderr,
               "oshinfo: --markdown %s: no such collective: expected one of the first column of oshinfo --coll\n",
               collective.c_str());
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Shows the library, its settings, transports, algorithms and the machine.", "oshinfo");
  bool want_json = false, want_settings = false, want_algorithms = false, want_machine = false;
  bool want_boot = false, want_transports = false;
  bool want_version = false, want_choices = false;
  std::string page;  // the collective after --markdown; "" for the page of all
  int n_pes = oshrun::usable_cpus().count();
  app.add_flag("--json", want_json, "as JSON");
  app.add_flag("--version", want_version, "only the versions");
  app.add_flag("--settings", want_settings, "only the settings");
  app.add_flag("--boot", want_boot,
               "only how a program started in this place would find its PEs, and why not otherwise");
  app.add_flag("--transport", want_transports, "only how PEs of other nodes would be reached, and why not otherwise");
  app.add_flag("--coll", want_choices, "only the algorithm of each collective, by size");
  app.add_flag("--algorithms", want_algorithms, "only the table of algorithms");
  const CLI::Option* markdown =
      app.add_option("--markdown", page, "with --algorithms: as docs/algorithms.md, or as the page of a collective")
          ->type_name("COLLECTIVE")
          ->expected(0, 1);
  app.add_flag("--machine", want_machine, "only the machine");
  app.add_option("-n,--np", n_pes, "algorithms for a team of this many PEs; default: one for each CPU")
      ->type_name("PES")
      ->check(CLI::Range(1, oshrun::most_pes));
  app.formatter(std::make_shared<oshrun::wrapping_formatter>());
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "oshinfo: %s (oshinfo --help shows the usage)\n", error.what());
    return 2;
  }

  const bool want_page = markdown->count() != 0;
  if (want_page && !want_algorithms) {
    std::fprintf(stderr, "oshinfo: --markdown goes with --algorithms (oshinfo --help shows the usage)\n");
    return 2;
  }

  const bool everything = !(want_boot || want_transports || want_version || want_settings || want_algorithms ||
                            want_choices || want_machine);
  json all;
  if (everything || want_version) all["library"] = library();
  if (everything || want_settings) all["settings"] = settings();
  if (everything || want_transports) all["transports"] = transports();
  if (everything) all["starters"] = starters();
  if (want_boot) all["boot"] = boot_ways();
  if (everything || want_algorithms || want_choices) {
    const json collectives = selection(n_pes);
    if (collectives.is_null()) return 1;
    all.update(collectives);
  }
  if (everything || want_machine) all["machine"] = machine();
  if (want_page) return print(page_of(all["collectives"], page));
  const std::size_t columns = want_json ? 0 : terminal_columns();
  std::string text =
      want_json ? all.dump(2) + '\n' : as_text(all, everything || want_algorithms, everything || want_choices);
  if (columns >= 20) text = wrapped(text, columns);  // a pipe gets whole lines, for grep
  return print(text);
}
