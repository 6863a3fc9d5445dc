// Finding the best way: the cheapest by the model of costs, or the fastest of a few on this
// machine, FFTW's own way always among them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <vector>

#include "agree.hpp"
#include "cost.hpp"
#include "transform.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t routes_tried[] = {3, 6};  // of those that do not gather, and that do
constexpr std::size_t tile_sizes[] = {32 << 10, 128 << 10, 16 << 10, 512 << 10};
constexpr std::size_t usual_tile = 128 << 10;
constexpr double batch_seconds = 0.004, enough_seconds = 0.1;
constexpr int most_batches = 4, most_runs = 100;

// A buffer to try on, in place. Zeros: the values do not matter.
class trial_buffer {
 public:
  trial_buffer(oshen_group_t* group, const request& wanted) {
    const problem& what = wanted.what;
    const auto pe = static_cast<std::size_t>(oshen_group_rank(group));
    const auto fields = static_cast<std::size_t>(what.fields);
    const distances& user = wanted.user[pe];
    const auto most = std::max({user.in, user.out, what.in[pe].volume(), what.out[pe].volume()});
    const std::size_t bytes = (fields * most + 1) * what.complex_bytes;
    if (what.symmetric_out) {
      arena_ = oshen_group_arena(group);
      data_ = oshen_arena_alloc(arena_, bytes);
      if (data_ != nullptr) std::memset(data_, 0, bytes);
    } else {
      own_.resize(bytes);
      data_ = own_.data();
    }
  }
  ~trial_buffer() {
    if (arena_ != nullptr && data_ != nullptr) oshen_arena_free(arena_, data_);
  }
  trial_buffer(const trial_buffer&) = delete;
  trial_buffer& operator=(const trial_buffer&) = delete;

  void* data() const { return data_; }

 private:
  std::vector<std::byte> own_;
  oshen_arena_t* arena_ = nullptr;
  void* data_ = nullptr;
};

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

// Of one run, in a batch of them: with more PEs than CPUs a run alone may leave out what the others
// still have to do.
double seconds_of_one(transform& tried, void* data, int runs) {
  const auto begin = clock::now();
  for (int i = 0; i < runs; i++) {
    tried.start(direction::forward, data, data, 1);
    tried.wait();
  }
  return seconds_since(begin) / runs;
}

bool is_hopeless(double seconds, double best_yet) {
  return seconds > 1.6 * best_yet;
}

// The best run or batch of the slowest PE: the shorter a run, the more often; of what is far behind
// only a few. The numbers follow from what all PEs know.
double seconds_of(oshen_group_t* group, transform& tried, void* data, double best_yet) {
  seconds_of_one(tried, data, 1);
  double best = largest(group, seconds_of_one(tried, data, 1));
  const int chances = best < 0.01 ? 2 : 0;
  for (int i = 0; i < chances && is_hopeless(best, best_yet); i++)
    best = std::min(best, largest(group, seconds_of_one(tried, data, 1)));
  if (is_hopeless(best, best_yet)) return best;
  const int runs = std::clamp(static_cast<int>(batch_seconds / best), 1, most_runs);
  const int batches = std::min(most_batches, static_cast<int>(enough_seconds / (runs * best)));
  for (int b = 0; b < batches; b++)
    best = std::min(best, largest(group, seconds_of_one(tried, data, runs)));
  return best;
}

struct choice {
  const route* way;
  tuning how;
  double seconds;
};

// Memory that the caller has, but that the candidates may not, is no reason to fail: a candidate
// that does not fit is passed over. False: not worth another try with other tiles.
bool try_out(oshen_group_t* group, const request& wanted, void* data, choice candidate,
             choice& best) {
  oshen_status_t status = OSHEN_OK;
  const auto made = make_transform(group, wanted, *candidate.way, candidate.how, &status);
  if (made == nullptr) return true;
  candidate.seconds = seconds_of(group, *made, data, best.seconds);
  const bool good = !is_hopeless(candidate.seconds, best.seconds);
  if (candidate.seconds < best.seconds) best = candidate;
  return good;
}

// The cheapest that gather, the cheapest that do not, and FFTW's own way.
std::vector<const route*> promising(const std::vector<route>& ways) {
  std::vector<const route*> chosen;
  std::size_t left[] = {routes_tried[0], routes_tried[1]};
  for (const route& way : ways) {
    if (left[way.pull] == 0 && !way.stages[0].at_once) continue;
    if (left[way.pull] != 0) left[way.pull]--;
    chosen.push_back(&way);
  }
  return chosen;
}

// The best route, with tiles of two sizes, then with what else there is to choose.
choice fastest(oshen_group_t* group, const request& wanted, const std::vector<route>& ways,
               void* data) {
  choice best{nullptr, {}, HUGE_VAL};
  for (const route* way : promising(ways)) {
    if (try_out(group, wanted, data, {way, {tile_sizes[0], true, false}, 0}, best))
      try_out(group, wanted, data, {way, {tile_sizes[1], true, false}, 0}, best);
  }
  if (best.way == nullptr) return {&ways[0], {usual_tile, true, false}, 0};
  const tuning found = best.how;
  for (const bool fuse : {false, true}) {
    for (const std::size_t bytes : tile_sizes) {
      if (bytes != found.tile_bytes || fuse)
        try_out(group, wanted, data, {best.way, {bytes, true, fuse}, 0}, best);
    }
  }
  return best;
}

}  // namespace

std::unique_ptr<transform> find_transform(oshen_group_t* group, const request& wanted,
                                          oshen_status_t* status) {
  const std::vector<route> ways = candidates(wanted.what, wanted.kind, machine{});
  choice best{&ways[0], {usual_tile, wanted.measure, false}, 0};
  if (wanted.measure) {
    const trial_buffer buffer(group, wanted);
    const auto there = buffer.data() == nullptr ? OSHEN_NO_SPACE : OSHEN_OK;
    if (worst(group, there) == OSHEN_OK) best = fastest(group, wanted, ways, buffer.data());
  }
  return make_transform(group, wanted, *best.way, best.how, status);
}

}  // namespace oshen::fft
