// Moves within a node: passes read and write the work arrays of other PEs.
//
// Messages: one flag per partner and sync. Copies: none besides those of the passes. Memory: one or two work arrays,
// each as large as the largest move on this PE. If the work arrays are lent, PEs sync before the first pass, so that no
// PE writes into memory that its owner still uses. They also sync at the end unless the transform ends local.
#include <shmem.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "fft/moves/agree.hpp"
#include "fft/moves/move_backend.hpp"
#include "trials/stopwatch.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t line = 64;

std::size_t rounded(std::size_t bytes) { return (bytes + line - 1) / line * line; }

std::byte* base_of(oshen_group_t* group) { return static_cast<std::byte*>(oshen_arena_base(oshen_group_arena(group))); }

// The flags by which one partner signals this PE, in a cache line that only the partner writes.
struct alignas(64) sync_flags {
  std::uint64_t round;    // of the last sync that the partner has entered
  std::ptrdiff_t buffer;  // its offered buffer, from the base of its arena; written before `round`
};

// The memory of each PE, exchanged when a transform is made: offsets from the base of its arena.
struct memory_offsets {
  std::ptrdiff_t flags, work;
  std::size_t second;  // from the first work array to the second
  std::int32_t status;
};

// Symmetric work memory of a transform, and the syncs between its PEs.
//
// Each PE has two work arrays and uses them in turn. A PE that has finished a stage signals all its partners, and
// continues when all of them have signalled. The partners of a PE are all PEs that touch an array that it touches. So
// no array is overwritten too early: before a PE writes into an array again, it has changed to the other array and
// back. With the first change it has synced with all PEs that might still have been reading.
//
// Without a change, a PE may fill its own array anew if no other PE has read there since the last sync. Routes that
// begin and end so on all PEs need one array only.
class neighbour_sync {
 public:
  // Collective; see make_shared_backend. `need` is what this PE needs.
  static std::unique_ptr<neighbour_sync> make(oshen_group_t* group, std::vector<int> partners, const work_arrays& need,
                                              const lent_memory& lent, oshen_status_t* status);
  ~neighbour_sync() {
    if (memory_ != nullptr) oshen_arena_free(oshen_group_arena(group_), memory_);
  }
  neighbour_sync(const neighbour_sync&) = delete;
  neighbour_sync& operator=(const neighbour_sync&) = delete;

  // A member's current work array.
  std::byte* work(int member) const { return of(member).work + (swapped_ ? of(member).second : 0); }
  // Changes to the other one. All PEs do so at the same point of their routes.
  void swap_arrays() { swapped_ = !swapped_; }

  // Announces a buffer of this PE in the symmetric heap to the partners, at the next sync. Returns false if it is not
  // there or out of their reach.
  bool offer(std::byte* buffer);
  // The buffer that a partner announced with the last sync.
  std::byte* offered(int member) const { return of(member).base + from(member).buffer; }

  void signal();  // signals the partners
  bool test();    // whether all partners have signalled; returns true once per sync
  void wait();

  std::size_t bytes() const { return bytes_; }

 private:
  struct member {
    int pe;
    std::byte* base;           // of its arena, as mapped here; null: out of reach.
    std::byte* work;           // its first work array, as mapped here.
    std::size_t second;        // from there to the second.
    sync_flags* flags;         // symmetric address of the flags that its partners write.
    sync_flags* flags_mapped;  // the same, as mapped here.
  };

  neighbour_sync() = default;
  oshen_status_t allocate(const work_arrays& need, const lent_memory& lent);
  oshen_status_t check_reach(const lent_memory& lent) const;
  void map_members(const std::vector<memory_offsets>& all);
  const member& of(int rank) const { return members_[static_cast<std::size_t>(rank)]; }
  const sync_flags& from(int rank) const { return reinterpret_cast<const sync_flags*>(memory_)[rank]; }
  void end_round();

  oshen_group_t* group_ = nullptr;
  std::byte* memory_ = nullptr;  // flags, then the work arrays unless they are lent
  std::byte* work_ = nullptr;
  std::size_t bytes_ = 0, stride_ = 0;
  int me_ = 0;
  std::vector<int> partners_;
  std::vector<member> members_;
  std::size_t n_arrived_ = 0;  // partners that have signalled in this sync
  std::uint64_t rounds_ = 0;   // completed syncs
  bool swapped_ = false;
  std::ptrdiff_t offer_ = 0;
};

