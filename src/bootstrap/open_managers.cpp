#include "bootstrap/open_managers.hpp"

#include "bootstrap/mpi_in_process.hpp"
#include "os/mutex.hpp"
#include "os/process.hpp"

namespace oshen::bootstrap {
namespace {

constinit process_manager* open_managers[2] = {};  // under nested launchers: one of PMI-1 and one of PMIx
// A thread of the program and the hub client may finish the managers at the same time; both return when that is done.
constinit os::mutex finishing;

void finish_all(bool of_mpi_too) {
  os::locked hold(finishing);
  for (process_manager*& open : open_managers) {
    if (open == nullptr || (!of_mpi_too && !open->counts_users)) continue;
    open->finish();
    open = nullptr;
  }
}

int owner_pid = 0;  // a child made by fork() must not finish its parent's managers

}  // namespace

void register_manager(process_manager& manager) {
  owner_pid = os::own_pid();
  for (process_manager*& open : open_managers) {
    if (open == &manager) return;
    if (open != nullptr) continue;
    open = &manager;
    break;
  }
}

void finish_managers_at_exit() {
  if (owner_pid == os::own_pid()) finish_all(!mpi_was_initialised());
}

void finish_managers() {
  if (!mpi_is_loaded()) finish_all(true);
}

}  // namespace oshen::bootstrap
