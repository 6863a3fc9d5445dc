// MPI_Alltoallv, as LAMMPS with `collective yes`: one call for all peers; the start waits for them.
//
// Memory: private, a place for each parcel that comes or goes. Messages: MPI's. Copies of a byte: 2
// (pack, unpack) and what MPI needs, on a node 1 (read from the sender) or 2.
#include "messages.hpp"

namespace oshen::exchange {
namespace {

struct side {
  std::vector<int> lengths, places;

  template <class Parcel>
  side(const oshen_plan& plan, const std::vector<Parcel>& parcels)
      : lengths(plan.group->members.size()), places(plan.group->members.size()) {
    for (const auto& p : parcels) {
      lengths[static_cast<std::size_t>(p.peer)] = length(p);
      places[static_cast<std::size_t>(p.peer)] = static_cast<int>(p.staged);
    }
  }
};

void start(oshen_plan& plan) {
  for (auto& p : plan.sends) pack_at_home(plan, p);
  const side out(plan, plan.sends), in(plan, plan.receives);
  const stopwatch timed(plan.stats.wait_seconds);
  MPI_Alltoallv(plan.staging.get(), out.lengths.data(), out.places.data(), MPI_BYTE,
                plan.staging.get(), in.lengths.data(), in.places.data(), MPI_BYTE,
                messages_of(plan).comm);
}

bool advance(oshen_plan& plan) {
  if (plan.expected == 0) return false;
  const stopwatch timed(plan.stats.unpack_seconds);
  for (auto& p : plan.receives) {
    unpack_parcel(plan, p, staged(plan, p));
    is_here(plan, p);
  }
  return true;
}

}  // namespace

constinit const strategy mpi_alltoallv = by_messages({
    .name = "mpi_alltoallv", .about = "MPI: pack everything, one Alltoallv, unpack everything",
    .start = start, .advance = advance,
});

}  // namespace oshen::exchange
