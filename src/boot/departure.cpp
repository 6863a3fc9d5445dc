#include "boot/departure.hpp"

#include "boot/mpi_in_process.hpp"
#include "os/mutex.hpp"
#include "os/process.hpp"

namespace oshen::boot {
namespace {

constinit directory* open_sessions[2] = {};  // a PMI-1 and a PMIx, where launchers are nested
// the end comes from the program and from the hub at once; both wait for it
constinit os::mutex closing;

void close_sessions(bool of_mpi_too) {
  os::locked hold(closing);
  for (directory*& session : open_sessions) {
    if (session == nullptr || (!of_mpi_too && !session->counts_users)) continue;
    session->finish();
    session = nullptr;
  }
}

int owner_pid = 0;  // a child made by fork() ends too

}  // namespace

void close_at_end(directory& launcher) {
  owner_pid = os::own_pid();
  for (directory*& session : open_sessions) {
    if (session == &launcher) return;
    if (session != nullptr) continue;
    session = &launcher;
    break;
  }
}

void end_well() {
  if (owner_pid == os::own_pid()) close_sessions(!mpi_was_initialised());
}

void announce_departure() {
  if (!mpi_is_loaded()) close_sessions(true);
}

}  // namespace oshen::boot
