// The collectives as text: the algorithm chosen for each size, and a list of all algorithms.
#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <sstream>

#include "oshinfo/sections.hpp"

namespace oshinfo {
namespace {

std::string word(const json& value) { return value.get<std::string>(); }

// A range begins where the one in the line above ends.
std::string range_text(const json& range) {
  const bool first = range["from"] == 0, last = range["to"].is_null();
  if (first && last) return "all sizes";
  if (last) return "above " + bytes_text(range["from"].get<std::uint64_t>() - 1);
  return "up to " + bytes_text(range["to"].get<std::uint64_t>());
}

int longest_name(const json& collectives) {
  std::size_t longest = std::string("algorithm").size();
  for (const json& collective : collectives)
    for (const json& range : collective["chosen"]) longest = std::max(longest, word(range["name"]).size());
  return static_cast<int>(longest);
}

// Gives only the line of a tuning file, because the path is printed above the table.
std::string reason_text(const json& range) {
  const std::string why = word(range["why"]), source = word(range["source"]);
  if (why == "tuning file" || why == "this machine's file")
    return (why == "tuning file" ? why : "machine file") + ", line " + source.substr(source.rfind(':') + 1);
  return source.empty() ? why : source;
}

std::string machine_file_text(const json& file) {
  if (file.is_null()) return "none (no home directory)";
  return file["used"].get<bool>() ? word(file["path"]) : "none (oshtune --quick writes one)";
}

}  // namespace

void print_choices(std::ostream& out, const json& all) {
  const int n_pes = all["n_pes"].get<int>();
  const json& cost = all["cost_parameters"];
  out << "\nCollectives of a team of " << n_pes << (n_pes == 1 ? " PE" : " PEs")
      << (all["cpu_for_each"].get<bool>() ? " with a CPU each" : " that share CPUs")
      << "\n  this machine's file: " << machine_file_text(all["machine_file"])
      << "\n  tuning file: " << (all["tuning_file"].is_null() ? "none" : word(all["tuning_file"]))
      << "\n  model: " << cost["cpus"] << " CPUs, a cache line " << cost["line_ns"] << " ns, a byte " << cost["copy_ns"]
      << " ns, a switch " << cost["switch_ns"] << " ns\n\n";
  // At most 80 columns.
  const int width = longest_name(all["collectives"]) + 1;
  out << "  " << std::left << std::setw(15) << "collective" << std::setw(14) << "bytes of a PE" << std::setw(width)
      << "algorithm" << "chosen by\n";
  for (const json& collective : all["collectives"]) {
    std::string name = word(collective["collective"]);
    for (const json& range : collective["chosen"]) {
      out << "  " << std::setw(15) << name << std::setw(14) << range_text(range) << std::setw(width)
          << word(range["name"]) << reason_text(range) << '\n';
      name.clear();
    }
  }
}

void print_algorithms(std::ostream& out, const json& collectives) {
  out << "\nAlgorithms of the collectives\n";
  for (const json& collective : collectives) {
    out << "  " << word(collective["collective"]) << " (" << word(collective["setting"]) << ")\n";
    for (const json& row : collective["algorithms"]) {
      const std::string needs = word(row["needs"]);
      out << "      " << word(row["name"]) << " (" << word(row["design"]) << "): " << word(row["about"])
          << (needs.empty() ? "" : "; needs " + needs) << '\n';
    }
  }
}

}  // namespace oshinfo