oshen_status_t combined_status(const std::vector<memory_offsets>& all) {
  oshen_status_t worst = OSHEN_OK;
  for (const memory_offsets& m : all) {
    const auto status = static_cast<oshen_status_t>(m.status);
    if (status == OSHEN_UNSUPPORTED) return status;  // no work arrays are needed then, so their size does not matter
    worst = std::max(worst, status);
  }
  return worst;
}

std::unique_ptr<neighbour_sync> neighbour_sync::make(oshen_group_t* group, std::vector<int> partners,
                                                     const work_arrays& need, const lent_memory& lent,
                                                     oshen_status_t* status) {
  std::unique_ptr<neighbour_sync> made(new neighbour_sync);
  made->group_ = group;
  made->partners_ = std::move(partners);
  made->me_ = oshen_group_rank(group);
  memory_offsets mine{0, 0, 0, static_cast<std::int32_t>(made->allocate(need, lent))};
  if (mine.status == OSHEN_OK) {
    mine.flags = made->memory_ - base_of(group);
    mine.work = made->work_ - base_of(group);
    mine.second = made->stride_;
  }
  std::vector<memory_offsets> all;
  *status = allgather(group, mine, all);
  if (*status == OSHEN_OK) *status = combined_status(all);
  if (*status != OSHEN_OK) return nullptr;
  made->map_members(all);
  return made;
}

oshen_status_t neighbour_sync::allocate(const work_arrays& need, const lent_memory& lent) {
  const oshen_status_t reach = check_reach(lent);  // before anything is allocated
  if (reach != OSHEN_OK) return reach;
  const bool is_lent = lent.base != nullptr;
  if (is_lent && lent.bytes < need.all()) return OSHEN_NO_SPACE;
  const std::size_t head = work_arrays::flag_bytes(oshen_group_size(group_));
  stride_ = need.count > 1 ? rounded(need.bytes) : 0;
  bytes_ = head + (is_lent ? 0 : need.all());
  memory_ = static_cast<std::byte*>(oshen_arena_alloc(oshen_group_arena(group_), bytes_));
  if (memory_ == nullptr) return OSHEN_NO_SPACE;
  std::memset(memory_, 0, head);
  work_ = is_lent ? lent.base : memory_ + head;
  return OSHEN_OK;
}

oshen_status_t neighbour_sync::check_reach(const lent_memory& lent) const {
  for (const int p : partners_) {
    const int pe = oshen_group_pe(group_, p);
    auto* base = static_cast<std::byte*>(shmem_ptr(base_of(group_), pe));
    if (base == nullptr) return OSHEN_UNSUPPORTED;
    // Static data is symmetric too, but has another offset from the arena on every PE.
    const bool in_heap = lent.base == nullptr || shmem_ptr(lent.base, pe) == base + (lent.base - base_of(group_));
    if (!in_heap) return OSHEN_INVALID;
  }
  return OSHEN_OK;
}

void neighbour_sync::map_members(const std::vector<memory_offsets>& all) {
  std::byte* base = base_of(group_);
  for (std::size_t r = 0; r < all.size(); r++) {
    const int pe = oshen_group_pe(group_, static_cast<int>(r));
    // A PE can always reach itself, even if shmem_ptr returns null: a convolution may turn on one PE only.
    const bool own = static_cast<int>(r) == me_;
    member m{pe,
             own ? base : static_cast<std::byte*>(shmem_ptr(base, pe)),
             nullptr,
             all[r].second,
             reinterpret_cast<sync_flags*>(base + all[r].flags),
             nullptr};
    if (m.base != nullptr) {
      m.flags_mapped = reinterpret_cast<sync_flags*>(m.base + all[r].flags);
      m.work = m.base + all[r].work;
    }
    members_.push_back(m);
  }
}

bool neighbour_sync::offer(std::byte* buffer) {
  const std::ptrdiff_t offset = buffer - base_of(group_);
  if (offset == offer_) return true;
  offer_ = offset;
  // Static data is symmetric too, but has another offset from the arena on every PE.
  return std::all_of(partners_.begin(), partners_.end(),
                     [&](int p) { return shmem_ptr(buffer, of(p).pe) == of(p).base + offer_; });
}

