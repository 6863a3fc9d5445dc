#include <cstdint>
#include <cstdio>
#include <sstream>

#include "oshinfo/sections.hpp"

namespace oshinfo {
namespace {

std::string text_of(const json& value) { return value.get<std::string>(); }

void print_library(std::ostream& out, const json& one) {
  out << text_of(one["name"]) << ' ' << text_of(one["version"]) << ", OpenSHMEM " << text_of(one["openshmem"])
      << ", built with " << text_of(one["compiler"]) << '\n';
}

void print_named(std::ostream& out, const char* title, const json& rows) {
  out << '\n' << title << '\n';
  for (const json& row : rows) {
    out << "  " << text_of(row["name"]) << ": " << text_of(row["about"]) << '\n';
  }
}

void print_transports(std::ostream& out, const json& rows) {
  out << "\nTransports\n";
  for (const json& row : rows) {
    out << "  " << text_of(row["name"]) << " (" << text_of(row["about"]) << "): ";
    if (row.contains("atomics"))
      out << "always; atomics " << text_of(row["atomics"]);
    else if (!row["usable"].get<bool>())
      out << "no: " << text_of(row["reason"]);
    else
      out << (row["taken"].get<bool>() ? "taken by jobs over several hosts" : "could be");
    out << '\n';
    for (const json& offer : row.value("offers", json::array()))
      out << "      " << text_of(offer["what"]) << ": "
          << (offer.contains("reason") ? "no: " + text_of(offer["reason"]) : "chosen") << '\n';
  }
}

void print_boot(std::ostream& out, const json& all) {
  out << "\nHow this process would become a PE\n";
  for (const json& way : all["ways"]) {
    out << "  " << text_of(way["name"]) << " (" << text_of(way["about"]) << "): ";
    if (!way["usable"].get<bool>())
      out << "no: " << text_of(way["reason"]);
    else if (way["name"] == all["taken"])
      out << "taken";
    else
      out << "could be";
    if (way.contains("n_pes")) out << ", PE " << way["pe"] << " of " << way["n_pes"];
    if (way.value("node", 0) != 0) out << ", node " << way["node"];
    out << '\n';
  }
  if (all.contains("refusal")) out << "  none: " << text_of(all["refusal"]) << '\n';
}

void print_settings(std::ostream& out, const json& rows) {
  out << "\nSettings (environment variables)\n";
  for (const json& row : rows) {
    const std::string alias = text_of(row["alias"]), fallback = text_of(row["default"]);
    out << "  " << text_of(row["name"]) << (alias.empty() ? "" : " or " + alias) << " (" << text_of(row["type"])
        << (fallback.empty() ? "" : ", default " + fallback) << ')';
    if (!row["value"].is_null()) out << " = \"" << text_of(row["value"]) << '"';
    out << "\n      " << text_of(row["about"]) << '\n';
  }
}

void print_machine(std::ostream& out, const json& one) {
  const json &cpus = one["cpus"], &memory = one["memory"];
  out << "\nMachine\n  " << text_of(one["kernel"]) << "\n  " << text_of(cpus["model"]) << "\n  CPUs: " << cpus["usable"]
      << " usable (" << text_of(cpus["usable_list"]) << ") on " << cpus["usable_cores"] << " cores, " << cpus["online"]
      << " online, NUMA nodes: " << cpus["numa_nodes"]
      << "\n  memory: " << bytes_text(memory["installed"].get<std::uint64_t>()) << " installed, ";
  if (!memory["limit"].is_null()) out << "limited to " << bytes_text(memory["limit"].get<std::uint64_t>()) << ", ";
  out << bytes_text(memory["available"].get<std::uint64_t>()) << " available, pages of "
      << bytes_text(memory["page"].get<std::uint64_t>())
      << (memory["huge_pages"].get<bool>() ? ", of 2 MiB on request" : ", none of 2 MiB") << '\n';
  for (const auto& [name, present] : one["features"].items())
    out << "  " << name << ": " << (present.get<bool>() ? "yes" : "no") << '\n';
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  double amount = static_cast<double>(bytes);
  for (; amount >= 1024 && unit + 1 < std::size(units); ++unit) amount /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", amount, units[unit]);
  return text;
}

std::string as_text(const json& all, bool with_algorithms, bool with_choices) {
  std::ostringstream out;
  if (all.contains("library")) print_library(out, all["library"]);
  if (all.contains("settings")) print_settings(out, all["settings"]);
  if (all.contains("transports")) print_transports(out, all["transports"]);
  if (all.contains("starters")) print_named(out, "Ways to start", all["starters"]);
  if (all.contains("boot")) print_boot(out, all["boot"]);
  if (with_algorithms) print_algorithms(out, all["collectives"]);
  if (with_choices) print_choices(out, all);
  if (all.contains("machine")) print_machine(out, all["machine"]);
  return out.str();
}

}  // namespace oshinfo
