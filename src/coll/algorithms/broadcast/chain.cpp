// A chain: each PE passes the message on to the next, chunk by chunk, so that all are busy at the same time.
#include "coll/algorithms/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr std::size_t chunk = 16 * 1024;  // stays in the first-level cache from one PE to the next

template <class Protocol>
struct chain {
  static constexpr schedule_words words{
      .name = "chain", .about = "chain: chunks of 16 KiB pass from PE to PE",
      .steps = "n - 2 + ceil(b / 16 KiB)", .traffic = "(n - 1) ceil(b / 16 KiB) messages; (n - 1) b",
      .paper = paper::pjesivac_grbovic};

  static double cost(const setting& s) {
    const double chunks = std::max(1.0, static_cast<double>(s.bytes) / static_cast<double>(chunk));
    const double steps = chunks + s.n_pes - 2;
    return protocol_cost<Protocol>(s, steps, steps / chunks);
  }

  static void run(const task& job, Protocol& protocol) {
    const places at(job);
    for (std::size_t done = 0; done < job.bytes(); done += chunk) {
      const std::size_t bytes = std::min(chunk, job.bytes() - done);
      if (at.mine != 0) protocol.receive(at.pe_at(at.mine - 1), 0, job.dest + done, bytes);
      if (at.mine + 1 < at.n) protocol.send(at.pe_at(at.mine + 1), 0, held(job) + done, job.dest + done, bytes);
    }
    fill_root(job);
  }
};

}  // namespace

constexpr algorithm chain_put_broadcast = row_of<chain, put_protocol>(kind::broadcast);
constexpr algorithm chain_message_broadcast = row_of<chain, message_protocol>(kind::broadcast);

}  // namespace oshen::coll
