// Schedules of broadcast over the protocols of coll/protocol.
#include <algorithm>

#include "coll/algorithms/virtual_ranks.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {
namespace {

// The message on this PE: in source on the root, in dest on the others, which forward it.
const char* held(const collective_call& call) { return call.members.my_pe == call.root ? call.source : call.dest; }

// Fills the root's own dest. If dest is source there is nothing to do, and peers may be reading it.
void fill_root(const collective_call& call) {
  if (call.members.my_pe == call.root && !call.root_keeps_dest && call.dest != call.source)
    memmove(call.dest, call.source, call.bytes());
}

}  // namespace

// ---- linear -------------------------------------------------------------------------------------------------
//
// The root sends to every PE directly.

namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_text text = linear_text<Protocol>(
      "the root sends to every PE directly", "1 flag and a sync; (n - 1) b bytes", "n - 1 messages; (n - 1) b bytes");

  // A root that writes does all the work. If its source is read, it does none.
  static double cost(const team_shape& s) {
    const double others = s.n_pes - 1;
    const double served = Protocol::protocol == protocol_kind::single_copy ? std::min(others, 1.0) : others;
    return protocol_cost<Protocol>(s, 1, served) + lines(s, others);
  }

  static void run(const collective_call& call, Protocol& protocol) {
    team& t = call.members;
    const bool is_root = t.my_pe == call.root;
    protocol.expose(is_root);
    if (!is_root)
      protocol.accept(call.root, call.source, call.dest, call.bytes());
    else
      for (const int pe : others(t)) protocol.deposit(pe, call.source, call.dest, call.bytes());
    fill_root(call);
  }
};

}  // namespace

constexpr protocol_variants linear_broadcast = variants_of<linear>(kind::broadcast);

// ---- binomial -----------------------------------------------------------------------------------------------
//
// A binomial tree: in each round every PE that has the message sends it to one more PE, so the number of PEs that have
// it doubles.

namespace {

template <class Protocol>
struct binomial {
  static constexpr schedule_text text{
      .name = "binomial",
      .about = "binomial tree: in each round every PE that has the message sends it to one more",
      .steps = "ceil(log2 n)",
      .traffic = "n - 1 messages; (n - 1) b bytes",
      .paper = paper::thakur};

  static double cost(const team_shape& s) { return logarithmic_cost<Protocol>(s); }

  static void run(const collective_call& call, Protocol& protocol) {
    send_down(call, virtual_ranks(call), held(call), protocol);
    fill_root(call);
  }
};

}  // namespace

constexpr protocol_variants binomial_broadcast = variants_of<binomial>(kind::broadcast);

// ---- knomial ------------------------------------------------------------------------------------------------
//
// A tree of radix 4: in each round every PE that has the message sends it to three more. It has fewer rounds than a
// binomial tree, and more messages in each. This is faster for messages so small that a PE sends several of them before
// the first has arrived.

namespace {

constexpr int radix = 4;

// Each child has a step of its own in each round.
int step_of(int round, int child) { return round * (radix - 1) + child - 1; }

template <class Protocol>
struct knomial {
  static constexpr schedule_text text{
      .name = "knomial",
      .about = "tree of radix 4: in each round every PE that has the message sends it to three more",
      .steps = "ceil(log4 n), of up to 3 messages each",
      .traffic = "n - 1 messages; (n - 1) b bytes",
      .paper = paper::pjesivac_grbovic};

  // The messages of a round overlap: a round takes the latency of one message, and the bytes of all.
  static double cost(const team_shape& s) {
    const int levels = (ceil_log2(static_cast<unsigned>(s.n_pes)) + 1) / 2;
    const double depth = levels;
    const double children = std::min(s.n_pes, radix) - 1;
    const double messages = depth * children;
    return protocol_cost<Protocol>(s, depth, messages) + 60 * messages;
  }

  static void run(const collective_call& call, Protocol& protocol) {
    const virtual_ranks at(call);
    int round = 0;
    int width = 1;  // the ranks in the subtree of each child of this round
    for (; width < at.n && at.mine / width % radix == 0; width *= radix) ++round;
    if (at.mine != 0) {
      const int child = at.mine / width % radix;
      protocol.receive(at.pe_at(at.mine - child * width), step_of(round, child), call.dest, call.bytes());
    }
    while (--round >= 0) {
      width /= radix;
      for (int child = 1; child < radix && at.mine + child * width < at.n; ++child)
        protocol.send(at.pe_at(at.mine + child * width), step_of(round, child), held(call), call.dest, call.bytes());
    }
    fill_root(call);
  }
};

}  // namespace

constexpr algorithm knomial_put_broadcast = variant_of<knomial, put_protocol>(kind::broadcast);
constexpr algorithm knomial_message_broadcast = variant_of<knomial, message_protocol>(kind::broadcast);

// ---- chain --------------------------------------------------------------------------------------------------
//
// A chain: each PE forwards the message to the next PE, chunk by chunk, so that all PEs work at the same time.

