#include "transport/ofi/library.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bootstrap/mpi_in_process.hpp"
#include "os/mutex.hpp"
#include "transport/network_rank.hpp"

namespace oshen::transport::ofi {
namespace {

constinit library opened{};
constinit os::mutex opening;

template <class F>
bool find(void* from, const char* name, F& routine) {
  routine = reinterpret_cast<F>(dlsym(from, name));
  return routine != nullptr;
}

constexpr std::size_t shared_receives = 1024;   // for all peers
constexpr std::size_t receives_for_peer = 256;  // a sender that finds no free receive must try again
constexpr int most_universe = 256;              // libfabric's own default

void set_default(const char* name, std::size_t value) {
  char text[24];
  snprintf(text, sizeof text, "%zu", value);
  setenv(name, text, 0);
}

// Only the environment controls the buffers of providers, and an MPI in the same process would read it too. So there
// only the number of processes is told, which is that of the MPI as well.
//
// By default `ofi_rxm` over TCP posts 4096 receives of 16 KiB and keeps 1024 sends of the same size, all initialised.
// This takes 89 MB and a third of the time to open, and no message is ever in a cache. Over verbs it posts receives for
// each peer, and asks the card for a queue with room for the receives of FI_UNIVERSE_SIZE peers. Cards refuse long
// queues. Receives that peers share (FI_OFI_RXM_USE_SRX) need less memory, but old versions then lose data
// (ofiwg/libfabric#9336). `tcp` of newer versions (1.21 was tried) has a variable of its own.
void ask_for_small_buffers(int n_pes) {
  set_default("FI_UNIVERSE_SIZE", static_cast<std::size_t>(n_pes < most_universe ? n_pes : most_universe));
  if (bootstrap::mpi_is_loaded()) return;
  set_default("FI_OFI_RXM_MSG_RX_SIZE", has_rdma_device() ? receives_for_peer : shared_receives);
  set_default("FI_OFI_RXM_BUFFER_SIZE", room_for_message);
  set_default("FI_TCP_MAX_RX_SIZE", room_for_message);
}

}  // namespace

const library* open_library(int n_pes, char* why, std::size_t room) {
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
    ask_for_small_buffers(n_pes);
    opened = l;
    return &opened;
  }
  snprintf(why, room, "libfabric.so.1 lacks a routine: %.120s", dlerror());
  return nullptr;
}

}  // namespace oshen::transport::ofi
