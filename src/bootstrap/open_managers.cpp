#include "bootstrap/sessions.hpp"

#include "bootstrap/mpi_in_process.hpp"
#include "os/mutex.hpp"
#include "os/process.hpp"

namespace oshen::bootstrap {
namespace {

constinit process_manager* open_sessions[2] = {};  // under nested launchers: one of PMI-1 and one of PMIx
// A thread of the program and the hub client may close the sessions at the same time; both return when that is done.
constinit os::mutex closing;

void close_all(bool of_mpi_too) {
  os::locked hold(closing);
  for (process_manager*& session : open_sessions) {
    if (session == nullptr || (!of_mpi_too && !session->counts_users)) continue;
    session->finish();
    session = nullptr;
  }
}

int owner_pid = 0;  // a child made by fork() must not close its parent's sessions

}  // namespace

void register_session(process_manager& manager) {
  owner_pid = os::own_pid();
  for (process_manager*& session : open_sessions) {
    if (session == &manager) return;
    if (session != nullptr) continue;
    session = &manager;
    break;
  }
}

void close_sessions_at_exit() {
  if (owner_pid == os::own_pid()) close_all(!mpi_was_initialised());
}

void close_sessions() {
  if (!mpi_is_loaded()) close_all(true);
}

}  // namespace oshen::bootstrap
