#include "world/pe_info.hpp"

#include <limits.h>

#include <algorithm>
#include <bit>

#include "base/log.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "os/program_identity.hpp"

namespace oshen {
namespace {

constexpr std::size_t least_default_heap = std::size_t{64} << 20;

// Whatever is worked out once for each machine is so by its first PE.
bool is_first_of_host(const all_pe_info& all, int pe) {
  int first = 0;
  while (all[first].host != all[pe].host) ++first;
  return first == pe;
}

// What the PEs of one machine see differs where they have control groups of their own.
std::size_t least_memory(const world& w, const all_pe_info& all, int pe) {
  std::size_t least = SIZE_MAX;
  for (int i = 0; i < w.n_pes; ++i)
    if (all[i].host == all[pe].host && all[i].memory < least) least = all[i].memory;
  return least;
}

// What the control groups of all PEs of one machine grant together; INT_MAX if some PE is in none.
int granted_cpus(const world& w, const all_pe_info& all, int pe) {
  double granted = 0;
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].host != all[pe].host) continue;
    const os::cpu_quota& quota = all[i].quota;
    if (quota.group == 0) return INT_MAX;
    bool counted = false;
    for (int k = 0; k < i && !counted; ++k)
      counted = all[k].host == all[i].host && all[k].quota.group == quota.group;
    if (!counted) granted += quota.cpus;
  }
  return granted < 1 ? 1 : granted > INT_MAX ? INT_MAX : static_cast<int>(granted);
}

int cpus_of_host(const world& w, const all_pe_info& all, int pe) {
  int cpus = 0;
  for (std::size_t word = 0; word < os::mask_words; ++word) {
    std::uint64_t any = 0;
    for (int i = 0; i < w.n_pes; ++i)
      if (all[i].host == all[pe].host) any |= all[i].cpus[word];
    cpus += std::popcount(any);
  }
  return cpus;
}

int nth_cpu(const pe_info& who, int n) {
  int cpu = 0;
  for (;; ++cpu)
    if ((who.cpus[cpu / 64] >> cpu % 64 & 1) != 0 && n-- == 0) return cpu;
}

}  // namespace

pe_info own_pe_info(const world& w) {
  pe_info me{};
  me.program = os::program_identity();
  me.data_bytes = os::program_data().whole().bytes;
  me.heap_bytes = w.config.heap_bytes;
  me.address_space = os::address_space_left();
  me.memory = os::total_memory();
  me.agreed_settings = hash_of_agreed_settings();
  me.preferences = w.preferences_digest;
  me.with_machine = w.digest_with_machine;
  me.pid_namespace = os::pid_namespace();
  me.host = os::host();
  me.node = w.config.node_pes != 0 ? static_cast<std::uint64_t>(1 + w.pe / w.config.node_pes)
            : w.launcher->node != 0 ? w.launcher->node
                                    : me.host;
  os::read_cpu_mask(me.cpus);
  me.quota = os::own_cpu_quota();
  me.pid = os::own_pid();
  me.control_bytes = sizeof(control_page) + sizeof(control_annex);
  return me;
}

status compare(const world& w, const all_pe_info& all) {
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].control_bytes != all[w.pe].control_bytes) {
      log::error("PE %d uses another release of the library", i);
      return status::mismatch;
    }
    if (all[i].agreed_settings != all[w.pe].agreed_settings) {
      log::error(
          "PE %d has other values of OSHEN_CHECK, OSHEN_COLL_*, OSHEN_NODE_PES or OSHEN_TRANSPORT in its environment; "
          "all PEs must have the same",
          i);
      return status::mismatch;
    }
    if (all[i].preferences != all[w.pe].preferences) {
      log::error("PE %d has read another tuning file (OSHEN_COLL_TUNING); all PEs must read the same", i);
      return status::mismatch;
    }
  }
  return status::ok;
}

bool one_machine_file(const world& w, const all_pe_info& all) {
  for (int i = 0; i < w.n_pes; ++i)
    if (all[i].with_machine != all[w.pe].with_machine) return false;
  return true;
}

bool one_program(const world& w, const all_pe_info& all) {
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].program == all[0].program && all[i].data_bytes == all[0].data_bytes) continue;
    log::debug("PE %d and PE 0 run different programs: no static data is symmetric", i);
    return false;
  }
  return true;
}

int pes_on_host_of(const world& w, const all_pe_info& all, int pe) {
  int n = 0;
  for (int i = 0; i < w.n_pes; ++i) n += all[i].host == all[pe].host;
  return n;
}

bool one_host(const world& w, const all_pe_info& all) { return pes_on_host_of(w, all, 0) == w.n_pes; }

std::size_t agree_on_heap(const world& w, const all_pe_info& all) {
  std::size_t wish = 0, space = SIZE_MAX, share = SIZE_MAX;
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].heap_bytes > wish) wish = all[i].heap_bytes;
    if (all[i].address_space < space) space = all[i].address_space;
    if (!is_first_of_host(all, i)) continue;
    const std::size_t part = least_memory(w, all, i) / static_cast<std::size_t>(pes_on_host_of(w, all, i));
    if (part < share) share = part;
  }
  if (wish != 0) return wish;
  const auto n = static_cast<std::size_t>(w.n_pes);
  if (share < least_default_heap) share = least_default_heap;
  if (space != SIZE_MAX) {  // half of what is left, less the book-keeping of every slice
    const std::size_t books = control_page::bytes_for(w.n_pes) + annex_bytes(w.n_pes, 0);
    const std::size_t room = space / 2 / n > books ? space / 2 / n - books : 0;
    if (share > room) share = room;
  }
  return round_down(share, heap::alignment);
}

cpu_count count_cpus(const world& w, const all_pe_info& all) {
  cpu_count most{1, 0};
  for (int i = 0; i < w.n_pes; ++i) {
    if (!is_first_of_host(all, i)) continue;
    const cpu_count here{std::min(cpus_of_host(w, all, i), granted_cpus(w, all, i)), pes_on_host_of(w, all, i)};
    if (static_cast<long long>(here.pes) * most.cpus > static_cast<long long>(most.pes) * here.cpus) most = here;
  }
  return most;
}

int cpu_to_begin_on(const world& w, const all_pe_info& all) {
  const pe_info& mine = all[w.pe];
  int alike = 0, before = 0;
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].host != mine.host || !std::ranges::equal(all[i].cpus, mine.cpus)) continue;
    before += i < w.pe;
    ++alike;
  }
  int cpus = 0;
  for (const std::uint64_t word : mine.cpus) cpus += std::popcount(word);
  return cpus > 1 && alike > cpus ? nth_cpu(mine, before % cpus) : -1;
}

bool one_pid_namespace(const world& w, const all_pe_info& all) {
  for (int i = 0; i < w.near.n_pes; ++i)
    if (all[w.near.pe_at(i)].pid_namespace != all[w.pe].pid_namespace) return false;
  return true;
}

}  // namespace oshen
