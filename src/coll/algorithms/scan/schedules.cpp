// Schedules of inscan and exscan over the protocols of coll/protocol. Each leaves inclusive sums in dest. An exclusive
// scan then shifts them by one PE.
//
// A schedule is a template over the protocol. It has the texts for both scans, the number of messages in sequence for
// which a PE waits, and the copies of the vector per message. `run(call, protocol)` finds the source in dest.
#include "coll/algorithms/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int shift_step = 29;

// Every PE gets the dest of the PE before it. PE 0 gets zero bits, which are zero in every type of a scan.
template <class Protocol>
void shift(const collective_call& call) {
  const team& t = call.members;
  collective_call moving = call;
  // Data from a lower PE is the left operand. This function leaves it unchanged, as the result.
  moving.combine = [](void*, const void*, std::size_t) {};
  Protocol protocol(moving);
  protocol.exchange_in_place(shift_step, t.my_pe + 1 < t.n_pes ? t.my_pe + 1 : -1, t.my_pe - 1, call.dest,
                             call.elements);
  protocol.settle();
  if (t.my_pe == 0) memset(call.dest, 0, call.bytes());
}

template <class Schedule, class Protocol, bool inclusive>
struct scan {
  static constexpr schedule_text text = inclusive ? Schedule::inclusive : Schedule::exclusive;

  static double cost(const team_shape& s) {
    const double messages = Schedule::messages(s);
    return protocol_cost<Protocol>(s, messages + (inclusive ? 0 : 1), Schedule::copies * messages);
  }

  static void run(const collective_call& call, Protocol& protocol) {
    source_to_dest(call);
    Schedule::run(call, protocol);
    if constexpr (inclusive) return;
    protocol.settle();
    shift<Protocol>(call);
  }
};

template <template <class> class Schedule, bool inclusive>
consteval protocol_variants scan_variants() {
  constexpr kind collective = inclusive ? kind::inscan : kind::exscan;
  return {variant_of<scan<Schedule<put_protocol>, put_protocol, inclusive>, put_protocol>(collective),
          variant_of<scan<Schedule<message_protocol>, message_protocol, inclusive>, message_protocol>(collective),
          variant_of<scan<Schedule<pull_protocol>, pull_protocol, inclusive>, pull_protocol>(collective)};
}

}  // namespace

// ---- linear -------------------------------------------------------------------------------------------------
//
// Linear: each PE adds the sum of the PE before it, and sends the result to the next PE.

namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_text inclusive{
      .name = "linear",
      .about = "each PE adds the sum of the PE before it and sends the result to the next PE",
      .steps = "n - 1",
      .traffic = "n - 1 messages; (n - 1) b bytes"};
  static constexpr schedule_text exclusive = inclusive.with("n", "2 (n - 1) messages; 2 (n - 1) b bytes");
  static constexpr double copies = 2;
  static double messages(const team_shape& s) { return s.n_pes - 1; }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    if (t.my_pe > 0) protocol.exchange(0, {}, {t.my_pe - 1, call.dest, call.elements});
    if (t.my_pe + 1 < t.n_pes) protocol.exchange(0, {t.my_pe + 1, call.dest, call.elements}, {});
  }
};

}  // namespace

constexpr protocol_variants linear_inscan = scan_variants<linear, true>();
constexpr protocol_variants linear_exscan = scan_variants<linear, false>();

// ---- hillis steele ------------------------------------------------------------------------------------------
//
// Hillis and Steele: in round r each PE adds the sum that the PE 2^r before it had at the start of the round.

namespace {

template <class Protocol>
struct hillis_steele {
  static constexpr schedule_text inclusive{.name = "hillis-steele",
                                           .about = "in round r each PE adds the sum of the PE 2^r before it",
                                           .steps = "ceil(log2 n)",
                                           .traffic = "n - 2^r messages in round r; b bytes in each",
                                           .paper = paper::hillis};
  static constexpr schedule_text exclusive =
      inclusive.with("ceil(log2 n) + 1", "n - 2^r messages in round r, and n - 1 at the end; b bytes in each");
  static constexpr double copies = 4;
  static double messages(const team_shape& s) { return rounds(s); }

  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    for (int round = 0; 1 << round < t.n_pes; ++round) {
      const int to = t.my_pe + (1 << round), from = t.my_pe - (1 << round);
      protocol.exchange_in_place(round, to < t.n_pes ? to : -1, from >= 0 ? from : -1, call.dest, call.elements);
    }
  }
};

}  // namespace

constexpr protocol_variants hillis_steele_inscan = scan_variants<hillis_steele, true>();
constexpr protocol_variants hillis_steele_exscan = scan_variants<hillis_steele, false>();

// ---- blelloch -----------------------------------------------------------------------------------------------
//
// Blelloch: sums travel up and down a tree. On the way up the last PE of each block of 2^(r+1) PEs gets the sum of the
// block. On the way down it sends its sum to the PE half a block after it. This takes fewer messages than the schedule
// of Hillis and Steele, and twice the steps.

namespace {

constexpr int down = 14;  // the steps below are for the way up

// The last PE of a block of 2^(round + 1).
bool is_last(int pe, int round) { return (pe + 1) % (2 << round) == 0; }

template <class Protocol>
struct blelloch {
  static constexpr schedule_text inclusive{
      .name = "blelloch",
      .about = "sums travel up and down a tree, with few messages and twice the steps",
      .steps = "2 ceil(log2 n) - 1",
      .traffic = "fewer than 2 n messages; fewer than 2 n b bytes",
      .paper = paper::blelloch};
  static constexpr schedule_text exclusive =
      inclusive.with("2 ceil(log2 n)", "fewer than 3 n messages; fewer than 3 n b bytes");
  static constexpr double copies = 2;
  static double messages(const team_shape& s) { return s.n_pes < 2 ? 0 : 2 * rounds(s) - 1; }

  // With pull, PEs read partial sums in place. The protocol settles before the way down changes these sums.
  static void run(const collective_call& call, Protocol& protocol) {
    const team& t = call.members;
    int rounds = 0;
    for (; 1 << rounds < t.n_pes; ++rounds) {
      const int half = 1 << rounds;
      if (is_last(t.my_pe, rounds))
        protocol.exchange(rounds, {}, {t.my_pe - half, call.dest, call.elements});
      else if (t.my_pe + half < t.n_pes && is_last(t.my_pe + half, rounds))
        protocol.exchange(rounds, {t.my_pe + half, call.dest, call.elements}, {});
    }
    protocol.settle();
    while (--rounds >= 0) {
      const int half = 1 << rounds;
      if (is_last(t.my_pe, rounds) && t.my_pe + half < t.n_pes)
        protocol.exchange(down + rounds, {t.my_pe + half, call.dest, call.elements}, {});
      else if (t.my_pe >= half && is_last(t.my_pe - half, rounds))
        protocol.exchange(down + rounds, {}, {t.my_pe - half, call.dest, call.elements});
    }
  }
};

}  // namespace

constexpr protocol_variants blelloch_inscan = scan_variants<blelloch, true>();
constexpr protocol_variants blelloch_exscan = scan_variants<blelloch, false>();

}  // namespace oshen::coll
