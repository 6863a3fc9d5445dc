// MPI with sends that do not block, so that no peer is waited for before all have been served.
//
// Memory: private, a place for each parcel that comes or goes. Messages: one per peer. Copies of a
// byte: 2 (pack, unpack) and what MPI needs, on a node 1 (read from the sender) or 2.
#include "messages.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  mpi_messages& m = messages_of(plan);
  post_receives(plan);
  for (std::size_t i = 0; i < plan.sends.size(); i++) {
    outgoing& p = plan.sends[i];
    MPI_Isend(pack_at_home(plan, p), length(p), MPI_BYTE, p.peer, m.tag, m.comm, &m.sending[i]);
  }
}

bool all_gone(const oshen_plan& plan) {
  for (const MPI_Request& r : messages_of(plan).sending) {
    if (r != MPI_REQUEST_NULL) return false;
  }
  return true;
}

bool advance(oshen_plan& plan) {
  if (plan.expected != 0) return take_message(plan);
  if (all_gone(plan)) return false;
  auto& sending = messages_of(plan).sending;
  int gone = 0;
  MPI_Testall(static_cast<int>(sending.size()), sending.data(), &gone, MPI_STATUSES_IGNORE);
  return gone != 0;
}

void wait(oshen_plan& plan) {
  if (plan.expected != 0) return wait_for_message(plan);
  auto& sending = messages_of(plan).sending;
  MPI_Waitall(static_cast<int>(sending.size()), sending.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

constinit const strategy mpi_isend = by_messages({
    .name = "mpi_isend", .about = "MPI: Irecv, pack, Isend, Waitany, unpack, Waitall",
    .start = start, .advance = advance, .over = all_gone, .wait = wait,
});

}  // namespace oshen::exchange
