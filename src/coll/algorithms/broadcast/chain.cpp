// A chain: each PE passes the message on to the next, chunk by chunk, so that all are busy at the same time.
#include "coll/algorithms/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr std::size_t chunk = 16 * 1024;  // stays in the first-level cache from one PE to the next

template <class Protocol>
void run_chain(const task& job) {
  const places at(job);
  Protocol protocol(job);
  for (std::size_t done = 0; done < job.bytes(); done += chunk) {
    const std::size_t bytes = std::min(chunk, job.bytes() - done);
    if (at.mine != 0) protocol.receive(at.pe_at(at.mine - 1), 0, job.dest + done, bytes);
    if (at.mine + 1 < at.n) protocol.send(at.pe_at(at.mine + 1), 0, held(job) + done, job.dest + done, bytes);
  }
  fill_root(job);
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  const double chunks = std::max(1.0, static_cast<double>(s.bytes) / static_cast<double>(chunk));
  const double steps = chunks + s.n_pes - 2;
  return protocol_cost<Protocol>(s, steps, static_cast<double>(s.bytes) * steps / chunks);
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::broadcast,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "chain: chunks of 16 KiB pass from PE to PE",
          .needs = "a workspace",
          .steps = "n - 2 + ceil(b / 16 KiB)",
          .traffic = "(n - 1) ceil(b / 16 KiB) messages; (n - 1) b",
          .paper = "Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, "
                   "Cluster Computing 10(2), 2007, doi:10.1007/s10586-007-0012-0",
          .cost = cost<Protocol>,
          .run = run_chain<Protocol>};
}

}  // namespace

constexpr algorithm chain_put_broadcast = row<put_protocol>("chain-put");
constexpr algorithm chain_message_broadcast = row<message_protocol>("chain-message");
constexpr algorithm chain_pull_broadcast = row<pull_protocol>("chain-pull");

}  // namespace oshen::coll
