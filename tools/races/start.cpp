// Start and end of the detector.
#include <dlfcn.h>
#include <link.h>
#include <pshmem.h>
#include <shmemx.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "calls.h"
#include "detector.hpp"
#include "interpose.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "sites.hpp"

namespace races {
namespace {

constexpr int exit_status = 66;
constexpr int most_pes = region_header::most_pes;
bool found_races = false;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "oshen: PE %d: oshcc --races: %s\n", pshmem_my_pe(), why.c_str());
  pshmem_global_exit(1);
}

// The writable segments of the executable.
int read_statics(dl_phdr_info* info, std::size_t, void* out) {
  auto& all = *static_cast<extent*>(out);
  std::uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& h = info->dlpi_phdr[i];
    if (h.p_type != PT_LOAD || (h.p_flags & PF_W) == 0) continue;
    const std::uintptr_t start = (info->dlpi_addr + h.p_vaddr) / 4096 * 4096;
    if (end == 0) all.start = start;
    end = (info->dlpi_addr + h.p_vaddr + h.p_memsz + 4095) / 4096 * 4096;
  }
  all.bytes = end - all.start;
  return 1;
}

// The heap: the library tells its size, and whether an address belongs to it.
extent read_heap(std::uintptr_t inside) {
  shmemx_heap_info_t info{};
  if (shmemx_heap_info(&info, sizeof info) != 0) return {};
  const auto accessible = [](std::uintptr_t a) {
    return pshmem_addr_accessible(reinterpret_cast<const void*>(a), pshmem_my_pe()) != 0;
  };
  // The block may stand behind others. Of the addresses below it, the accessible ones are next to it.
  std::uintptr_t low = inside > info.bytes ? inside - info.bytes : 1, high = inside;
  while (low < high) {
    const std::uintptr_t middle = low + (high - low) / 2;
    if (accessible(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  // The team heap and the card heap follow at a multiple of 2 MiB, as the heap begins at one.
  constexpr std::size_t alignment = std::size_t{2} << 20;
  const std::size_t behind = info.team_bytes + info.card_bytes;
  return {high, behind == 0 ? info.bytes : (info.bytes + alignment - 1) / alignment * alignment + behind};
}

// As large as the smallest heap.
struct sight {
  long sees;  // whether this PE has mapped the shadow memory of PE 0
  char host[56];
};
static_assert(sizeof(sight) == 64);

// Ends the job if a PE does not see the shadow memory. PE 0 says so in one line, however many there are. Collective.
void require_sight(bool sees) {
  auto* shared = static_cast<sight*>(pshmem_malloc(sizeof(sight)));
  if (shared == nullptr) give_up("the symmetric heap has no room for 64 bytes");
  *shared = {sees, ""};
  gethostname(shared->host, sizeof shared->host - 1);
  pshmem_barrier_all();
  for (int pe = 0; pe < pshmem_n_pes() && pshmem_my_pe() == 0; ++pe) {
    sight theirs{};
    pshmem_getmem(&theirs, shared, sizeof theirs, pe);
    if (theirs.sees == 0)
      give_up("PE " + std::to_string(pe) + " on " + theirs.host + " has no access to the shadow memory of PE 0 on " +
              shared->host + ": expected one machine, one container and one program for all PEs");
  }
  pshmem_barrier_all();
  pshmem_free(shared);
}

// False in a child made by fork(), and after the last shmem_finalize.
bool is_pe() {
  int initialized = 0;
  pshmem_query_initialized(&initialized);
  return initialized != 0;
}

// The detectors of all PEs end together, before the library. Where a program ends without shmem_finalize, the library
// finalises it later, so the detector of this PE ends here. A PE that fails does not wait for others. Races end the
// program with a status of its own, if it would end well.
void end_program(int status, void*) {
  if (status != 0) return;
  if (is_pe()) races_stop(0);
  if (!found_races) return;
  while (is_pe()) pshmem_finalize();
  std::fflush(nullptr);
  _exit(exit_status);
}

}  // namespace

void detector::find_peers() {
  peers_.clear();
  for (int pe = 0; pe < static_cast<int>(pes_); ++pe) {
    if (pe == static_cast<int>(me_)) continue;
    // The loader protects the first pages, which are then not shared. The distance of the last one is that of all.
    auto* last = reinterpret_cast<char*>(statics_.start + statics_.bytes - 4096);
    if (const void* p = pshmem_addr_accessible(last, pe) != 0 ? pshmem_ptr(last, pe) : nullptr)
      peers_.push_back({reinterpret_cast<std::uintptr_t>(p) + 4096 - statics_.bytes, statics_.bytes, 0, pe});
    if (const void* p = pshmem_ptr(reinterpret_cast<void*>(heap_.start), pe))
      peers_.push_back({reinterpret_cast<std::uintptr_t>(p), heap_.bytes, statics_.bytes, pe});
  }
  std::ranges::sort(peers_, {}, &peer_area::start);
}

bool detector::open_region() {
  auto* shared = static_cast<region::message*>(pshmem_malloc(sizeof(region::message)));
  if (shared == nullptr) give_up("the symmetric heap has no room for 24 bytes");
  heap_ = read_heap(reinterpret_cast<std::uintptr_t>(shared));
  bool well = true;
  region::message own{};
  if (me_ == 0) well = region_.create(pes_, statics_.bytes, heap_.bytes, own);
  *shared = own;
  pshmem_barrier_all();
  if (me_ != 0) {
    region::message first{};
    pshmem_getmem(&first, shared, sizeof first, 0);
    well = region_.open(pes_, statics_.bytes, heap_.bytes, first);
  }
  pshmem_barrier_all();
  pshmem_free(shared);
  return well;
}

void detector::start() {
  if (active_) return;
  if (const std::string wrong = read_settings(); !wrong.empty()) give_up(wrong);
  const int pes = pshmem_n_pes();
  if (pes > most_pes) give_up("a job has at most 128 PEs");
  me_ = static_cast<std::uint32_t>(pshmem_my_pe());
  if (me_ == 0 && !begin_report_file()) give_up("OSHEN_RACES_REPORT: cannot write " + chosen().report_file);
  pes_ = static_cast<std::uint32_t>(pes);
  dl_iterate_phdr(read_statics, &statics_);
  require_sight(open_region());
  begin_first_thread(pes_);
  find_code_of_libraries();
  clock_ = chosen().first_clock;
  tick();
  find_peers();
  static const int registered = on_exit(end_program, nullptr);
  static_cast<void>(registered);
  active_ = true;
  if (dlsym(RTLD_DEFAULT, "__kmpc_fork_call") != nullptr) count_threads_as_one();  // the OpenMP of LLVM
  watch();
  pshmem_barrier_all();
}

void detector::leave() {
  active_ = false;
  watch();
}

void detector::stop() {
  if (!active_) return;
  pshmem_barrier_all();
  leave();
  found_races = found_races || reports(*this) != 0;
  if (me_ == 0) report_end(*this);
  // oshrun ends the other PEs when the first one exits with its status, so the output is written before.
  if (found_races) std::fflush(nullptr);
  pshmem_barrier_all();
  region_.close();
  private_.clear();
}

}  // namespace races
