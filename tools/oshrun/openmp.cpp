#include "oshrun/openmp.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace oshrun {
namespace {

// The value of a variable in the PEs; null if it is not set.
const char* value_in(const program& prog, std::string_view name) {
  for (auto one = prog.variables.rbegin(); one != prog.variables.rend(); ++one)
    if (one->size() > name.size() && one->starts_with(name) && (*one)[name.size()] == '=')
      return one->c_str() + name.size() + 1;
  return std::getenv(std::string(name).c_str());
}

bool sets_wait_policy(const program& prog) {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (value_in(prog, name) != nullptr) return true;
  return false;
}

}  // namespace

std::vector<std::string> openmp_variables(const program& prog, int n_pes, int n_cpus, bool bound) {
  std::vector<std::string> out;
  const char* asked = value_in(prog, "OMP_NUM_THREADS");
  const int share = std::max(n_cpus / n_pes, 1);
  if (asked == nullptr && !bound) out.push_back("OMP_NUM_THREADS=" + std::to_string(share));
  const long threads = asked != nullptr ? std::strtol(asked, nullptr, 10) : share;
  if (threads * n_pes > n_cpus && !sets_wait_policy(prog)) out.push_back("OMP_WAIT_POLICY=passive");
  return out;
}

}  // namespace oshrun
