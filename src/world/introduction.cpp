#include "world/introduction.hpp"

#include <bit>

#include "base/log.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"

namespace oshen {
namespace {

constexpr std::size_t least_default_heap = std::size_t{64} << 20;

}  // namespace

introduction introduce(const world& w) {
  introduction me{};
  me.data_bytes = os::program_data().bytes;
  me.heap_bytes = w.config.heap_bytes;
  me.address_space = os::address_space_left();
  me.memory = os::total_memory();
  me.agreed_settings = hash_of_agreed_settings();
  me.preferences = w.preferences_digest;
  me.pid_namespace = os::pid_namespace();
  os::read_cpu_mask(me.cpus);
  me.pid = os::own_pid();
  me.control_bytes = sizeof(control_page);
  return me;
}

status compare(const world& w, const introductions& all) {
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].control_bytes != all[w.pe].control_bytes) {
      log::error("PE %d uses another release of the library", i);
      return status::mismatch;
    }
    if (all[i].agreed_settings != all[w.pe].agreed_settings) {
      log::error("PE %d has other values of OSHEN_COLL_* in its environment; all PEs must have the same", i);
      return status::mismatch;
    }
    if (all[i].preferences != all[w.pe].preferences) {
      log::error("PE %d has read another tuning file (OSHEN_COLL_TUNING); all PEs must read the same", i);
      return status::mismatch;
    }
    if (all[i].data_bytes != all[w.pe].data_bytes) {
      log::error("PE %d runs another program (%llu bytes of static data, here %llu); all PEs must run the same executable",
                 i, static_cast<unsigned long long>(all[i].data_bytes),
                 static_cast<unsigned long long>(all[w.pe].data_bytes));
      return status::mismatch;
    }
  }
  return status::ok;
}

std::size_t agree_on_heap(const world& w, const introductions& all) {
  std::size_t wish = 0, space = SIZE_MAX, memory = SIZE_MAX;
  for (int i = 0; i < w.n_pes; ++i) {
    if (all[i].heap_bytes > wish) wish = all[i].heap_bytes;
    if (all[i].address_space < space) space = all[i].address_space;
    if (all[i].memory < memory) memory = all[i].memory;
  }
  if (wish != 0) return wish;
  const auto n = static_cast<std::size_t>(w.n_pes);
  std::size_t share = memory / n;
  if (share < least_default_heap) share = least_default_heap;
  if (space != SIZE_MAX) {  // half of what is left, less the book-keeping of every slice
    const std::size_t control = control_page::bytes_for(w.n_pes);
    const std::size_t room = space / 2 / n > control ? space / 2 / n - control : 0;
    if (share > room) share = room;
  }
  return round_down(share, heap::alignment);
}

int cpus_of_all(const world& w, const introductions& all) {
  int cpus = 0;
  for (std::size_t word = 0; word < os::mask_words; ++word) {
    std::uint64_t any = 0;
    for (int i = 0; i < w.n_pes; ++i) any |= all[i].cpus[word];
    cpus += std::popcount(any);
  }
  return cpus;
}

bool one_pid_namespace(const world& w, const introductions& all) {
  for (int i = 0; i < w.n_pes; ++i)
    if (all[i].pid_namespace != all[w.pe].pid_namespace) return false;
  return true;
}

}  // namespace oshen
