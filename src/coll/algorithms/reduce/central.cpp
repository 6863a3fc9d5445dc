// Every PE copies its vector into the table of the first PE, or into its own flag slot or long payload if the table is
// too small. Then it increments a counter at the first PE. The last PE to arrive combines all vectors, in the order of
// PE numbers, and releases all PEs. Each PE needs two context switches, as in the central sync. In the inline algorithm
// every PE waits for every other.
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {
namespace {

// The vectors before they are combined. The result is in the flag slot or long payload of the first PE.
class vectors {
 public:
  vectors(team& t, std::size_t bytes) : t_(t), bytes_(bytes), table_(has_table(t, bytes) ? next_table(t) : nullptr) {}
  std::byte* of(int pe) const {
    return table_ != nullptr ? table_ + static_cast<std::size_t>(pe) * bytes_ : payload_of(t_, pe, bytes_);
  }
  void combine(const collective_call& call, std::byte* result) const {
    if (table_ != nullptr) memcpy(result, table_, bytes_);
    for (int pe = 1; pe < t_.n_pes; ++pe) call.combine(result, of(pe), call.elements);
  }

 private:
  const team& t_;
  std::size_t bytes_;
  std::byte* table_;
};

void run_central(const collective_call& call) {
  team& t = call.members;
  const std::size_t bytes = call.bytes();
  const std::uint64_t present = ++t.syncs;
  const auto n = static_cast<std::uint64_t>(t.n_pes);
  if (bytes > flag_payload) t.used_workspace = true;
  observe(t, event::flag, 0, bytes);
  const vectors all(t, bytes);
  memcpy(all.of(t.my_pe), call.source, bytes);
  std::byte* const result = payload_of(t, 0, bytes);
  std::atomic<std::uint64_t>& release = t.slot_of(0).release;
  if ((t.slot_of(0).n_arrived.fetch_add(1, std::memory_order_acq_rel) + 1) % n == 0) {
    all.combine(call, result);
    release.store(present, std::memory_order_release);  // pairs with the acquire below
    wake_all(t);
  } else {
    const wait_info info{.routine = call.routine};
    wait_for(*t.home, info, [&] { return release.load(std::memory_order_acquire) >= present; });
  }
  memcpy(call.dest, result, bytes);
}

// One PE reads the vectors of all PEs while the others wait.
double cost(const team_shape& s) {
  if (s.bytes > long_payload_bytes) return impossible;
  const double vectors = s.n_pes * (s.on.line_ns + 2 * s.on.copy_ns * static_cast<double>(s.bytes));
  return (s.cpu_for_each ? steps(s, 2) + lines(s, s.n_pes) : steps(s, 2)) + vectors;
}

}  // namespace

constexpr algorithm central_reduce{
    .collective = kind::reduce,
    .name = "central",
    .protocol = protocol_kind::one_sided,
    .about = "PEs count at the first PE, and the last to arrive combines all vectors and releases the others",
    .needs = "at most 2 KiB",
    .steps = "2",
    .traffic = "n atomic additions and 1 flag for all; n b bytes written, 2 n b read",
    .cost = cost,
    .run = run_central};

}  // namespace oshen::coll
