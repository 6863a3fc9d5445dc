// Finding the best way: the cheapest by the model of costs, or the fastest of a few on this
// machine, FFTW's own way always among them.
#include <algorithm>
#include <chrono>
#include <vector>

#include "agree.hpp"
#include "transform.hpp"

namespace oshen::fft {
namespace {

constexpr std::size_t routes_tried = 4;
constexpr std::size_t tile_sizes[] = {128 << 10, 32 << 10, 512 << 10};  // the first by default
constexpr double enough_seconds = 0.02;                                 // of runs of one candidate
constexpr int most_runs = 20;

// Buffers to try on. Zeros: the values do not matter.
struct trial_buffers {
  explicit trial_buffers(const request& wanted, int me) {
    const problem& what = wanted.what;
    const auto pe = static_cast<std::size_t>(me);
    const auto fields = static_cast<std::size_t>(what.fields);
    const auto most =
        std::max({wanted.user.in, wanted.user.out, what.in[pe].volume(), what.out[pe].volume()});
    data.resize((fields * most + 1) * what.complex_bytes);
  }
  std::vector<std::byte> data;
};

double seconds_of_one(transform& tried, void* data) {
  const auto begin = std::chrono::steady_clock::now();
  tried.start(direction::forward, data, data, 1);
  tried.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The best run of the slowest PE. The number of runs follows from what all PEs know.
double seconds_of(oshen_group_t* group, transform& tried, trial_buffers& buffers) {
  void* data = buffers.data.data();
  const double first = largest(group, seconds_of_one(tried, data));
  const int runs = std::clamp(static_cast<int>(enough_seconds / first), 2, most_runs);
  double best = first;
  for (int i = 0; i < runs; i++) best = std::min(best, seconds_of_one(tried, data));
  return largest(group, best);
}

struct choice {
  const route* way;
  tuning how;
  double seconds;
};

// Memory that the caller has, but that the candidates may not, is no reason to fail: a candidate
// that does not fit is passed over.
void try_out(oshen_group_t* group, const request& wanted, trial_buffers& buffers, choice candidate,
             choice& best) {
  oshen_status_t status = OSHEN_OK;
  const auto made = make_transform(group, wanted, *candidate.way, candidate.how, &status);
  if (made == nullptr) return;
  candidate.seconds = seconds_of(group, *made, buffers);
  if (best.way == nullptr || candidate.seconds < best.seconds) best = candidate;
}

}  // namespace

std::unique_ptr<transform> find_transform(oshen_group_t* group, const request& wanted,
                                          oshen_status_t* status) {
  const std::vector<route> ways = candidates(wanted.what, wanted.kind, machine{});
  tuning how{tile_sizes[0], wanted.measure, false};
  if (!wanted.measure) return make_transform(group, wanted, ways[0], how, status);
  trial_buffers buffers(wanted, oshen_group_rank(group));
  choice best{nullptr, how, 0};
  for (std::size_t i = 0; i < ways.size(); i++) {
    if (i < routes_tried || ways[i].stages[0].at_once)
      try_out(group, wanted, buffers, {&ways[i], how, 0}, best);
  }
  if (best.way == nullptr) return make_transform(group, wanted, ways[0], how, status);
  for (const bool fuse : {false, true}) {
    for (const std::size_t bytes : tile_sizes) {
      if (bytes != how.tile_bytes || fuse)
        try_out(group, wanted, buffers, {best.way, {bytes, true, fuse}, 0}, best);
    }
  }
  return make_transform(group, wanted, *best.way, best.how, status);
}

}  // namespace oshen::fft
