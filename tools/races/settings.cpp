#include "settings.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>

namespace races {
namespace {

choices all;

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string read_suppressions(const std::string& path) {
  std::ifstream file(path);
  if (!file) return "OSHEN_RACES_SUPPRESS: cannot read " + path;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line = trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    const std::size_t gap = line.find_first_of(" \t");
    const std::string word = line.substr(0, gap), pattern = gap == std::string::npos ? "" : trimmed(line.substr(gap));
    if ((word != "place" && word != "object") || pattern.empty())
      return path + ":" + std::to_string(number) + ": '" + line + "': expected place PATTERN or object PATTERN";
    all.suppressions.push_back({word == "place" ? suppression::kind::place : suppression::kind::object, pattern});
  }
  return "";
}

}  // namespace

std::string read_settings() {
  all = {};
  const std::string strict = value_of("OSHEN_RACES_STRICT");
  if (strict != "" && strict != "0" && strict != "1") return "OSHEN_RACES_STRICT='" + strict + "': expected 0 or 1";
  all.strict = strict == "1";
  all.report_file = value_of("OSHEN_RACES_REPORT");
  const std::string clock = value_of("OSHEN_TEST_RACES_CLOCK");
  if (!clock.empty()) all.first_clock = static_cast<std::uint32_t>(std::strtoul(clock.c_str(), nullptr, 10));
  const std::string kinds = value_of("OSHEN_TEST_RACES_KINDS");
  if (!kinds.empty()) all.most_kinds = static_cast<std::uint32_t>(std::strtoul(kinds.c_str(), nullptr, 10));
  const std::string suppress = value_of("OSHEN_RACES_SUPPRESS");
  return suppress.empty() ? "" : read_suppressions(suppress);
}

const choices& chosen() { return all; }

}  // namespace races
