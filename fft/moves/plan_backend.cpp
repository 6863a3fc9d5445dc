// Moves by exchange plans: a pass writes into private memory, and a plan moves the data. Copies: those of the plan's
// strategy, and one more write and read of every array that is transformed before it moves. Memory: two arrays, and
// that of the plans.
#include <shmem.h>

#include <algorithm>
#include <cstddef>

#include "fft/moves/agree.hpp"
#include "fft/moves/make_plan.hpp"
#include "fft/moves/move_backend.hpp"

namespace oshen::fft {
namespace {

std::size_t rounded(std::size_t bytes) {
  constexpr std::size_t line = 64;
  return (bytes + line - 1) / line * line;
}

class plan_backend : public move_backend {
 public:
  plan_backend(oshen_group_t* group, std::vector<move> moves, int fields, const lent_memory& lent)
      : me_(static_cast<std::size_t>(oshen_group_rank(group))), moves_(std::move(moves)) {
    const plan_buffers need = planned_buffers(moves_, oshen_group_rank(group), fields);
    if (lent.base == nullptr) own_.resize(need.all());
    packed_ = lent.base != nullptr ? lent.base : own_.data();
    received_ = packed_ + rounded(need.packed);
  }

  oshen_status_t plan(oshen_group_t* group, int fields, const char* strategy) {
    for (const move& m : moves_) {
      oshen_plan_t* made = nullptr;
      const std::size_t to_distance = m.read[me_].span() * m.element;
      const move_attr attr{m.element, fields, m.from_distance, to_distance, strategy};
      const oshen_status_t status = make_plan(group, m.written, m.read, attr, &made);
      if (status != OSHEN_OK) return status;
      plans_.emplace_back(made);
    }
    return OSHEN_OK;
  }

  void begin(int) override {}
  array_view target(int move, int) const override { return {packed_, of(move).from_distance}; }
  array_view source(int move, int) const override { return {received_, of(move).read[me_].span() * of(move).element}; }
  bool copies() const override { return true; }

  bool offer(std::byte*) override { return true; }
  std::byte* offered(int) const override { return nullptr; }  // this backend offers nothing: see steps_of

  void send(int move, bool copied_only, const_array_view from) override {
    oshen_plan_start(plan_of(move), copied_only ? from.base : packed_, received_);
  }
  bool test(int move) override {
    if (!oshen_plan_test(plan_of(move))) return false;
    oshen_plan_release(plan_of(move));
    return true;
  }
  void wait(int move) override { oshen_plan_release(plan_of(move)); }

  times spent() const override {
    times sum;
    for (const auto& plan : plans_) {
      oshen_plan_stats_t of{};
      oshen_plan_stats(plan.get(), &of, sizeof of);
      sum.exchange += of.pack_seconds + of.unpack_seconds;
      sum.wait += of.wait_seconds;
    }
    return sum;
  }

  std::size_t symmetric_bytes() const override { return 0; }
  std::size_t ordinary_bytes() const override { return own_.size(); }
  const char* name() const override { return plans_.empty() ? "nothing" : oshen_plan_strategy(plans_[0].get()); }

 private:
  const move& of(int move) const { return moves_[static_cast<std::size_t>(move)]; }
  oshen_plan_t* plan_of(int move) const { return plans_[static_cast<std::size_t>(move)].get(); }

  std::size_t me_;
  std::vector<move> moves_;
  std::vector<plan_pointer> plans_;
  std::vector<std::byte> own_;
  std::byte *packed_ = nullptr, *received_ = nullptr;
};

}  // namespace

plan_buffers planned_buffers(const std::vector<move>& moves, int me, int fields) {
  plan_buffers need;
  for (const move& m : moves) {
    need.packed = std::max(need.packed, m.from_distance);
    need.received = std::max(need.received, m.read[static_cast<std::size_t>(me)].span() * m.element);
  }
  need.packed *= static_cast<std::size_t>(fields);
  need.received *= static_cast<std::size_t>(fields);
  return need;
}

std::size_t plan_buffers::all() const { return rounded(packed) + rounded(received); }

std::unique_ptr<move_backend> make_plan_backend(oshen_group_t* group, std::vector<move> moves, int fields,
                                                const char* strategy, const lent_memory& lent, oshen_status_t* status) {
  if (lent.base != nullptr) {
    // Private memory would do here, but the shared backend needs symmetric memory, so this one requires it too.
    const bool symmetric = shmem_addr_accessible(lent.base, shmem_my_pe()) != 0;
    const bool fits = planned_buffers(moves, oshen_group_rank(group), fields).all() <= lent.bytes;
    *status = worst_status(group, !symmetric ? OSHEN_INVALID : fits ? OSHEN_OK : OSHEN_NO_SPACE);
    if (*status != OSHEN_OK) return nullptr;
  }
  auto made = std::make_unique<plan_backend>(group, std::move(moves), fields, lent);
  *status = made->plan(group, fields, strategy);
  return *status == OSHEN_OK ? std::move(made) : nullptr;
}

}  // namespace oshen::fft
