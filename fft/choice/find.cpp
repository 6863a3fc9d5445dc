// Chooses the best route: the cheapest by the cost model, or the fastest of a few on this machine. One FFTW plan for
// the whole array is always among those measured, if possible.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "fft/choice/auto_transform.hpp"
#include "fft/choice/find.hpp"
#include "fft/geometry/cost.hpp"
#include "fft/moves/agree.hpp"
#include "fft/passes/wisdom.hpp"
#include "trials/trial_course.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t routes_measured[] = {3, 6};  // of routes that push, and that gather
constexpr std::size_t routes_measured_briefly[] = {1, 2};
constexpr double brief_seconds = 0.05;        // starts no new candidate after this time
constexpr std::size_t brief_bytes = 8 << 20;  // of one PE: a few runs with more would take longer than that
constexpr std::size_t tile_sizes[] = {32 << 10, 128 << 10, 16 << 10, 512 << 10};
constexpr std::size_t usual_tile = 128 << 10;
// Arrays for which streaming is measured. For smaller ones it gains only between distant caches, and it loses much
// elsewhere, where the CPUs of a virtual machine may run next.
constexpr std::size_t large_array = 16 << 20;
constexpr double batch_seconds = 0.004, enough_seconds = 0.1;
constexpr int most_batches = 4, most_runs = 100;

// Of all PEs.
std::size_t array_bytes(const fft_problem& problem) {
  std::size_t bytes = problem.complex_bytes * static_cast<std::size_t>(problem.fields);
  for (const int n : problem.extent) bytes *= static_cast<std::size_t>(n);
  return bytes;
}

// Bytes of the last-level cache, as Linux reports for the first CPU; 32 MiB if it reports none.
std::size_t last_cache_bytes() {
  std::size_t kib = 32 << 10;
  for (int level = 0;; level++) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size");
    std::size_t size = 0;
    char unit = 0;
    if (!(file >> size >> unit) || unit != 'K') return kib << 10;
    kib = size;
  }
}

// Whether an array and a work array exceed the caches, so that results should be streamed. PEs may differ.
bool streams(const fft_problem& problem) { return can_stream && 2 * array_bytes(problem) > last_cache_bytes(); }

tuning usual_tuning(const request& wanted) { return {usual_tile, wanted.effort, false, streams(wanted.problem)}; }

// Bytes of the trial buffer.
std::size_t buffer_bytes(const request& wanted, int me) {
  const fft_problem& problem = wanted.problem;
  const auto pe = static_cast<std::size_t>(me);
  const auto fields = static_cast<std::size_t>(problem.fields);
  const distances& field_distances = wanted.field_distances[pe];
  const auto most = std::max({field_distances.in, field_distances.out, problem.in[pe].span(), problem.out[pe].span()});
  return (fields * most + 1) * problem.complex_bytes;
}

