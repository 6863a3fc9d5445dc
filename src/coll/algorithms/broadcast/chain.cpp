// A chain: each PE passes the message on to the next, chunk by chunk, so that all are busy at the same time.
#include "coll/algorithms/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr std::size_t chunk = 16 * 1024;  // stays in the first-level cache from one PE to the next

// Without waiting for the bytes to leave, where that is possible.
template <class Protocol>
void pass_on(Protocol& protocol, int pe, const char* from, char* to, std::size_t bytes) {
  if constexpr (requires { &Protocol::start_send; }) protocol.start_send(pe, 0, from, to, bytes);
  else protocol.send(pe, 0, from, to, bytes);
}

template <class Protocol>
struct chain {
  static constexpr schedule_words words{
      .name = "chain", .about = "chain: chunks of 16 KiB, of 128 between nodes, pass from PE to PE",
      .steps = "n - 2 + ceil(b / 16 KiB)", .traffic = "(n - 1) ceil(b / 16 KiB) messages; (n - 1) b",
      .paper = paper::pjesivac_grbovic};

  static double cost(const setting& s) {
    const auto bytes = static_cast<double>(s.bytes);
    const double chunks = std::max(1.0, bytes / static_cast<double>(s.spans ? far_piece : chunk));
    const double steps = chunks + s.n_pes - 2;
    if (s.spans && s.workspace)
      return flagged_across(s, s.n_pes - 1, steps, steps / chunks * bytes);
    return protocol_cost<Protocol>(s, steps, steps / chunks);
  }

  static void run(const task& job, Protocol& protocol) {
    const places at(job);
    const std::size_t most = job.members.spans ? far_piece : chunk;
    for (std::size_t done = 0; done < job.bytes(); done += most) {
      const std::size_t bytes = std::min(most, job.bytes() - done);
      if (at.mine != 0) protocol.receive(at.pe_at(at.mine - 1), 0, job.dest + done, bytes);
      if (at.mine + 1 < at.n) pass_on(protocol, at.pe_at(at.mine + 1), held(job) + done, job.dest + done, bytes);
    }
    fill_root(job);
  }
};

}  // namespace

constexpr algorithm chain_put_broadcast = row_of<chain, put_protocol>(kind::broadcast);
constexpr algorithm chain_message_broadcast = row_of<chain, message_protocol>(kind::broadcast);

}  // namespace oshen::coll
