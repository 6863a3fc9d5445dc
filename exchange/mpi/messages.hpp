// Common parts of the MPI strategies: a communicator for each list of PEs, and the requests of each plan.
#pragma once

#include <mpi.h>

#include <vector>

#include "exchange/run/parcels.hpp"
#include "exchange/run/run.hpp"
#include "trials/stopwatch.hpp"

namespace oshen::exchange {

struct mpi_messages {
  MPI_Comm comm;
  int tag;                             // of this plan
  std::vector<MPI_Request> receiving;  // of each parcel; null after it has arrived
  std::vector<MPI_Request> sending;
  int found = MPI_UNDEFINED;  // a parcel that wait() has found
};

extern const strategy mpi, mpi_isend, mpi_alltoallv;

mpi_messages& messages_of(const oshen_plan& plan);

// The communicator outlives the plan: freeing it is collective, destroying a plan is not.
oshen_status_t open_messages(oshen_plan& plan);
void close_messages(oshen_plan& plan);
// The fields that all MPI strategies share.
consteval strategy with_mpi_defaults(strategy row) {
  row.needs = need_receive_staging;
  row.open = open_messages;
  row.close = close_messages;
  return row;
}

int length(const parcel& p);

void post_receives(oshen_plan& plan);
// Packs into the parcel's own part of the staging memory.
std::byte* pack_into_staging(oshen_plan& plan, outgoing& p);
// Unpacks a parcel that has arrived. Returns false if there is none.
bool receive_message(oshen_plan& plan);
// Waits for a parcel and leaves it to receive_message().
void wait_for_message(oshen_plan& plan);

}  // namespace oshen::exchange