// A buffer for trial runs in place. It holds zeros: the values do not matter.
class trial_buffer {
 public:
  trial_buffer(oshen_group_t* group, const request& wanted) {
    const std::size_t bytes = buffer_bytes(wanted, oshen_group_rank(group));
    if (wanted.problem.symmetric_result()) {
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

double seconds_since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

// Seconds of one run, averaged over a batch. With more PEs than CPUs, a single run may leave out work that other PEs
// still have to do.
double seconds_of_one(transform& tried, void* data, int runs) {
  const auto begin = clock::now();
  for (int i = 0; i < runs; i++) {
    tried.start(direction::forward, data, data, 1);
    tried.wait();
  }
  return seconds_since(begin) / runs;
}

bool is_hopeless(double seconds, double best_yet) { return seconds > 1.6 * best_yet; }

// The best run or batch of the slowest PE. Short runs are repeated more often; candidates that are far behind, only a
// few times. All PEs derive the same counts from values that they all know.
double seconds_of(oshen_group_t* group, transform& tried, void* data, double best_yet) {
  seconds_of_one(tried, data, 1);
  double best = largest(group, seconds_of_one(tried, data, 1));
  const int chances = best < 0.01 ? 2 : 0;
  for (int i = 0; i < chances && is_hopeless(best, best_yet); i++)
    best = std::min(best, largest(group, seconds_of_one(tried, data, 1)));
  if (is_hopeless(best, best_yet)) return best;
  const int runs = std::clamp(static_cast<int>(batch_seconds / best), 1, most_runs);
  const int batches = std::min(most_batches, static_cast<int>(enough_seconds / (runs * best)));
  for (int b = 0; b < batches; b++) best = std::min(best, largest(group, seconds_of_one(tried, data, runs)));
  return best;
}

struct choice {
  const route* chain;
  tuning options;
  double seconds;
};

// Measures a candidate. One that does not fit into memory is passed over, because another one may fit. Returns false
// if it is not worth measuring with other tile sizes.
bool measure_candidate(oshen_group_t* group, const request& wanted, void* data, choice candidate, choice& best) {
  oshen_status_t status = OSHEN_OK;
  const auto made = make_transform(group, wanted, *candidate.chain, candidate.options, &status);
  if (made == nullptr) return true;
  candidate.seconds = seconds_of(group, *made, data, best.seconds);
  const bool good = !is_hopeless(candidate.seconds, best.seconds);
  if (candidate.seconds < best.seconds) best = candidate;
  return good;
}

// The cheapest routes that gather, the cheapest that push, and the plan for the whole array.
std::vector<const route*> shortlist(const std::vector<route>& routes, const std::size_t (&tried)[2]) {
  std::vector<const route*> chosen;
  std::size_t left[] = {tried[0], tried[1]};
  for (const route& chain : routes) {
    if (left[chain.gather] == 0 && !chain.stages[0].at_once) continue;
    if (left[chain.gather] != 0) left[chain.gather]--;
    chosen.push_back(&chain);
  }
  return chosen;
}

// The best route, with two tile sizes; then other options for that route.
choice measure_all(oshen_group_t* group, const request& wanted, const std::vector<route>& routes, void* data) {
  const tuning usual = usual_tuning(wanted);
  choice best{nullptr, {}, HUGE_VAL};
  for (const route* chain : shortlist(routes, routes_measured)) {
    if (measure_candidate(group, wanted, data, {chain, {tile_sizes[0], wanted.effort, false, usual.stream}, 0}, best))
      measure_candidate(group, wanted, data, {chain, {tile_sizes[1], wanted.effort, false, usual.stream}, 0}, best);
  }
  if (best.chain == nullptr) return {&routes[0], usual, 0};
  const tuning found = best.options;
  for (const bool fuse : {false, true}) {
    for (const std::size_t bytes : tile_sizes) {
      if (bytes != found.tile_bytes || fuse)
        measure_candidate(group, wanted, data, {best.chain, {bytes, wanted.effort, fuse, usual.stream}, 0}, best);
    }
  }
  choice otherwise = best;
  otherwise.options.stream = !best.options.stream;
  if (can_stream && array_bytes(wanted.problem) >= large_array) measure_candidate(group, wanted, data, otherwise, best);
  return best;
}

// The best of a few routes within the time limit. All PEs use the time of the slowest.
choice measure_briefly(oshen_group_t* group, const request& wanted, const std::vector<route>& routes, void* data) {
  const choice usual{&routes[0], usual_tuning(wanted), 0};
  choice best{nullptr, {}, HUGE_VAL};
  const auto begin = clock::now();
  for (const route* chain : shortlist(routes, routes_measured_briefly)) {
    for (const std::size_t bytes : {tile_sizes[1], tile_sizes[0]}) {
      if (largest(group, seconds_since(begin)) > brief_seconds) return best.chain != nullptr ? best : usual;
      measure_candidate(group, wanted, data, {chain, {bytes, wanted.effort, false, usual.options.stream}, 0}, best);
    }
  }
  return best.chain != nullptr ? best : usual;
}

// As many candidates as trials take, all with different names.
class few_candidates {
 public:
  // Returns false if there is no room for it, or it is there.
  bool add(const route& chain, const tuning& options) {
    candidate_plan one{chain, options};
    const auto has_its_name = [&](const candidate_plan& other) { return name_of(other) == name_of(one); };
    if (all_.size() == trials::most_candidates || std::ranges::any_of(all_, has_its_name)) return false;
    all_.push_back(std::move(one));
    return true;
  }
  // Adds the first route with process grids that no candidate has.
  bool add_another_grid(const std::vector<route>& routes, const tuning& options, double most_seconds) {
    const auto is_new = [&](const route& chain) {
      const auto has_its_grids = [&](const candidate_plan& other) {
        return other.chain.process_grids() == chain.process_grids();
      };
      return chain.cost <= most_seconds && std::ranges::none_of(all_, has_its_grids);
    };
    const auto found = std::ranges::find_if(routes, is_new);
    return found != routes.end() && add(*found, options);
  }
  const std::vector<candidate_plan>& all() const { return all_; }

 private:
  std::vector<candidate_plan> all_;
};

bool is_measured(const request& wanted) {
  const fft_problem& problem = wanted.problem;
  std::size_t most = 0;  // points of any PE, so that all PEs decide alike
  for (std::size_t pe = 0; pe < problem.in.size(); pe++)
    most = std::max({most, problem.in[pe].volume(), problem.out[pe].volume()});
  const std::size_t bytes = most * problem.complex_bytes * static_cast<std::size_t>(problem.fields);
  return wanted.effort == OSHEN_FFT_MEASURE || (wanted.effort == OSHEN_FFT_BRIEF && bytes <= brief_bytes);
}

}  // namespace

std::size_t trial_bytes(const request& wanted, int me) {
  return is_measured(wanted) && wanted.problem.symmetric_result() ? buffer_bytes(wanted, me) + 64 : 0;
}

std::vector<candidate_plan> candidate_plans(const request& wanted) {
  const std::vector<route> routes = candidates(wanted.problem, wanted.kind, machine_model{});
  std::vector<candidate_plan> all{{routes[0], usual_tuning(wanted)}};
  if (!is_measured(wanted)) return all;
  constexpr std::size_t largest_tile = *std::max_element(std::begin(tile_sizes), std::end(tile_sizes));
  const auto& tried = wanted.effort == OSHEN_FFT_MEASURE ? routes_measured : routes_measured_briefly;
  for (const route* chain : shortlist(routes, tried)) all.push_back({*chain, {largest_tile, wanted.effort, false}});
  return all;
}

std::string name_of(const candidate_plan& way) {
  std::string name = way.chain.text();
  std::erase(name, ' ');
  char before = '/';
  for (const grid3& grid : way.chain.process_grids()) {
    name += before + std::to_string(grid[0]) + 'x' + std::to_string(grid[1]) + 'x' + std::to_string(grid[2]);
    before = ',';
  }
  name += '/' + std::to_string(way.options.tile_bytes >> 10) + 'K';
  if (way.options.stream) name += "/streamed";
  return way.strategy == nullptr ? name : name + '/' + way.strategy;
}

bool tries_strategies(const request& wanted) {
  return !wanted.problem.direct && wanted.strategy != nullptr && std::strcmp(wanted.strategy, "auto") == 0;
}

request with_strategy(const request& wanted, const candidate_plan& one) {
  request with = wanted;
  if (one.strategy != nullptr) with.strategy = one.strategy;
  return with;
}

std::vector<candidate_plan> live_routes(const request& wanted) {
  const std::vector<route> routes = candidates(wanted.problem, wanted.kind, machine_model{});
  const tuning usual = usual_tuning(wanted);
  few_candidates few;
  few.add(routes[0], usual);
  if (tries_strategies(wanted)) {  // their times decide which grid is cheap, so the cost of a route says little
    while (few.add_another_grid(routes, usual, HUGE_VAL)) continue;
    return few.all();
  }
  // The whole array at once says nothing about the other routes: FFTW needs more time than it has here to find its best
  // plan for that, and falls back on an estimate.
  const auto in_tiles = std::ranges::find_if(routes, [](const route& chain) { return !chain.stages[0].at_once; });
  if (in_tiles == routes.end()) return few.all();
  const double most_seconds = trials::promising * in_tiles->cost;
  few.add_another_grid(routes, usual, most_seconds);
  for (const route* chain : shortlist(routes, routes_measured_briefly)) {
    if (chain->stages[0].at_once || chain->cost <= most_seconds) few.add(*chain, usual);
  }
  few.add(*in_tiles, {tile_sizes[0], usual.effort, usual.fuse, usual.stream});
  return few.all();
}

std::unique_ptr<transform> find_transform(oshen_group_t* group, const request& wanted, oshen_status_t* status) {
  if (wanted.effort == OSHEN_FFT_AUTO) return find_live(group, wanted, status);
  const std::vector<route> routes = candidates(wanted.problem, wanted.kind, machine_model{});
  choice best{&routes[0], usual_tuning(wanted), 0};
  if (wanted.effort != OSHEN_FFT_ESTIMATE) recall_wisdom();
  if (is_measured(wanted)) {
    const trial_buffer buffer(group, wanted);
    const auto there = buffer.data() == nullptr ? OSHEN_NO_SPACE : OSHEN_OK;
    if (worst_status(group, there) == OSHEN_OK) {
      const auto choose = wanted.effort == OSHEN_FFT_MEASURE ? measure_all : measure_briefly;
      best = choose(group, wanted, routes, buffer.data());
    }
  }
  auto made = make_transform(group, wanted, *best.chain, best.options, status);
  if (wanted.effort == OSHEN_FFT_MEASURE && oshen_group_rank(group) == 0) keep_wisdom();
  return made;
}

}  // namespace oshen::fft
