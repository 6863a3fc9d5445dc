// What the strategies by MPI have in common: a communicator for each list of PEs, and for each plan
// its messages.
#pragma once

#include <mpi.h>

#include <vector>

#include "../parcels.hpp"
#include "../run.hpp"
#include "../stopwatch.hpp"

namespace oshen::exchange {

struct mpi_messages {
  MPI_Comm comm;
  int tag;                             // of this plan
  std::vector<MPI_Request> receiving;  // of each parcel; null when it is here
  std::vector<MPI_Request> sending;
  int come = MPI_UNDEFINED;  // a parcel that wait() has found
};

extern const strategy mpi, mpi_isend, mpi_alltoallv;

mpi_messages& messages_of(const oshen_plan& plan);

// The communicator outlives the plan: to free one is collective, to destroy a plan is not.
oshen_status_t open_messages(oshen_plan& plan);
void close_messages(oshen_plan& plan);
// What all three rows have.
consteval strategy by_messages(strategy row) {
  row.needs = need_receive_staging;
  row.open = open_messages;
  row.close = close_messages;
  return row;
}

int length(const parcel& p);

void post_receives(oshen_plan& plan);
// Packs into the parcel's own part of the staging memory.
std::byte* pack_at_home(oshen_plan& plan, outgoing& p);
// Unpacks one that has come; false when none has.
bool take_message(oshen_plan& plan);
// Waits for one, and leaves it to take_message.
void wait_for_message(oshen_plan& plan);

}  // namespace oshen::exchange