void neighbour_sync::signal() {
  for (const int p : partners_) of(p).flags_mapped[me_].buffer = offer_;
  // Pairs with the fence in end_round(): a partner that sees the flag also sees earlier stores through shmem_ptr.
  std::atomic_thread_fence(std::memory_order_release);
  shmem_fence();
  n_arrived_ = 0;
  for (const int p : partners_) shmem_uint64_atomic_set(&of(p).flags[me_].round, rounds_ + 1, of(p).pe);
}

bool neighbour_sync::test() {
  for (; n_arrived_ < partners_.size(); n_arrived_++) {
    auto* flag = const_cast<std::uint64_t*>(&from(partners_[n_arrived_]).round);
    if (!shmem_uint64_test(flag, SHMEM_CMP_GE, rounds_ + 1)) return false;
  }
  end_round();
  return true;
}

void neighbour_sync::wait() {
  for (; n_arrived_ < partners_.size(); n_arrived_++) {
    auto* flag = const_cast<std::uint64_t*>(&from(partners_[n_arrived_]).round);
    shmem_uint64_wait_until(flag, SHMEM_CMP_GE, rounds_ + 1);
  }
  end_round();
}

void neighbour_sync::end_round() {
  std::atomic_thread_fence(std::memory_order_acquire);
  rounds_++;
}

class shared_backend : public move_backend {
 public:
  shared_backend(std::unique_ptr<neighbour_sync> sync, const move_set& set, bool is_lent)
      : sync_(std::move(sync)), moves_(set.moves), ends_local_(set.ends_local), is_lent_(is_lent) {}
  ~shared_backend() override {
    if (ends_local_ || is_lent_ || peers_are_done_) return;
    sync_->signal();
    sync_->wait();
  }

  void begin(int move) override {
    if (of(move).swaps) sync_->swap_arrays();
  }
  array_view target(int move, int pe) const override {
    const std::size_t points = of(move).written[static_cast<std::size_t>(pe)].span();
    return {sync_->work(pe), points * of(move).element};
  }
  array_view source(int move, int pe) const override { return target(move, pe); }
  bool copies() const override { return false; }

  bool offer(std::byte* output) override { return sync_->offer(output); }
  std::byte* offered(int pe) const override { return sync_->offered(pe); }

  void send(int, bool, const_array_view) override { sync_->signal(); }
  bool test(int) override { return sync_->test(); }
  void wait(int) override {
    const trials::stopwatch watch(waited_);
    sync_->wait();
  }
  times spent() const override { return {0, waited_}; }

  bool syncs_first() const override { return is_lent_; }
  bool syncs_last() const override { return is_lent_ && !ends_local_; }

  void peers_are_done() override { peers_are_done_ = true; }

  std::size_t symmetric_bytes() const override { return sync_->bytes(); }
  std::size_t ordinary_bytes() const override { return 0; }
  const char* name() const override { return "shared work arrays"; }

 private:
  const move& of(int move) const { return moves_[static_cast<std::size_t>(move)]; }

  std::unique_ptr<neighbour_sync> sync_;
  std::vector<move> moves_;
  bool ends_local_, is_lent_;
  double waited_ = 0;  // seconds
  bool peers_are_done_ = false;
};

}  // namespace

work_arrays shared_arrays(const std::vector<move>& moves, int me, int fields) {
  work_arrays need;
  for (const move& m : moves) {
    const std::size_t points = m.written[static_cast<std::size_t>(me)].span() * static_cast<std::size_t>(fields);
    need.bytes = std::max(need.bytes, points * m.element);
    if (m.swaps) need.count = 2;
  }
  return need;
}

std::size_t work_arrays::all() const { return static_cast<std::size_t>(count) * rounded(bytes); }

std::size_t work_arrays::flag_bytes(int members) { return static_cast<std::size_t>(members) * sizeof(sync_flags); }

std::unique_ptr<move_backend> make_shared_backend(oshen_group_t* group, const move_set& set, int fields,
                                                  const lent_memory& lent, oshen_status_t* status) {
  const work_arrays need = shared_arrays(set.moves, oshen_group_rank(group), fields);
  auto sync = neighbour_sync::make(group, set.partners, need, lent, status);
  if (sync == nullptr) return nullptr;
  return std::make_unique<shared_backend>(std::move(sync), set, lent.base != nullptr);
}

}  // namespace oshen::fft
