#include "startup/pe_info.hpp"

#include <limits.h>

#include <algorithm>
#include <bit>

#include "base/log.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "os/program_identity.hpp"
#include "startup/startup.hpp"

namespace oshen {
namespace {

constexpr std::size_t least_default_heap = std::size_t{64} << 20;
constexpr std::size_t least_team_heap = std::size_t{64} << 20;

// Each machine is represented by its first PE.
bool is_first_of_host(const all_pe_info& all, int pe) {
  int first = 0;
  while (all[first].host_id != all[pe].host_id) ++first;
  return first == pe;
}

// The least memory that a PE of this machine sees. It differs between PEs in different control groups.
std::size_t least_memory(const world& w, const all_pe_info& all, int pe) {
  std::size_t least = SIZE_MAX;
  for (int i = 0; i < w.n_pes; ++i)
    if (all[i].host_id == all[pe].host_id && all[i].memory_bytes < least) least = all[i].memory_bytes;
  return least;
}

// The sum of the quotas of the control groups of one machine's PEs; INT_MAX if a PE has no quota.
int granted_cpus(const world& w, const all_pe_info& all, int pe) {
  double granted = 0;
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].host_id != all[pe].host_id) continue;
    const os::cpu_quota& quota = all[i].quota;
    if (quota.group == 0) return INT_MAX;
    bool counted = false;
    for (int k = 0; k < i && !counted; ++k)
      counted = all[k].host_id == all[i].host_id && all[k].quota.group == quota.group;
    if (!counted) granted += quota.cpus;
  }
  return granted < 1 ? 1 : granted > INT_MAX ? INT_MAX : static_cast<int>(granted);
}

int cpus_of_host(const world& w, const all_pe_info& all, int pe) {
  std::uint64_t any[os::mask_words] = {};
  for (int i = 0; i < w.n_pes; ++i)
    if (all[i].host_id == all[pe].host_id)
      for (std::size_t word = 0; word < os::mask_words; ++word) any[word] |= all[i].cpu_mask[word];
  int cpus = 0;
  for (const std::uint64_t word : any) cpus += std::popcount(word);
  return cpus;
}

int nth_cpu(const pe_info& pe, int n) {
  int cpu = 0;
  for (;; ++cpu)
    if ((pe.cpu_mask[cpu / 64] >> cpu % 64 & 1) != 0 && n-- == 0) return cpu;
}

}  // namespace

pe_info own_pe_info(const world& w) {
  pe_info me{};
  me.program_id = os::program_identity();
  me.data_bytes = os::program_data().whole().bytes;
  me.heap_bytes = w.config.heap_bytes;
  me.address_space = os::address_space_left();
  me.memory_bytes = os::total_memory();
  me.agreed_settings = hash_of_agreed_settings();
  me.tuning_digest = w.tuning_digest;
  me.with_machine = w.digest_with_machine;
  me.pid_namespace = os::pid_namespace();
  me.host_id = os::host();
  me.node = w.config.node_pes != 0  ? static_cast<std::uint64_t>(1 + w.pe / w.config.node_pes)
            : w.launcher->node != 0 ? w.launcher->node
                                    : me.host_id;
  os::read_cpu_mask(me.cpu_mask);
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
          "PE %d has other values of OSHEN_ATOMICS, OSHEN_CHECK, OSHEN_COLL_*, OSHEN_NODE_PES, OSHEN_SECURE or "
          "OSHEN_TRANSPORT in its environment; all PEs must have the same",
          i);
      return status::mismatch;
    }
    if (all[i].tuning_digest != all[w.pe].tuning_digest) {
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
    if (all[i].program_id == all[0].program_id && all[i].data_bytes == all[0].data_bytes) continue;
    log::debug("PE %d and PE 0 run different programs: no static data is symmetric", i);
    return false;
  }
  return true;
}

bool proposed_nodes_hold(const world& w, const all_pe_info& all) {
  for (int i = 0; i < w.n_pes; ++i) {
    int first = 0;
    while (all[first].node != all[i].node) ++first;
    if (all[first].host_id != all[i].host_id) return false;
  }
  return true;
}

