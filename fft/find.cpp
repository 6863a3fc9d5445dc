// Finding the best way: the cheapest by the model of costs, or the fastest of a few on this
// machine, FFTW's own way always among them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <vector>

#include "agree.hpp"
#include "caches.hpp"
#include "cost.hpp"
#include "need.hpp"
#include "transform.hpp"
#include "wisdom.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t routes_tried[] = {3, 6};  // of those that do not gather, and that do
constexpr std::size_t routes_tried_briefly[] = {1, 2};
constexpr double brief_seconds = 0.05;         // begin nothing new after so long
constexpr std::size_t brief_bytes = 8 << 20;   // of one PE: a few runs of more take longer than that
constexpr std::size_t tile_sizes[] = {32 << 10, 128 << 10, 16 << 10, 512 << 10};
constexpr std::size_t usual_tile = 128 << 10;
// For which the way past the caches is tried. Smaller ones gain only between distant caches, and lose much elsewhere,
// where a virtual machine's CPUs may be next.
constexpr std::size_t large_array = 16 << 20;
constexpr double batch_seconds = 0.004, enough_seconds = 0.1;
constexpr int most_batches = 4, most_runs = 100;

// Of all PEs.
std::size_t array_bytes(const problem& what) {
  std::size_t bytes = what.complex_bytes * static_cast<std::size_t>(what.fields);
  for (const int n : what.extent) bytes *= static_cast<std::size_t>(n);
  return bytes;
}

// Whether an array and a work array leave the caches, so that what is written need not go there. PEs may differ.
bool streams(const problem& what) {
  return can_stream && 2 * array_bytes(what) > last_cache_bytes();
}

tuning usual_tuning(const request& wanted) {
  return {usual_tile, wanted.effort, false, streams(wanted.what)};
}

// Of a buffer to try on.
std::size_t buffer_bytes(const request& wanted, int me) {
  const problem& what = wanted.what;
  const auto pe = static_cast<std::size_t>(me);
  const auto fields = static_cast<std::size_t>(what.fields);
  const distances& user = wanted.user[pe];
  const auto most = std::max({user.in, user.out, what.in[pe].volume(), what.out[pe].volume()});
  return (fields * most + 1) * what.complex_bytes;
}

// A buffer to try on, in place. Zeros: the values do not matter.
class trial_buffer {
 public:
  trial_buffer(oshen_group_t* group, const request& wanted) {
    const std::size_t bytes = buffer_bytes(wanted, oshen_group_rank(group));
    if (wanted.what.symmetric_result()) {
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
std::vector<const route*> promising(const std::vector<route>& ways, const std::size_t (&tried)[2]) {
  std::vector<const route*> chosen;
  std::size_t left[] = {tried[0], tried[1]};
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
  const tuning usual = usual_tuning(wanted);
  choice best{nullptr, {}, HUGE_VAL};
  for (const route* way : promising(ways, routes_tried)) {
    if (try_out(group, wanted, data, {way, {tile_sizes[0], wanted.effort, false, usual.stream}, 0}, best))
      try_out(group, wanted, data, {way, {tile_sizes[1], wanted.effort, false, usual.stream}, 0}, best);
  }
  if (best.way == nullptr) return {&ways[0], usual, 0};
  const tuning found = best.how;
  for (const bool fuse : {false, true}) {
    for (const std::size_t bytes : tile_sizes) {
      if (bytes != found.tile_bytes || fuse)
        try_out(group, wanted, data, {best.way, {bytes, wanted.effort, fuse, usual.stream}, 0}, best);
    }
  }
  choice otherwise = best;
  otherwise.how.stream = !best.how.stream;
  if (can_stream && array_bytes(wanted.what) >= large_array) try_out(group, wanted, data, otherwise, best);
  return best;
}

// The best of a few routes, as far as the time goes; all PEs go by the one that has used most.
choice fast_enough(oshen_group_t* group, const request& wanted, const std::vector<route>& ways,
                   void* data) {
  const choice usual{&ways[0], usual_tuning(wanted), 0};
  choice best{nullptr, {}, HUGE_VAL};
  const auto begin = clock::now();
  for (const route* way : promising(ways, routes_tried_briefly)) {
    for (const std::size_t bytes : {tile_sizes[1], tile_sizes[0]}) {
      if (largest(group, seconds_since(begin)) > brief_seconds) return best.way != nullptr ? best : usual;
      try_out(group, wanted, data, {way, {bytes, wanted.effort, false, usual.how.stream}, 0}, best);
    }
  }
  return best.way != nullptr ? best : usual;
}

bool is_measured(const request& wanted) {
  const problem& what = wanted.what;
  std::size_t most = 0;  // points of any PE: the same answer on all
  for (std::size_t pe = 0; pe < what.in.size(); pe++)
    most = std::max({most, what.in[pe].volume(), what.out[pe].volume()});
  const std::size_t bytes = most * what.complex_bytes * static_cast<std::size_t>(what.fields);
  return wanted.effort == OSHEN_FFT_MEASURE || (wanted.effort == OSHEN_FFT_BRIEF && bytes <= brief_bytes);
}

}  // namespace

std::size_t trial_bytes(const request& wanted, int me) {
  return is_measured(wanted) && wanted.what.symmetric_result() ? buffer_bytes(wanted, me) + 64 : 0;
}

std::vector<possibility> possibilities(const request& wanted) {
  const std::vector<route> ways = candidates(wanted.what, wanted.kind, machine{});
  std::vector<possibility> all{{ways[0], usual_tuning(wanted)}};
  if (!is_measured(wanted)) return all;
  constexpr std::size_t largest_tile = *std::max_element(std::begin(tile_sizes), std::end(tile_sizes));
  const auto& tried = wanted.effort == OSHEN_FFT_MEASURE ? routes_tried : routes_tried_briefly;
  for (const route* way : promising(ways, tried)) all.push_back({*way, {largest_tile, wanted.effort, false}});
  return all;
}

std::unique_ptr<transform> find_transform(oshen_group_t* group, const request& wanted,
                                          oshen_status_t* status) {
  const std::vector<route> ways = candidates(wanted.what, wanted.kind, machine{});
  choice best{&ways[0], usual_tuning(wanted), 0};
  if (wanted.effort != OSHEN_FFT_ESTIMATE) recall_wisdom();
  if (is_measured(wanted)) {
    const trial_buffer buffer(group, wanted);
    const auto there = buffer.data() == nullptr ? OSHEN_NO_SPACE : OSHEN_OK;
    if (worst(group, there) == OSHEN_OK) {
      const auto choose = wanted.effort == OSHEN_FFT_MEASURE ? fastest : fast_enough;
      best = choose(group, wanted, ways, buffer.data());
    }
  }
  auto made = make_transform(group, wanted, *best.way, best.how, status);
  if (wanted.effort == OSHEN_FFT_MEASURE && oshen_group_rank(group) == 0) keep_wisdom();
  return made;
}

}  // namespace oshen::fft
