#include "transport/ofi/library.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bootstrap/mpi_in_process.hpp"
#include "os/mutex.hpp"

namespace oshen::transport::ofi {
namespace {

constinit library opened{};
constinit os::mutex opening;

template <class F>
bool find(void* from, const char* name, F& routine) {
  routine = reinterpret_cast<F>(dlsym(from, name));
  return routine != nullptr;
}

// Only the environment controls the buffers of `ofi_rxm`, and an MPI in the same process would read it too.
// By default it posts 4096 receives of 16 KiB and keeps 1024 sends of the same size, all initialised. This takes 89 MB
// and a third of the time to open, and no message is ever in a cache. Over verbs it would post them for each peer, unless
// they are shared. It asks the card for a completion queue of FI_UNIVERSE_SIZE times the entries of one peer. 256 times
// is more than some cards have. Operations in progress do not grow with the number of peers, because receives are shared
// and max_pending_ops limits the rest.
void ask_for_small_buffers() {
  if (bootstrap::mpi_is_loaded()) return;
  setenv("FI_OFI_RXM_USE_SRX", "1", 0);
  setenv("FI_UNIVERSE_SIZE", "16", 0);
  setenv("FI_OFI_RXM_MSG_RX_SIZE", "1024", 0);
  char room[16];
  snprintf(room, sizeof room, "%zu", room_for_message);
  setenv("FI_OFI_RXM_BUFFER_SIZE", room, 0);
}

}  // namespace

const library* open_library(char* why, std::size_t room) {
  os::locked hold(opening);
  if (opened.getinfo != nullptr) return &opened;
  void* from = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (from == nullptr) {
    snprintf(why, room, "libfabric.so.1 cannot be opened (%.120s); install libfabric1, or set LD_LIBRARY_PATH",
             dlerror());
    return nullptr;
  }
  library l{};
  if (find(from, "fi_getinfo", l.getinfo) && find(from, "fi_freeinfo", l.freeinfo) &&
      find(from, "fi_dupinfo", l.dupinfo) && find(from, "fi_fabric", l.fabric) &&
      find(from, "fi_strerror", l.strerror) && find(from, "fi_version", l.version)) {
    ask_for_small_buffers();
    opened = l;
    return &opened;
  }
  snprintf(why, room, "libfabric.so.1 lacks a routine: %.120s", dlerror());
  return nullptr;
}

}  // namespace oshen::transport::ofi
