#include "shared/cpus.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "oshrun/posix.hpp"

namespace oshrun {
namespace {

// The first number in a sysfs file of a CPU; `otherwise` if it cannot be read.
int first_number(int cpu, const char* name, int otherwise) {
  char text[128];
  std::snprintf(text, sizeof text, "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
  const unique_fd file(open(text, O_RDONLY | O_CLOEXEC));
  const ssize_t bytes = file.open() ? read(file.get(), text, sizeof text - 1) : 0;
  if (bytes <= 0) return otherwise;
  text[bytes] = '\0';
  return std::atoi(text);
}

// The lowest hardware thread of the core of `cpu`; `cpu` itself if unknown.
int first_thread_of_core(int cpu) { return first_number(cpu, "topology/thread_siblings_list", cpu); }

// The NUMA node of a CPU, to which its sysfs folder has a link; -1 if unknown.
int numa_node(int cpu) {
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
  DIR* const entries = opendir(folder.c_str());
  int node = -1;
  while (const dirent* one = entries != nullptr ? readdir(entries) : nullptr)
    if (std::sscanf(one->d_name, "node%d", &node) == 1) break;
  if (entries != nullptr) closedir(entries);
  return node;
}

// The number of the domain of a CPU; -1 if unknown.
int domain_of(int cpu, mapping by) {
  switch (by) {
    case mapping::socket: return first_number(cpu, "topology/physical_package_id", -1);
    case mapping::numa: return numa_node(cpu);
    case mapping::l3: return first_number(cpu, "cache/index3/shared_cpu_list", -1);
    case mapping::none: break;
  }
  return 0;
}

// Distinct cores first, then their second threads, and so on.
std::vector<int> cores_before_threads(const core_list& cores) {
  std::size_t most_threads = 0;
  for (const auto& core : cores) most_threads = std::max(most_threads, core.size());
  std::vector<int> order;
  for (std::size_t thread = 0; thread < most_threads; ++thread)
    for (const auto& core : cores)
      if (thread < core.size()) order.push_back(core[thread]);
  return order;
}

std::vector<cpu_mask> one_cpu_each(const std::vector<int>& order, int n_pes) {
  std::vector<cpu_mask> masks(static_cast<std::size_t>(n_pes));
  for (std::size_t pe = 0; pe < masks.size(); ++pe) masks[pe].add(order[pe % order.size()]);
  return masks;
}

// Gives each PE the same number of neighbouring cores, or one more, for its threads.
std::vector<cpu_mask> equal_shares(const core_list& cores, int n_pes) {
  std::vector<cpu_mask> masks(static_cast<std::size_t>(n_pes));
  for (std::size_t pe = 0; pe < masks.size(); ++pe) {
    const std::size_t first = pe * cores.size() / masks.size();
    const std::size_t last = (pe + 1) * cores.size() / masks.size();
    for (std::size_t core = first; core < last; ++core)
      for (const int cpu : cores[core]) masks[pe].add(cpu);
  }
  return masks;
}

}  // namespace

void cpu_mask::add(int cpu) { words_[static_cast<std::size_t>(cpu / word_bits)] |= 1ul << (cpu % word_bits); }

bool cpu_mask::has(int cpu) const { return words_[static_cast<std::size_t>(cpu / word_bits)] >> (cpu % word_bits) & 1; }

int cpu_mask::count() const {
  int sum = 0;
  for (const unsigned long word : words_) sum += std::popcount(word);
  return sum;
}

std::string cpu_mask::text() const {
  std::string out;
  for (int cpu = 0; cpu < most_cpus; ++cpu) {
    if (!has(cpu)) continue;
    int last = cpu;
    while (last + 1 < most_cpus && has(last + 1)) ++last;
    if (!out.empty()) out += ',';  // not "," + ...: gcc 12 -O3 warns of an overlap there
    out += std::to_string(cpu);
    if (last > cpu) out += '-' + std::to_string(last);
    cpu = last;
  }
  return out;
}

cpu_mask usable_cpus() {
  cpu_mask mask;
  auto* set = reinterpret_cast<cpu_set_t*>(mask.data());
  if (sched_getaffinity(0, cpu_mask::bytes(), set) != 0) mask.add(0);
  return mask;
}

core_list cores_of(const cpu_mask& usable) {
  std::map<int, std::vector<int>> by_first_thread;
  for (int cpu = 0; cpu < cpu_mask::most_cpus; ++cpu)
    if (usable.has(cpu)) by_first_thread[first_thread_of_core(cpu)].push_back(cpu);
  core_list cores;
  for (auto& [first, threads] : by_first_thread) cores.push_back(std::move(threads));
  return cores;
}

std::vector<core_list> domains_of(const core_list& cores, mapping by) {
  std::map<int, core_list> by_number;
  for (const auto& core : cores) {
    const int number = domain_of(core.front(), by);
    if (number < 0) return {};
    by_number[number].push_back(core);
  }
  std::vector<core_list> domains;
  for (auto& [number, its] : by_number) domains.push_back(std::move(its));
  return domains;
}

std::vector<cpu_mask> map_cpus(const std::vector<core_list>& domains, int n_pes, binding how) {
  std::vector<cpu_mask> masks(static_cast<std::size_t>(n_pes));
  const std::size_t n = domains.size();
  for (std::size_t d = 0; d < n && d < masks.size(); ++d) {
    const std::size_t here = (masks.size() - d + n - 1) / n;
    const auto shares = share_cpus(domains[d], static_cast<int>(here), how);
    if (shares.empty()) return {};  // more PEs than CPUs: no PE is bound
    for (std::size_t i = 0; i < here; ++i) masks[d + i * n] = shares[i];
  }
  return masks;
}

std::vector<cpu_mask> share_cpus(const core_list& cores, int n_pes, binding how) {
  const std::vector<int> order = cores_before_threads(cores);
  const std::size_t wanted = static_cast<std::size_t>(n_pes);
  if (how == binding::none || order.empty()) return {};
  if (how == binding::core) return one_cpu_each(order, n_pes);
  if (wanted > order.size()) return {};
  return wanted <= cores.size() ? equal_shares(cores, n_pes) : one_cpu_each(order, n_pes);
}

}  // namespace oshrun
