// The MPI strategies. The next run needs no synchronisation, because MPI matches messages in order.
//
// Memory: private, one buffer for each parcel sent or received. Copies of a byte: 2 (pack, unpack) and those of MPI,
// on a node 1 (read from the sender) or 2.
#include "exchange/mpi/messages.hpp"

namespace oshen::exchange {
namespace {

// ---- mpi: the sequence that LAMMPS uses. Receives are posted first; then each parcel is packed and sent with a
// blocking send; parcels are unpacked in order of arrival. One message per peer.

void mpi_start(oshen_plan& plan) {
  const mpi_messages& m = messages_of(plan);
  post_receives(plan);
  for (auto& p : plan.sends) MPI_Send(pack_into_staging(plan, p), length(p), MPI_BYTE, p.peer, m.tag, m.comm);
}

// ---- mpi_isend: the same with non-blocking sends, so that one slow peer does not delay the sends to others.

void isend_start(oshen_plan& plan) {
  mpi_messages& m = messages_of(plan);
  post_receives(plan);
  for (std::size_t i = 0; i < plan.sends.size(); i++) {
    outgoing& p = plan.sends[i];
    MPI_Isend(pack_into_staging(plan, p), length(p), MPI_BYTE, p.peer, m.tag, m.comm, &m.sending[i]);
  }
}

bool all_gone(const oshen_plan& plan) {
  for (const MPI_Request& r : messages_of(plan).sending) {
    if (r != MPI_REQUEST_NULL) return false;
  }
  return true;
}

bool isend_advance(oshen_plan& plan) {
  if (plan.expected != 0) return receive_message(plan);
  if (all_gone(plan)) return false;
  auto& sending = messages_of(plan).sending;
  int gone = 0;
  MPI_Testall(static_cast<int>(sending.size()), sending.data(), &gone, MPI_STATUSES_IGNORE);
  return gone != 0;
}

void isend_wait(oshen_plan& plan) {
  if (plan.expected != 0) return wait_for_message(plan);
  auto& sending = messages_of(plan).sending;
  MPI_Waitall(static_cast<int>(sending.size()), sending.data(), MPI_STATUSES_IGNORE);
}

// ---- mpi_alltoallv: LAMMPS with `collective yes`. One call serves all peers, and the start waits for them.

struct side {
  std::vector<int> lengths, places;

  template <class Parcel>
  side(const oshen_plan& plan, const std::vector<Parcel>& parcels)
      : lengths(plan.group->members.size()), places(plan.group->members.size()) {
    for (const auto& p : parcels) {
      lengths[static_cast<std::size_t>(p.peer)] = length(p);
      places[static_cast<std::size_t>(p.peer)] = static_cast<int>(p.staging_offset);
    }
  }
};

void alltoallv_start(oshen_plan& plan) {
  for (auto& p : plan.sends) pack_into_staging(plan, p);
  const side out(plan, plan.sends), in(plan, plan.receives);
  const trials::stopwatch timed(plan.stats.wait_seconds);
  MPI_Alltoallv(plan.staging.get(), out.lengths.data(), out.places.data(), MPI_BYTE, plan.staging.get(),
                in.lengths.data(), in.places.data(), MPI_BYTE, messages_of(plan).comm);
}

bool alltoallv_advance(oshen_plan& plan) {
  if (plan.expected == 0) return false;
  const trials::stopwatch timed(plan.stats.unpack_seconds);
  for (auto& p : plan.receives) {
    unpack_parcel(plan, p, staging_of(plan, p));
    mark_arrived(plan, p);
  }
  return true;
}

}  // namespace

constinit const strategy mpi = with_mpi_defaults({
    .name = "mpi",
    .about = "MPI: Irecv, pack, Send, Waitany, unpack",
    .start = mpi_start,
    .advance = receive_message,
    .wait = wait_for_message,
});

constinit const strategy mpi_isend = with_mpi_defaults({
    .name = "mpi_isend",
    .about = "MPI: Irecv, pack, Isend, Waitany, unpack, Waitall",
    .start = isend_start,
    .advance = isend_advance,
    .finished = all_gone,
    .wait = isend_wait,
});

constinit const strategy mpi_alltoallv = with_mpi_defaults({
    .name = "mpi_alltoallv",
    .about = "MPI: pack everything, one Alltoallv, unpack everything",
    .start = alltoallv_start,
    .advance = alltoallv_advance,
});

}  // namespace oshen::exchange