int pes_on_host_of(const world& w, const all_pe_info& all, int pe) {
  int n = 0;
  for (int i = 0; i < w.n_pes; ++i) n += all[i].host_id == all[pe].host_id;
  return n;
}

bool one_host(const world& w, const all_pe_info& all) { return pes_on_host_of(w, all, 0) == w.n_pes; }

int agree_on_team_slots(const world& w, const all_pe_info& all) {
  std::size_t space = SIZE_MAX;
  for (int i = 0; i < w.n_pes; ++i) space = std::min(space, all[i].address_space);
  const std::size_t whole_annex = annex_bytes(max_teams, w.n_pes, 0);
  return space / static_cast<std::size_t>(w.n_pes) / 4 > whole_annex ? max_teams : fewest_team_slots;
}

std::size_t agree_on_heap(const world& w, const all_pe_info& all) {
  std::size_t requested = 0, space = SIZE_MAX, share = SIZE_MAX;
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].heap_bytes > requested) requested = all[i].heap_bytes;
    if (all[i].address_space < space) space = all[i].address_space;
    if (!is_first_of_host(all, i)) continue;
    const std::size_t here = least_memory(w, all, i) / static_cast<std::size_t>(pes_on_host_of(w, all, i));
    if (here < share) share = here;
  }
  if (requested != 0) return requested;
  const auto n = static_cast<std::size_t>(w.n_pes);
  if (share < least_default_heap) share = least_default_heap;
  if (space != SIZE_MAX) {  // at most half of the address space, less the library's own data in each slice
    const std::size_t own = control_page::bytes_for(w.n_pes) + annex_bytes(w.n_team_slots, w.n_pes, 0);
    const std::size_t room = space / 2 / n > own ? space / 2 / n - own : 0;
    if (share > room) share = room;
  }
  return round_down(share, heap::alignment);
}

std::size_t agree_on_team_heap(const world& w, const all_pe_info& all, std::size_t heap_bytes) {
  std::size_t space = SIZE_MAX, bytes = std::max(heap_bytes / 4, least_team_heap);
  for (int i = 0; i < w.n_pes; ++i) space = std::min(space, static_cast<std::size_t>(all[i].address_space));
  if (space != SIZE_MAX) {  // a quarter of the address space that is left
    const std::size_t own =
        control_page::bytes_for(w.n_pes) + annex_bytes(w.n_team_slots, w.n_pes, 0) + heap_bytes + heap::alignment;
    const std::size_t each = space / static_cast<std::size_t>(w.n_pes);
    bytes = std::min(bytes, each > own ? (each - own) / 4 : 0);
  }
  return round_down(bytes, heap::alignment);
}

cpu_count count_cpus(const world& w, const all_pe_info& all) {
  cpu_count most{1, 0};
  for (int i = 0; i < w.n_pes; ++i) {
    if (!is_first_of_host(all, i)) continue;
    const cpu_count here{std::min(cpus_of_host(w, all, i), granted_cpus(w, all, i)), pes_on_host_of(w, all, i)};
    if (static_cast<long long>(here.n_pes) * most.cpus > static_cast<long long>(most.n_pes) * here.cpus) most = here;
  }
  return most;
}

int first_cpu(const world& w, const all_pe_info& all) {
  const pe_info& mine = all[w.pe];
  int alike = 0, before = 0;
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].host_id != mine.host_id || !std::ranges::equal(all[i].cpu_mask, mine.cpu_mask)) continue;
    before += i < w.pe;
    ++alike;
  }
  int cpus = 0;
  for (const std::uint64_t word : mine.cpu_mask) cpus += std::popcount(word);
  return cpus > 1 && alike > cpus ? nth_cpu(mine, before % cpus) : -1;
}

bool one_pid_namespace(const world& w, const all_pe_info& all) {
  for (int i = 0; i < w.near.n_pes; ++i)
    if (all[w.near.pe_at(i)].pid_namespace != all[w.pe].pid_namespace) return false;
  return true;
}

}  // namespace oshen
