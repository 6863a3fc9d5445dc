#include "exchange/mpi/messages.hpp"

#include <climits>
#include <memory>

#include "exchange/strategies/table.hpp"
#include "oshen/exchange_mpi.h"

namespace oshen::exchange {
namespace {

// One communicator for each list of PEs.
struct communicator {
  std::vector<int> ranks;
  MPI_Comm comm;
  int next_tag;
};

MPI_Comm world = MPI_COMM_NULL;
std::vector<communicator> communicators;

communicator* communicator_of(const oshen_group& group) {
  std::vector<int> ranks;
  for (const auto& m : group.members) ranks.push_back(m.pe);
  for (auto& known : communicators) {
    if (known.ranks == ranks) return &known;
  }
  MPI_Group everybody = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_group(world, &everybody);
  MPI_Group_incl(everybody, group.size(), ranks.data(), &some);
  MPI_Comm_create_group(world, some, 0, &comm);
  MPI_Group_free(&some);
  MPI_Group_free(&everybody);
  communicators.push_back({std::move(ranks), comm, 0});
  return &communicators.back();
}

// In MPI, lengths and displacements are ints.
bool fits(const oshen_plan& plan) {
  std::size_t bytes = 0;
  for (const auto& p : plan.sends) bytes += aligned(p.bytes);
  for (const auto& p : plan.receives) bytes += aligned(p.bytes);
  return bytes + aligned(plan.own_send.bytes) <= static_cast<std::size_t>(INT_MAX);
}

}  // namespace

mpi_messages& messages_of(const oshen_plan& plan) { return *static_cast<mpi_messages*>(plan.strategy_state); }

oshen_status_t open_messages(oshen_plan& plan) {
  if (world == MPI_COMM_NULL) return OSHEN_UNSUPPORTED;
  communicator* c = communicator_of(*plan.group);
  constexpr int tags = 32768;  // the least that MPI guarantees
  c->next_tag = (c->next_tag + 1) % tags;
  auto made = std::make_unique<mpi_messages>();
  made->comm = c->comm;
  made->tag = c->next_tag;
  made->receiving.assign(plan.receives.size(), MPI_REQUEST_NULL);
  made->sending.assign(plan.sends.size(), MPI_REQUEST_NULL);
  plan.strategy_state = made.release();
  return fits(plan) ? OSHEN_OK : OSHEN_UNSUPPORTED;
}

void close_messages(oshen_plan& plan) {
  delete static_cast<mpi_messages*>(plan.strategy_state);
  plan.strategy_state = nullptr;
}

int length(const parcel& p) { return static_cast<int>(p.bytes); }

void post_receives(oshen_plan& plan) {
  mpi_messages& m = messages_of(plan);
  for (std::size_t i = 0; i < plan.receives.size(); i++) {
    const incoming& p = plan.receives[i];
    MPI_Irecv(staging_of(plan, p), length(p), MPI_BYTE, p.peer, m.tag, m.comm, &m.receiving[i]);
  }
}

std::byte* pack_into_staging(oshen_plan& plan, outgoing& p) {
  const trials::stopwatch timed(plan.stats.pack_seconds);
  pack_parcel(plan, p, staging_of(plan, p));
  mark_sent(plan, p);
  return staging_of(plan, p);
}

bool receive_message(oshen_plan& plan) {
  if (plan.expected == 0) return false;
  mpi_messages& m = messages_of(plan);
  int index = m.found, flag = 1;
  m.found = MPI_UNDEFINED;
  if (index == MPI_UNDEFINED) {
    MPI_Testany(static_cast<int>(m.receiving.size()), m.receiving.data(), &index, &flag, MPI_STATUS_IGNORE);
  }
  if (flag == 0 || index == MPI_UNDEFINED) return false;
  const trials::stopwatch timed(plan.stats.unpack_seconds);
  incoming& p = plan.receives[static_cast<std::size_t>(index)];
  unpack_parcel(plan, p, staging_of(plan, p));
  mark_arrived(plan, p);
  return true;
}

void wait_for_message(oshen_plan& plan) {
  mpi_messages& m = messages_of(plan);
  const double before = trials::stopwatch::now();
  MPI_Waitany(static_cast<int>(m.receiving.size()), m.receiving.data(), &m.found, MPI_STATUS_IGNORE);
  if (m.found == MPI_UNDEFINED) return;
  lateness& late = plan.late[plan.receives[static_cast<std::size_t>(m.found)].flag];
  late.runs++;
  late.seconds += trials::stopwatch::now() - before;
}

}  // namespace oshen::exchange

int oshen_exchange_use_mpi(MPI_Comm everybody) {
  using namespace oshen::exchange;
  world = everybody;
  return add_strategy(mpi) && add_strategy(mpi_isend) && add_strategy(mpi_alltoallv) ? 1 : 0;
}

void oshen_exchange_leave_mpi() {
  using namespace oshen::exchange;
  for (auto& c : communicators) MPI_Comm_free(&c.comm);
  communicators.clear();
  world = MPI_COMM_NULL;
}
