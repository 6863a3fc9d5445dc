#include "exchange/choice/machine_costs.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "trials/user_cache.hpp"

namespace oshen::exchange {
namespace {

double* cost_named(std::string_view name, machine_costs& costs) {
  if (name == "line-ns") return &costs.line;
  if (name == "copy-ns") return &costs.copy;
  if (name == "switch-ns") return &costs.turn;
  if (name == "network-ns") return &costs.network;
  if (name == "network-message-ns") return &costs.network_message;
  if (name == "network-byte-ns") return &costs.network_byte;
  return nullptr;
}

machine_costs read_all() {
  machine_costs costs;
  const char* wanted = std::getenv("OSHEN_COLL_TUNING");
  const std::string_view file = wanted == nullptr ? "auto" : wanted;
  if (file == "auto" || file.empty())
    read_costs(trials::user_cache_file("tuning", trials::release_of_library()), costs);
  else if (file != "none" && file != "installed")
    read_costs(std::string(file), costs);
  return costs;
}

}  // namespace

bool read_costs(const std::string& path, machine_costs& costs) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe might block
  std::ifstream file(path);
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, name, number;
    if (!(words >> first >> name >> number) || first != "cost") continue;
    double nanoseconds = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), nanoseconds);
    double* const cost = cost_named(name, costs);
    if (cost == nullptr || error != std::errc() || !(nanoseconds > 0 && nanoseconds < 1e9)) continue;
    *cost = nanoseconds * 1e-9;
    found = true;
  }
  return found;
}

const machine_costs& costs_here() {
  static const machine_costs costs = read_all();
  return costs;
}

}  // namespace oshen::exchange
