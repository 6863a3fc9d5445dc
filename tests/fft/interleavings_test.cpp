// Syncs of FFTs whose passes read and write the work arrays of other PEs (fft/moves/shared_backend.cpp): the real
// backend, with passes of one element for each pair of PEs. fft/steps_test.cpp checks that routes ask for the syncs
// that they need; this test checks that the backend carries them out.
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fft/moves/move_backend.hpp"
#include "one_sided.hpp"

namespace oshen::model {
namespace {

// Passes write into the arrays of others in turn (push, and lent: with memory that its owner uses between runs). Or
// they read the arrays of others and write back, with one array. Or they write into outputs that PEs announce in each
// run.
enum class kind { push, gather, output, lent };

struct fft_case {
  kind what;
  int pes, runs;
  bool polls = false;  // test() instead of wait()
};

std::uint64_t value_of(int run, int step, int from, int to) {
  return static_cast<std::uint64_t>(((run * 8 + step) * 8 + from) * 8 + to);
}

class fft_user {
 public:
  fft_user(const fft_case& one, int me) : one_(one), me_(me) {
    oshen_arena_t* arena = nullptr;
    oshen_arena_create(2048, &arena);
    std::vector<int> all;
    for (int pe = 0; pe < one.pes; pe++) all.push_back(pe);
    oshen_group_t* group = nullptr;
    oshen_group_create_from_list(arena, all.data(), one.pes, &group);
    for (auto& out : outputs_) out = static_cast<std::byte*>(oshen_arena_alloc(arena, row));
    fft::lent_memory lent;
    if (one.what == kind::lent) lent = {lent_ = static_cast<std::byte*>(oshen_arena_alloc(arena, 2 * row)), 2 * row};
    oshen_status_t status = OSHEN_OK;
    backend_ = fft::make_shared_backend(group, moves(), 1, lent, &status);
    if (status != OSHEN_OK) fail("no backend");
  }

  void run(int number) {
    if (backend_->syncs_first()) sync(-1);
    switch (one_.what) {
      case kind::push:
      case kind::lent:
        push(number, 0);
        push(number, 1);
        break;
      case kind::gather: gather(number); break;
      case kind::output: to_outputs(number); break;
    }
    if (backend_->syncs_last()) sync(-1);
    for (std::size_t i = 0; lent_ != nullptr && i < 2 * row; i++) lent_[i] = std::byte{0xee};
  }

 private:
  static constexpr std::size_t row = 64;  // bytes: an element for each PE

  fft::move_set moves() const {
    const fft::box line{{0, 0, 0}, {one_.pes, 1, 1}};
    const fft::layout all(static_cast<std::size_t>(one_.pes), line);
    const bool swaps = one_.what != kind::gather;
    fft::move_set set;
    for (int m = 0; m < 2; m++)
      set.moves.push_back({all, all, sizeof(std::uint64_t), 0, swaps && one_.what != kind::output});
    for (int pe = 0; pe < one_.pes; pe++)
      if (pe != me_) set.partners.push_back(pe);
    return set;
  }

  static std::uint64_t& at(std::byte* array, int index) { return reinterpret_cast<std::uint64_t*>(array)[index]; }
  std::byte* array(int move, int pe) const { return backend_->target(move, pe).base; }

  void sync(int move) {
    backend_->send(move, false, {});
    if (!one_.polls) return backend_->wait(move);
    while (!backend_->test(move)) sched_yield();
  }

  void expect(std::byte* array, int index, std::uint64_t value, const char* what) {
    if (at(array, index) != value) fail(what);
  }

  void push(int number, int move) {
    backend_->begin(move);
    for (int pe = 0; pe < one_.pes; pe++) at(array(move, pe), me_) = value_of(number, move, me_, pe);
    sync(move);
    for (int pe = 0; pe < one_.pes; pe++)
      expect(array(move, me_), pe, value_of(number, move, pe, me_), "a result is not in the work array");
  }

  void gather(int number) {
    backend_->begin(0);
    for (int pe = 0; pe < one_.pes; pe++) at(array(0, me_), pe) = value_of(number, 0, me_, pe);
    sync(0);
    for (int pe = 0; pe < one_.pes; pe++) {
      expect(array(0, pe), me_, value_of(number, 0, pe, me_), "a result is not in the array of its PE");
      at(array(0, pe), me_) = value_of(number, 1, me_, pe);
    }
    sync(0);
    for (int pe = 0; pe < one_.pes; pe++)
      expect(array(0, me_), pe, value_of(number, 1, pe, me_), "a result did not come back");
  }

  void to_outputs(int number) {
    std::byte* mine = outputs_[number % 2];
    if (!backend_->offer(mine)) fail("an output is out of reach");
    backend_->begin(0);
    sync(0);
    for (int pe = 0; pe < one_.pes; pe++)
      at(pe == me_ ? mine : backend_->offered(pe), me_) = value_of(number, 0, me_, pe);
    sync(0);
    for (int pe = 0; pe < one_.pes; pe++)
      expect(mine, pe, value_of(number, 0, pe, me_), "a result is not in the output");
  }

  const fft_case& one_;
  int me_;
  std::byte* outputs_[2];
  std::byte* lent_ = nullptr;
  std::unique_ptr<fft::move_backend> backend_;
};

void expect_sound(const fft_case& one, const std::string& what) {
  const finding f = explore({.pes = one.pes,
                             .mapped = true,
                             .parks_to_test = true,
                             .heap_bytes = 4096,
                             .body =
                                 [one](int me) {
                                   fft_user user(one, me);
                                   explore_from_here();
                                   for (int run = 0; run < one.runs; run++) user.run(run);
                                 },
                             .forget = {}});
  EXPECT_EQ(f.trouble, "") << what << ", " << one.pes << " PEs";
}

void expect_all_sound(kind what, const std::string& name) {
  expect_sound({what, 2, 3}, name);
  expect_sound({what, 2, 3, true}, name);
  expect_sound({what, 3, 1}, name);
}

TEST(FftModel, PushedResults) { expect_all_sound(kind::push, "push"); }
TEST(FftModel, GatheredResults) { expect_all_sound(kind::gather, "gather"); }
TEST(FftModel, AnnouncedOutputs) { expect_all_sound(kind::output, "output"); }
TEST(FftModel, LentMemory) { expect_all_sound(kind::lent, "lent"); }

}  // namespace
}  // namespace oshen::model
