// Our transform in place, and its limit: ours N SECONDS [line] [efforts]
//
// It goes brick to brick, and from slabs to slabs that are left transposed as by FFTW-MPI, in ordinary and in symmetric
// buffers. Bricks are those of LAMMPS for a cube: 1 x 1 x 1, 1 x 1 x 2, 1 x 2 x 2. With `line` the array has one axis,
// and the blocks of oshen_fft_line. The limit is the time of the one-dimensional transforms in the cache, plus one copy
// of this PE's data per pass, on all PEs at the same time. With `efforts` it measures what each effort costs and gains
// instead; the user's cache folder then has the plans for later runs without.
#include <fftw3.h>
#include <oshen/fft.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "report.h"

namespace {

constexpr std::size_t lines_at_once = 8;

// Symmetric memory for one number of each batch, before and after a reduction.
double* reduced(const double (&mine)[BATCHES], bool largest) {
  static double* given = static_cast<double*>(shmem_malloc(2 * sizeof mine));
  shmem_sync_all();  // all PEs have read the results of the last call
  std::copy_n(mine, BATCHES, given);
  const auto reduce = largest ? shmem_double_max_reduce : shmem_double_min_reduce;
  reduce(SHMEM_TEAM_WORLD, given + BATCHES, given, BATCHES);
  return given + BATCHES;
}

double largest_of(double mine) {
  const double one[BATCHES] = {mine};
  return reduced(one, true)[0];
}

struct batches {
  double seconds[BATCHES];  // of one run
  double beats[BATCHES];    // about each batch, of the slowest PE
  int runs;                 // in each
};

template <class Run>
batches measure(double seconds, Run run) {
  batches result{};
  run();
  shmem_barrier_all();
  const double begin = now_seconds();
  run();
  result.runs = runs_for(seconds, largest_of(now_seconds() - begin));
  double starts[BATCHES], ends[BATCHES];
  for (int b = 0; b < BATCHES; b++) {
    result.beats[b] = beat();
    shmem_barrier_all();
    starts[b] = now_seconds();
    for (int i = 0; i < result.runs; i++) run();
    ends[b] = now_seconds();
    result.beats[b] = worse(result.beats[b], beat());
  }
  std::copy_n(reduced(starts, false), BATCHES, starts);
  std::copy_n(reduced(ends, true), BATCHES, ends);
  std::copy_n(reduced(result.beats, true), BATCHES, result.beats);
  for (int b = 0; b < BATCHES; b++) result.seconds[b] = (ends[b] - starts[b]) / result.runs;
  return result;
}

struct batch {
  double seconds, beat;
};

template <class Run>
batch best_run(double seconds, Run run) {
  const batches all = measure(seconds, run);
  const auto best = std::min_element(all.seconds, all.seconds + BATCHES) - all.seconds;
  return {all.seconds[best], all.beats[best]};
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

// Planes in; out, planes of the other slow axis, which is then second.
void set_slabs(oshen_fft_attr_t& attr, int n, int me, int pes) {
  attr.in = {{0, 0, n * me / pes}, {n, n, n * (me + 1) / pes - n * me / pes}, {}};
  attr.out = {{0, attr.in.low[2], 0}, {n, attr.in.size[2], n}, {0, 2, 1}};
}

// The fastest blocks of an array of one axis, and of its spectrum in natural order.
void set_line(oshen_fft_attr_t& attr, int n, int me, int pes) {
  std::fill_n(attr.extent + 1, 2, 1);
  oshen_fft_line(n, pes, me, &attr.in, &attr.out);
}

void set_line_transposed(oshen_fft_attr_t& attr, int n, int me, int pes) {
  attr.columns = oshen_fft_line(n, pes, me, &attr.in, nullptr);
  attr.out = attr.in;
}

batch copies(std::size_t bytes) {
  std::vector<char> from(bytes), to(bytes);
  return best_run(0.1, [&] {
    std::memcpy(to.data(), from.data(), bytes);
    asm volatile("" : : "r"(to.data()) : "memory");
  });
}

// `lines` one-dimensional transforms of n, always in the same few lines.
batch lines_in_cache(int n, std::size_t lines) {
  const std::size_t size = static_cast<std::size_t>(n) * lines_at_once;
  auto* data = fftw_alloc_complex(size);
  const int many = lines_at_once;
  fftw_plan plan =
      fftw_plan_many_dft(1, &n, many, data, nullptr, many, 1, data, nullptr, many, 1, FFTW_FORWARD, FFTW_MEASURE);
  std::memset(data, 0, size * sizeof *data);
  const batch best = best_run(0.1, [&] {
    for (std::size_t i = 0; i < lines; i += lines_at_once) fftw_execute(plan);
  });
  fftw_destroy_plan(plan);
  fftw_free(data);
  return best;
}

// The larger of this PE's boxes.
std::size_t points_of(const oshen_fft_attr_t& attr) {
  std::size_t most = 0;
  for (const oshen_fft_box_t* box : {&attr.in, &attr.out}) {
    std::size_t points = 1;
    for (const int size : box->size) points *= static_cast<std::size_t>(size);
    most = std::max(most, points);
  }
  return most;
}

// Transforms of one axis: all that every PE's share of the array needs.
struct lines {
  int length;
  std::size_t count;
};

std::vector<lines> lines_of_cube(int n, std::size_t points) { return {{n, 3 * points / static_cast<std::size_t>(n)}}; }

// The columns and the rows of the matrix that an array of one axis is treated as.
std::vector<lines> lines_of_matrix(int n, int pes) {
  oshen_fft_box_t block;
  const int columns = oshen_fft_line(n, pes, 0, &block, nullptr), rows = n / columns;
  return {{rows, static_cast<std::size_t>(columns / pes)}, {columns, static_cast<std::size_t>(rows / pes)}};
}

// A copy of this PE's data, and its share of the lines.
void report_limit(std::size_t points, const std::vector<lines>& share) {
  const batch copy = copies(points * 16);
  batch all{0, 0};
  for (const lines& one : share) {
    const batch now = lines_in_cache(one.length, one.count);
    all = {all.seconds + now.seconds, worse(all.beat, now.beat)};
  }
  if (shmem_my_pe() != 0) return;
  json_line line = json_begin(stdout);
  json_text(&line, "name", "limit");
  json_number(&line, "copy_ms", 1e3 * copy.seconds, 6);
  json_number(&line, "lines_ms", 1e3 * all.seconds, 6);
  json_number(&line, "beat_us", 1e6 * worse(copy.beat, all.beat), 3);
  json_end(&line);
}

// Passes: bytes read and written, in copies of this PE's data.
void report_route(const char* name, const oshen_fft_t* fft, std::size_t points) {
  oshen_fft_cost_t cost;
  oshen_fft_cost(fft, &cost, sizeof cost);
  char text[200];
  oshen_fft_describe(fft, text, sizeof text);
  if (shmem_my_pe() != 0) return;
  json_line line = json_begin(stdout);
  json_text(&line, "name", (std::string("route of ") + name).c_str());
  json_number(&line, "passes", static_cast<double>(cost.bytes_pass) / static_cast<double>(2 * 16 * points), 3);
  json_text(&line, "route", text);
  json_end(&line);
}

void measure_transform(oshen_group_t* group, oshen_fft_attr_t attr, const char* name, bool symmetric, double seconds) {
  const std::size_t points = points_of(attr), bytes = 16 * points;
  if (symmetric) attr.buffers = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC;
  oshen_fft_t* fft = nullptr;
  if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
  oshen_arena_t* arena = oshen_group_arena(group);
  void* data = symmetric ? oshen_arena_alloc(arena, bytes) : std::malloc(bytes);
  if (data == nullptr) shmem_global_exit(1);
  std::memset(data, 0, bytes);
  batches all = measure(seconds, [&] { oshen_fft_forward(fft, data, data, OSHEN_FFT_SCALE_NONE); });
  if (shmem_my_pe() == 0) report(name, all.seconds, all.beats, all.runs);
  report_route(name, fft, points);
  oshen_fft_destroy(fft);
  if (!symmetric) return std::free(data);
  shmem_barrier_all();
  oshen_arena_free(arena, data);
}

void report_planning(const char* effort, double planning, const batch& run) {
  json_line line = json_begin(stdout);
  json_text(&line, "name", (std::string("planning by ") + effort).c_str());
  json_number(&line, "plan_ms", 1e3 * planning, 4);
  json_number(&line, "run_ms", 1e3 * run.seconds, 6);
  json_number(&line, "beat_us", 1e6 * run.beat, 3);
  json_end(&line);
}

// The cost of each effort and its gain; the cheaper first, because FFTW remembers.
void report_efforts(oshen_group_t* group, oshen_fft_attr_t attr, double seconds) {
  struct {
    oshen_fft_effort_t effort;
    const char* name;
  } const efforts[] = {{OSHEN_FFT_ESTIMATE, "ESTIMATE"},
                       {OSHEN_FFT_AUTO, "AUTO"},  // tries routes in the runs before the best batch
                       {OSHEN_FFT_BRIEF, "BRIEF"},
                       {OSHEN_FFT_MEASURE, "MEASURE"}};
  const std::size_t bytes = 16 * points_of(attr);
  void* data = std::calloc(bytes, 1);
  if (data == nullptr) shmem_global_exit(1);
  for (const auto& e : efforts) {
    attr.effort = e.effort;
    oshen_fft_t* fft = nullptr;
    shmem_barrier_all();
    const double begin = now_seconds();
    if (oshen_fft_create(group, &attr, &fft) != OSHEN_OK) shmem_global_exit(1);
    const double planning = largest_of(now_seconds() - begin);
    const batch run = best_run(seconds / 2, [&] { oshen_fft_forward(fft, data, data, OSHEN_FFT_SCALE_NONE); });
    if (shmem_my_pe() == 0) report_planning(e.name, planning, run);
    oshen_fft_destroy(fft);
  }
  std::free(data);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 32;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0.2;
  bool is_line = false, only_efforts = false;
  for (int i = 3; i < argc; i++) {
    is_line |= std::strcmp(argv[i], "line") == 0;
    only_efforts |= std::strcmp(argv[i], "efforts") == 0;
  }
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  oshen_arena_t* arena = nullptr;
  oshen_group_t* group = nullptr;
  oshen_fft_attr_t attr{};
  attr.size = sizeof attr;
  std::fill_n(attr.extent, 3, n);
  attr.effort = OSHEN_FFT_MEASURE;
  (is_line ? set_line : set_brick)(attr, n, me, pes);
  std::size_t whole = 16;
  for (const int side : attr.extent) whole *= static_cast<std::size_t>(side);
  if (oshen_arena_create(4 * whole + (16 << 20), &arena) != OSHEN_OK ||
      oshen_group_create(arena, SHMEM_TEAM_WORLD, &group) != OSHEN_OK) {
    shmem_global_exit(1);
  }
  if (only_efforts) {
    report_efforts(group, attr, seconds);
  } else {
    measure_transform(group, attr, "oshen, ordinary buffers", false, seconds);
    measure_transform(group, attr, "oshen, symmetric buffers", true, seconds);
    report_limit(points_of(attr), is_line ? lines_of_matrix(n, pes) : lines_of_cube(n, points_of(attr)));
    (is_line ? set_line_transposed : set_slabs)(attr, n, me, pes);
    measure_transform(group, attr, "oshen transposed, ordinary buffers", false, seconds);
    measure_transform(group, attr, "oshen transposed, symmetric buffers", true, seconds);
  }
  oshen_group_destroy(group);
  oshen_arena_destroy(arena);
  shmem_finalize();
  return 0;
}