namespace {

constexpr std::size_t chunk = 16 * 1024;  // a chunk stays in the first-level cache from one PE to the next

// Sends a chunk, and does not wait for its bytes to leave if the protocol permits that.
template <class Protocol>
void pass_on(Protocol& protocol, int pe, const char* from, char* to, std::size_t bytes) {
  if constexpr (requires { &Protocol::start_send; })
    protocol.start_send(pe, 0, from, to, bytes);
  else
    protocol.send(pe, 0, from, to, bytes);
}

template <class Protocol>
struct chain {
  static constexpr schedule_text text{
      .name = "chain",
      .about = "chain: each PE forwards chunks of 16 KiB, or 128 KiB between nodes, to the next PE",
      .steps = "n - 2 + ceil(b / 16 KiB)",
      .traffic = "(n - 1) ceil(b / 16 KiB) messages; (n - 1) b bytes",
      .paper = paper::pjesivac_grbovic};

  static double cost(const team_shape& s) {
    const auto bytes = static_cast<double>(s.bytes);
    const double chunks = std::max(1.0, bytes / static_cast<double>(s.spans ? far_chunk : chunk));
    const double steps = chunks + s.n_pes - 2;
    if (s.spans) return flagged_network_cost(s, s.n_pes - 1, steps, steps / chunks * bytes);
    return protocol_cost<Protocol>(s, steps, steps / chunks);
  }

  static void run(const collective_call& call, Protocol& protocol) {
    const virtual_ranks at(call);
    const std::size_t most = call.members.spans ? far_chunk : chunk;
    for (std::size_t done = 0; done < call.bytes(); done += most) {
      const std::size_t bytes = std::min(most, call.bytes() - done);
      if (at.mine != 0) protocol.receive(at.pe_at(at.mine - 1), 0, call.dest + done, bytes);
      if (at.mine + 1 < at.n) pass_on(protocol, at.pe_at(at.mine + 1), held(call) + done, call.dest + done, bytes);
    }
    fill_root(call);
  }
};

}  // namespace

constexpr algorithm chain_put_broadcast = variant_of<chain, put_protocol>(kind::broadcast);
constexpr algorithm chain_message_broadcast = variant_of<chain, message_protocol>(kind::broadcast);

// ---- scatter allgather --------------------------------------------------------------------------------------
//
// Van de Geijn: a binomial tree scatters the message and a ring collects it again, so that every PE sends about as much
// as it receives. The ring omits the shares that a PE has received from the tree.

namespace {

constexpr int ring_step = 29;  // the steps below are for the tree

// The share of each virtual rank, and of `count` ranks from `first` on.
struct scattered_shares {
  const collective_call& call;

  std::size_t begin(int rank) const {
    return rank < call.members.n_pes ? aligned_share(call, rank).first * call.element_bytes : call.bytes();
  }
  std::size_t bytes(int first, int count) const { return begin(first + count) - begin(first); }
};

// The number of virtual ranks in the subtree of `rank`, including itself.
int below(int rank, int n) { return rank == 0 ? n : std::min(rank & -rank, n - rank); }

template <class Protocol>
void scatter(const collective_call& call, const virtual_ranks& at, const scattered_shares& shares, Protocol& protocol) {
  const binomial_tree tree(at);
  if (!tree.is_root())
    protocol.receive(at.pe_at(tree.parent()), tree.rounds, call.dest + shares.begin(at.mine),
                     shares.bytes(at.mine, below(at.mine, at.n)));
  for (int round = tree.rounds; --round >= 0;) {
    if (!tree.has_child(round)) continue;
    const int child = tree.child(round);
    const std::size_t begin = shares.begin(child);
    protocol.send(at.pe_at(child), round, held(call) + begin, call.dest + begin,
                  shares.bytes(child, below(child, at.n)));
  }
}

template <class Protocol>
struct scatter_allgather {
  static constexpr schedule_text text{
      .name = "scatter-allgather",
      .about = "van de Geijn: a binomial tree scatters the message, and a ring collects it",
      .steps = "ceil(log2 n) + n - 1",
      .traffic = "fewer than n^2 messages; (n - 1) b bytes",
      .paper = paper::barnett};

  static double cost(const team_shape& s) { return protocol_cost<Protocol>(s, rounds(s) + s.n_pes - 1, 2); }

  static void run(const collective_call& call, Protocol& protocol) {
    const virtual_ranks at(call);
    const scattered_shares shares{call};
    scatter(call, at, shares, protocol);
    const int next = (at.mine + 1) % at.n;
    const int before = (at.mine + at.n - 1) % at.n;
    for (int i = 0; i < at.n - 1; ++i) {
      const int given = (at.mine - i + at.n) % at.n;
      const int wanted = (before - i + at.n) % at.n;
      if (i < at.n - below(next, at.n))
        protocol.send(at.pe_at(next), ring_step, held(call) + shares.begin(given), call.dest + shares.begin(given),
                      shares.bytes(given, 1));
      if (i < at.n - below(at.mine, at.n))
        protocol.receive(at.pe_at(before), ring_step, call.dest + shares.begin(wanted), shares.bytes(wanted, 1));
    }
    fill_root(call);
  }
};

}  // namespace

constexpr protocol_variants scatter_allgather_broadcast = variants_of<scatter_allgather>(kind::broadcast);

}  // namespace oshen::coll
