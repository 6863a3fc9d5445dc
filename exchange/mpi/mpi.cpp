// MPI as LAMMPS uses it: receives posted first, then for each peer pack and a blocking send, then
// unpack in order of arrival. The next run needs nothing more: MPI matches messages in order.
//
// Memory: private, a place for each parcel that comes or goes. Messages: one per peer. Copies of a
// byte: 2 (pack, unpack) and what MPI needs, on a node 1 (read from the sender) or 2.
#include "messages.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  const mpi_messages& m = messages_of(plan);
  post_receives(plan);
  for (auto& p : plan.sends)
    MPI_Send(pack_at_home(plan, p), length(p), MPI_BYTE, p.peer, m.tag, m.comm);
}

}  // namespace

constinit const strategy mpi = by_messages({
    .name = "mpi", .about = "MPI: Irecv, pack, Send, Waitany, unpack",
    .start = start, .advance = take_message, .wait = wait_for_message,
});

}  // namespace oshen::exchange
