// Our transform, brick to brick in place, and the limit: ours N SECONDS
//
// Bricks are those of LAMMPS for a cube: 1 x 1 x 1, 1 x 1 x 2, 1 x 2 x 2. The limit is the time of
// the one-dimensional transforms in the cache plus that of one copy of this PE's part for each
// pass, all PEs at the same time.
#include <fftw3.h>
#include <oshen/fft.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "report.h"

namespace {

constexpr std::size_t lines_at_once = 8;

double* worst_of(std::vector<double>& mine) {
  const std::size_t n = mine.size();
  static double* given = static_cast<double*>(shmem_malloc(2 * MOST_RUNS * sizeof(double)));
  std::copy(mine.begin(), mine.end(), given);
  shmem_double_max_reduce(SHMEM_TEAM_WORLD, given + MOST_RUNS, given, n);
  return given + MOST_RUNS;
}

double worst_of(double mine) {
  std::vector<double> one{mine};
  return *worst_of(one);
}

// Each run after a barrier; the slowest PE's time of each.
template <class Run>
double* time_runs(double seconds, int* runs, Run run) {
  run();
  shmem_barrier_all();
  const double begin = now_seconds();
  run();
  *runs = runs_for(seconds, worst_of(now_seconds() - begin));
  std::vector<double> mine;
  for (int i = 0; i < *runs; i++) {
    shmem_barrier_all();
    const double start = now_seconds();
    run();
    mine.push_back(now_seconds() - start);
  }
  return worst_of(mine);
}

template <class Run>
double best_run(double seconds, Run run) {
  int runs = 0;
  const double* times = time_runs(seconds, &runs, run);
  return *std::min_element(times, times + runs);
}

void set_brick(oshen_fft_attr_t& attr, int n, int me, int pes) {
  const int parts_z = pes >= 2 ? 2 : 1, parts_y = pes / parts_z;
  const int y = me % parts_y, z = me / parts_y;
  attr.in.size[0] = n;
  attr.in.low[1] = n * y / parts_y;
  attr.in.size[1] = n * (y + 1) / parts_y - attr.in.low[1];
  attr.in.low[2] = n * z / parts_z;
  attr.in.size[2] = n * (z + 1) / parts_z - attr.in.low[2];
  attr.out = attr.in;
}

double copy_seconds(std::size_t bytes) {
  std::vector<char> from(bytes), to(bytes);
  return best_run(0.1, [&] {
    std::memcpy(to.data(), from.data(), bytes);
    asm volatile("" : : "r"(to.data()) : "memory");
  });
}

// `lines` one-dimensional transforms of n, over and over in the same few lines.
double lines_seconds(int n, std::size_t lines) {
  const std::size_t size = static_cast<std::size_t>(n) * lines_at_once;
  auto* data = fftw_alloc_complex(size);
  const int many = lines_at_once;
  fftw_plan plan = fftw_plan_many_dft(1, &n, many, data, nullptr, many, 1, data, nullptr, many, 1,
                                      FFTW_FORWARD, FFTW_MEASURE);
  std::memset(data, 0, size * sizeof *data);
  const double seconds = best_run(0.1, [&] {
    for (std::size_t i = 0; i < lines; i += lines_at_once) fftw_execute(plan);
  });
  fftw_destroy_plan(plan);
  fftw_free(data);
  return seconds;
}

void report_limit(const oshen_fft_t* fft, int n, std::size_t points) {
  oshen_fft_cost_t cost;
  oshen_fft_cost(fft, &cost);
  char text[200];
  oshen_fft_describe(fft, text, sizeof text);
  const double copy = copy_seconds(points * 16);
  const double lines = lines_seconds(n, 3 * points / static_cast<std::size_t>(n));
  if (shmem_my_pe() != 0) return;
  std::printf(
      "{\"name\": \"limit\", \"passes\": %d, \"copy_ms\": %.6f, \"lines_ms\": %.6f, "
      "\"best_ms\": %.6f, \"route\": \"%s\"}\n",
      cost.passes, 1e3 * copy, 1e3 * lines, 1e3 * (cost.passes * copy + lines), text);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 32;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0.2;
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  oshen_arena_t* arena = nullptr;
  oshen_group_t* group = nullptr;
  oshen_fft_t* fft = nullptr;
  oshen_fft_attr_t attr{};
  attr.size = sizeof attr;
  std::fill_n(attr.extent, 3, n);
  attr.effort = OSHEN_FFT_MEASURE;
  set_brick(attr, n, me, pes);
  const auto side = static_cast<std::size_t>(n);
  const std::size_t whole = side * side * side * 16;
  if (oshen_arena_create(4 * whole + (16 << 20), &arena) != OSHEN_OK ||
      oshen_group_create(arena, SHMEM_TEAM_WORLD, &group) != OSHEN_OK ||
      oshen_fft_create(group, &attr, &fft) != OSHEN_OK) {
    shmem_global_exit(1);
  }
  std::size_t points = 1;
  for (const int size : attr.in.size) points *= static_cast<std::size_t>(size);
  std::vector<double> data(2 * points);
  int runs = 0;
  double* times = time_runs(seconds, &runs, [&] {
    oshen_fft_forward(fft, data.data(), data.data(), OSHEN_FFT_SCALE_NONE);
  });
  if (me == 0) report("oshen brick to brick", times, runs);
  report_limit(fft, n, points);
  oshen_fft_destroy(fft);
  oshen_group_destroy(group);
  oshen_arena_destroy(arena);
  shmem_finalize();
  return 0;
}
