// Ring: the vector is divided into n shares, which travel round the team and are combined on the way. Then the
// finished shares travel round once more. Every PE communicates only with its neighbours, and all PEs work all the
// time.
//
// Between nodes the operands travel in chunks (coll/protocol/operand_stream.hpp): several are under way while others
// are combined. Two PEs send each other the whole vector if it is short, which takes the same number of bytes and one
// step. A long one they divide, because then each of them combines half of it.
#include "coll/algorithms/reduce/schedule.hpp"
#include "coll/protocol/operand_stream.hpp"

namespace oshen::coll {
namespace {

bool goes_whole(int n_pes, std::size_t bytes) { return n_pes == 2 && bytes <= operand_chunk_bytes; }

class ring_of_streams {
 public:
  ring_of_streams(const collective_call& call, put_protocol& protocol)
      : call_(call),
        t_(call.members),
        protocol_(protocol),
        operands_(call),
        rounds_(t_.n_pes - 1),
        grain_(operand_chunk_bytes / call.element_bytes),
        chunks_((longest_share() + grain_ - 1) / grain_) {}

  // Every PE sends and receives the same chunks in the same order, and sends at most `ahead` chunks more than it has
  // received. A PE that waits for room or for a chunk thus waits for an operation of its neighbour that is earlier in
  // this order. So the PE that is furthest behind can always continue, and there is no deadlock.
  //
  // A chunk is sent in a round after it was combined in the round before, so `ahead` is at most the number of chunks in
  // a round.
  void run() {
    const std::size_t all = chunks_ * static_cast<std::size_t>(rounds_);
    const std::size_t ahead = std::min(operand_stream::most_ahead, chunks_);
    for (std::size_t i = 0; i < all + ahead; ++i) {
      if (i >= ahead) combine(i - ahead);
      if (i < all) send(i);
    }
    if (in_shares()) gather();
    operands_.settle();
  }

 private:
  static constexpr int gather_step = 1;

  bool in_shares() const { return !goes_whole(t_.n_pes, call_.bytes()); }
  int left() const { return after(t_, t_.n_pes - 1); }
  std::size_t longest_share() const { return in_shares() ? even_share(call_, 0, t_.n_pes).elements : call_.elements; }

  // The share of the PE `steps` before this one.
  element_range share(int steps) const {
    if (!in_shares()) return {0, call_.elements};
    return even_share(call_, after(t_, (t_.n_pes - steps) % t_.n_pes), t_.n_pes);
  }
  // Chunk `k` of all chunks that are sent, counted from share(steps) on. The last chunk of a short share may be
  // empty.
  element_range chunk(std::size_t k, int steps) const {
    const element_range of = share(static_cast<int>(k / chunks_) + steps);
    const std::size_t done = std::min(k % chunks_ * grain_, of.elements);
    return {of.first + done, std::min(grain_, of.elements - done)};
  }
  std::size_t offset(const element_range& range) const { return range.first * call_.element_bytes; }
  std::size_t bytes(const element_range& range) const { return range.elements * call_.element_bytes; }

  // In the first round the operand is this PE's source, and later it is the sum in dest that combine() has left there.
  // The send may be non-blocking: only the result overwrites the operand, and the next PE has received the operand
  // before it contributes to that result. In a whole vector with dest = source, however, a PE combines into the memory
  // that it sends.
  void send(std::size_t k) {
    const element_range s = chunk(k, 0);
    const auto mode =
        !in_shares() && call_.dest == call_.source ? op::completion_mode::blocking : op::completion_mode::non_blocking;
    operands_.send((k < chunks_ ? call_.source : call_.dest) + offset(s), bytes(s), mode);
  }

  // dest = theirs op mine, in the order of PE numbers.
  void combine(std::size_t k) {
    const element_range s = chunk(k, 1);
    const char* const theirs = operands_.receive();
    const bool theirs_first = left() < t_.my_pe;
    char* const dest = call_.dest + offset(s);
    const char* const mine = call_.source + offset(s);
    if (dest == mine) {
      combine_in_order(call_, dest, theirs, s.elements, theirs_first);
    } else {
      memcpy(dest, theirs_first ? theirs : mine, bytes(s));
      call_.combine(dest, theirs_first ? mine : theirs, s.elements);
    }
    operands_.release();
    if (in_shares() && k / chunks_ + 1 == static_cast<std::size_t>(rounds_)) put_result(s);
  }

  // ---- results go into the dest of the next PE, which has entered, because its operand is part of them

  void put_result(const element_range& range) {
    char* const at = call_.dest + offset(range);
    if (range.elements != 0) protocol_.start_send(after(t_, 1), gather_step, at, at, bytes(range));
  }
  void gather() {
    for (int i = 0; i < rounds_; ++i)
      for (std::size_t k = 0; k < chunks_; ++k) {
        const element_range s = chunk(k, i);
        if (s.elements != 0) protocol_.receive(left(), gather_step, call_.dest + offset(s), bytes(s));
        if (i + 1 < rounds_) put_result(s);
      }
  }

  const collective_call& call_;
  team& t_;
  put_protocol& protocol_;
  operand_stream operands_;
  int rounds_;
  std::size_t grain_;
  std::size_t chunks_;  // the number of chunks in the longest share
};

template <class Protocol>
struct ring {
  static constexpr schedule_text text{
      .name = "ring",
      .about = "ring: shares travel round and are combined, then travel round once more",
      .steps = "2 (n - 1)",
      .traffic = "2 n (n - 1) messages; 2 (n - 1) b bytes",
      .paper = paper::patarasuk};

  static double cost(const team_shape& s) {
    const bool whole = s.spans && Protocol::protocol == protocol_kind::one_sided && goes_whole(s.n_pes, s.bytes);
    const double steps = whole ? 1 : 2.0 * (s.n_pes - 1);
    return protocol_cost<Protocol>(s, steps, s.spans ? 2.0 * (s.n_pes - 1) / s.n_pes : 5);
  }

  // A share is overwritten with its result only after the right neighbour has read it, because the result has passed
  // through that neighbour.
  static void run(const collective_call& call, Protocol& protocol) {
    if constexpr (Protocol::protocol == protocol_kind::one_sided)
      if (call.members.spans) return ring_of_streams(call, protocol).run();
    const team& t = call.members;
    const int n = t.n_pes, right = after(t, 1), left = after(t, n - 1);
    const auto share = [&](int i) { return even_share(call, (i % n + n) % n, n); };
    source_to_dest(call);
    for (int step = 0; step < n - 1; ++step) {
      const element_range give = share(t.my_pe - step), want = share(t.my_pe - step - 1);
      protocol.exchange(0, {right, dest_of(call, give), give.elements}, {left, dest_of(call, want), want.elements});
    }
    for (int step = 0; step < n - 1; ++step) {
      const element_range give = share(t.my_pe + 1 - step), want = share(t.my_pe - step);
      protocol.send(right, 1, dest_of(call, give), dest_of(call, give), give.elements * call.element_bytes);
      protocol.receive(left, 1, dest_of(call, want), want.elements * call.element_bytes);
    }
  }
};

}  // namespace

constexpr algorithm ring_put_reduce = variant_of<ring, put_protocol>(kind::reduce);
constexpr algorithm ring_message_reduce = variant_of<ring, message_protocol>(kind::reduce);

}  // namespace oshen::coll
