// Ring: the vector is cut into n parts, which travel round and are combined on their way; then the finished parts
// travel round once more. Every PE talks to its neighbours only, and all of them work all the time.
//
// Between nodes, with a dest beside the source, a part comes in where its result will be, and goes on piece by piece:
// nobody has to make room, and pieces are on their way while others are combined. Two PEs then send each other the
// whole vector: as many bytes, and one step.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

class in_place_of_result {
 public:
  in_place_of_result(const task& job, put_protocol& protocol) : job_(job), t_(job.members), protocol_(protocol) {}

  static bool can(const task& job) { return job.members.spans && job.dest != job.source; }

  // A part comes back as a result only after all have combined it, so all have read what lay in its place.
  void run() {
    if (t_.n_pes == 2) return exchange();
    for_pieces(part(0), [&](std::size_t at, std::size_t n) { send(reduce_step, job_.source, at, n); });
    for (int i = 1; i < t_.n_pes; ++i) {
      const int then = i + 1 < t_.n_pes ? reduce_step : gather_step;
      for_pieces(part(-i), [&](std::size_t at, std::size_t n) {
        take_in(at, n);
        send(then, job_.dest, at, n);
      });
    }
    for (int i = 0; i + 1 < t_.n_pes; ++i)
      for_pieces(part(-i), [&](std::size_t at, std::size_t n) {
        receive(gather_step, at, n);
        if (i + 2 < t_.n_pes) send(gather_step, job_.dest, at, n);
      });
  }

 private:
  static constexpr int reduce_step = 0, gather_step = 1;

  void exchange() {
    for_pieces(all(), [&](std::size_t at, std::size_t n) { send(reduce_step, job_.source, at, n); });
    for_pieces(all(), [&](std::size_t at, std::size_t n) { take_in(at, n); });
  }
  void take_in(std::size_t at, std::size_t n) const {
    receive(reduce_step, at, n);
    combine_in_order(job_, job_.dest + at, job_.source + at, n, t_.my_pe < left());
  }

  int left() const { return after(t_, t_.n_pes - 1); }

  stretch all() const { return {0, job_.elements}; }
  stretch part(int steps) const {  // of the PE so many after this one
    return stretch_of(job_, after(t_, (steps + t_.n_pes) % t_.n_pes), t_.n_pes);
  }

  // Calls visit(offset in bytes, elements) for the pieces of it.
  template <class Visit>
  void for_pieces(stretch part, Visit visit) const {
    const std::size_t grain = far_piece / job_.element_bytes;
    for (std::size_t done = 0; done < part.elements; done += grain)
      visit((part.first + done) * job_.element_bytes, std::min(grain, part.elements - done));
  }
  void send(int step, const char* from, std::size_t at, std::size_t n) const {
    protocol_.start_send(after(t_, 1), step, from + at, job_.dest + at, n * job_.element_bytes);
  }
  void receive(int step, std::size_t at, std::size_t n) const {
    protocol_.receive(left(), step, job_.dest + at, n * job_.element_bytes);
  }

  const task& job_;
  const team& t_;
  put_protocol& protocol_;
};

template <class Protocol>
struct ring {
  static constexpr schedule_words words{
      .name = "ring", .about = "ring: parts travel round and are combined, then travel round once more",
      .steps = "2 (n - 1)", .traffic = "2 n (n - 1) messages; 2 (n - 1) b",
      .paper = paper::patarasuk};

  static double cost(const setting& s) {
    const double steps = s.spans && s.n_pes == 2 && Protocol::how == design::one_sided ? 1 : 2.0 * (s.n_pes - 1);
    return protocol_cost<Protocol>(s, steps, s.spans ? 2.0 * (s.n_pes - 1) / s.n_pes : 5);
  }

  // A part is overwritten with its result only after its right neighbour has read it: the result went through there.
  static void run(const task& job, Protocol& protocol) {
    if constexpr (Protocol::how == design::one_sided)
      if (in_place_of_result::can(job)) return in_place_of_result(job, protocol).run();
    const team& t = job.members;
    const int n = t.n_pes, right = after(t, 1), left = after(t, n - 1);
    const auto part = [&](int i) { return stretch_of(job, (i % n + n) % n, n); };
    source_to_dest(job);
    for (int step = 0; step < n - 1; ++step) {
      const stretch give = part(t.my_pe - step), want = part(t.my_pe - step - 1);
      protocol.pass(right, left, 0, place_of(job, give), give.elements, place_of(job, want), want.elements);
    }
    for (int step = 0; step < n - 1; ++step) {
      const stretch give = part(t.my_pe + 1 - step), want = part(t.my_pe - step);
      protocol.send(right, 1, place_of(job, give), place_of(job, give), give.elements * job.element_bytes);
      protocol.receive(left, 1, place_of(job, want), want.elements * job.element_bytes);
    }
  }
};

}  // namespace

constexpr algorithm ring_put_reduce = row_of<ring, put_protocol>(kind::reduce);
constexpr algorithm ring_message_reduce = row_of<ring, message_protocol>(kind::reduce);

}  // namespace oshen::coll
