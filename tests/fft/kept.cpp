// Modes that are dropped: which wave is where, the bytes that move, memory, and refusals.
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "program.hpp"

namespace {

using complex = std::complex<double>;

constexpr int nx = 12, ny = 9, nz = 10;

void cut(oshen_fft_box_t& box, int axis, int size, const oshen_group_t* group) {
  const int me = oshen_group_rank(group), n = oshen_group_size(group);
  box.low[axis] = size * me / n;
  box.size[axis] = size * (me + 1) / n - box.low[axis];
}

// Slabs along z of an array, and along y of its spectrum, with these modes. 0: all.
oshen_fft_attr_t asked(const oshen_group_t* group, bool real, std::vector<int> kept) {
  oshen_fft_attr_t a{};
  a.size = sizeof a;
  a.kind = real ? OSHEN_FFT_REAL : OSHEN_FFT_COMPLEX;
  const int extent[3] = {nx, ny, nz}, all[3] = {real ? nx / 2 + 1 : nx, ny, nz};
  for (int i = 0; i < 3; i++) {
    a.extent[i] = a.in.size[i] = extent[i];
    a.kept[i] = kept[static_cast<std::size_t>(i)];
    a.out.size[i] = a.kept[i] != 0 ? a.kept[i] : all[i];
  }
  cut(a.in, 2, nz, group);
  cut(a.out, 1, a.out.size[1], group);
  return a;
}

oshen_fft_t* made(oshen_group_t* group, const oshen_fft_attr_t& attr) {
  oshen_fft_t* fft = nullptr;
  CHECK(oshen_fft_create(group, &attr, &fft) == OSHEN_OK);
  if (fft == nullptr) shmem_global_exit(1);
  return fft;
}

// ---- waves

// The wave number of an element of a spectrum with `kept` elements along a full axis, as oshen/fft.h defines it.
int wave_number(int p, int kept) { return p < (kept + 1) / 2 ? p : p - kept; }

complex wave(int kx, int ky, int kz, int x, int y, int z) {
  const double turns = double(kx * x) / nx + double(ky * y) / ny + double(kz * z) / nz;
  return std::polar(1.0, 2 * std::acos(-1.0) * turns);
}

std::vector<complex> part_of_wave(const oshen_fft_attr_t& a, int kx, int ky, int kz) {
  std::vector<complex> part;
  for (int z = 0; z < a.in.size[2]; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) part.push_back(wave(kx, ky, kz, x, y, a.in.low[2] + z));
  return part;
}

double difference(const std::vector<complex>& a, const std::vector<complex>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); i++) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

bool remains(const oshen_fft_attr_t& a, int kx, int ky, int kz) {
  const auto along = [](int k, int kept) { return -(kept / 2) <= k && k < (kept + 1) / 2; };
  return along(kx, a.kept[0]) && along(ky, a.kept[1]) && along(kz, a.kept[2]);
}

// A wave is one element at the documented place, or nothing, and comes back unless it was dropped.
void check_wave(oshen_fft_t* fft, const oshen_fft_attr_t& a, int kx, int ky, int kz) {
  const std::vector<complex> in = part_of_wave(a, kx, ky, kz);
  std::vector<complex> expected, out(volume(a.out)), back(in.size());
  for (int z = 0; z < a.out.size[2]; z++)
    for (int y = 0; y < a.out.size[1]; y++)
      for (int x = 0; x < a.out.size[0]; x++) {
        const bool here = wave_number(x, a.kept[0]) == kx && wave_number(a.out.low[1] + y, a.kept[1]) == ky &&
                          wave_number(z, a.kept[2]) == kz;
        expected.push_back(here ? 1 : 0);
      }
  const bool kept = remains(a, kx, ky, kz);
  oshen_fft_forward(fft, in.data(), out.data(), OSHEN_FFT_SCALE_FULL);
  CHECK(difference(out, expected) < 1e-13);
  oshen_fft_backward(fft, out.data(), back.data(), OSHEN_FFT_SCALE_NONE);
  CHECK(difference(back, kept ? in : std::vector<complex>(in.size())) < 1e-12);
}

// Odd and even numbers of modes.
void check_waves(oshen_group_t* group) {
  for (const std::vector<int>& kept : {std::vector{7, 5, 7}, std::vector{6, 4, 1}}) {
    const oshen_fft_attr_t a = asked(group, false, kept);
    oshen_fft_t* fft = made(group, a);
    for (const int kx : {0, 2, 3, 4, -2, -3, -4})
      for (const int ky : {0, 2, -2, -3}) check_wave(fft, a, kx, ky, kx == 2 ? -3 : 0);
    oshen_fft_destroy(fft);
  }
}

// A convolution multiplies a kept wave by its factor, and drops the others.
void check_convolution(oshen_group_t* group) {
  oshen_fft_attr_t a = asked(group, false, {7, 4, 7});
  a.convolution = 1;
  oshen_fft_t* fft = made(group, a);
  const auto factor = [](int kx, int ky, int kz) { return complex(2 + kx, ky - 3 * kz); };
  std::vector<complex> factors;
  for (int z = 0; z < a.out.size[2]; z++)
    for (int y = 0; y < a.out.size[1]; y++)
      for (int x = 0; x < a.out.size[0]; x++)
        factors.push_back(factor(wave_number(x, 7), wave_number(a.out.low[1] + y, 4), wave_number(z, 7)));
  CHECK(oshen_fft_set_factors(fft, factors.data()) == OSHEN_OK);
  for (const int kx : {0, 3, -3, 5})
    for (const int ky : {1, -2, 3})
      for (const int kz : {-1, 4}) {
        const std::vector<complex> in = part_of_wave(a, kx, ky, kz);
        std::vector<complex> expected = in, out(in.size());
        for (complex& one : expected) one *= remains(a, kx, ky, kz) ? factor(kx, ky, kz) : 0;
        oshen_fft_convolve(fft, in.data(), out.data(), OSHEN_FFT_SCALE_FULL);
        CHECK(difference(out, expected) < 1e-12);
      }
  oshen_fft_destroy(fft);
}

// ---- bytes

std::uint64_t sum_of_all(std::uint64_t mine) {
  static std::uint64_t from, to;
  from = mine;
  shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);
  const std::uint64_t sum = to;
  shmem_barrier_all();
  return sum;
}

// Bytes that must move between PEs, of all PEs: after x and y are transformed, a PE keeps its rows of kept y of its own
// z, and the others get theirs. Nothing of a dropped mode moves.
std::uint64_t predicted(const oshen_fft_attr_t& a) {
  const int all_y = a.kept[1] != 0 ? a.kept[1] : ny;
  const auto moved = static_cast<std::uint64_t>(a.out.size[0] * (all_y - a.out.size[1]) * a.in.size[2]);
  return sum_of_all(moved * 16 * static_cast<std::uint64_t>(a.fields));
}

struct moved_bytes {
  std::uint64_t cost, runs;
};

moved_bytes moved(oshen_group_t* group, const oshen_fft_attr_t& a) {
  oshen_fft_t* fft = made(group, a);
  const auto fields = static_cast<std::size_t>(a.fields);
  std::vector<complex> in(volume(a.in) * fields), out(volume(a.out) * fields);
  oshen_fft_forward(fft, in.data(), out.data(), OSHEN_FFT_SCALE_NONE);
  oshen_fft_backward(fft, out.data(), in.data(), OSHEN_FFT_SCALE_NONE);
  oshen_fft_cost_t cost{};
  oshen_fft_stats_t stats{};
  oshen_fft_cost(fft, &cost, sizeof cost);
  oshen_fft_stats(fft, &stats, sizeof stats);
  oshen_fft_destroy(fft);
  return {sum_of_all(cost.bytes), sum_of_all(stats.exchange_bytes)};
}

void check_bytes_of(oshen_group_t* group, oshen_fft_attr_t a) {
  const std::uint64_t bytes = predicted(a);
  std::vector<const char*> strategies{nullptr, "auto"};
  oshen_strategy_info_t info;
  for (int i = 0; oshen_strategy_at(i, &info, sizeof info); i++)
    if (!may_be_refused(info.name)) strategies.push_back(info.name);
  for (const char* strategy : strategies) {
    a.strategy = strategy;
    const moved_bytes found = moved(group, a);
    CHECK(found.cost == bytes && found.runs == 2 * bytes);
  }
}

void check_bytes(oshen_group_t* group) {
  const struct {
    bool real;
    int fields;
    std::vector<int> kept;
  } rows[] = {{false, 1, {0, 0, 0}}, {false, 3, {7, 5, 7}}, {false, 1, {0, 6, 0}}, {true, 1, {4, 5, 7}}};
  for (const auto& row : rows) {
    oshen_fft_attr_t a = asked(group, row.real, row.kept);
    a.fields = row.fields;
    check_bytes_of(group, a);
  }
}

// Work memory shrinks too.
void check_memory(oshen_group_t* group) {
  oshen_fft_need_t all{}, some{};
  const oshen_fft_attr_t full = asked(group, false, {0, 0, 0}), low = asked(group, false, {7, 5, 7});
  CHECK(oshen_fft_need(group, &full, &all, sizeof all) == OSHEN_OK &&
        oshen_fft_need(group, &low, &some, sizeof some) == OSHEN_OK);
  CHECK(some.symmetric <= all.symmetric && (oshen_group_size(group) == 1 || some.symmetric < all.symmetric));
}

// ---- refusals

oshen_status_t status_of(oshen_group_t* group, const oshen_fft_attr_t& a) {
  oshen_fft_t* fft = nullptr;
  const oshen_status_t status = oshen_fft_create(group, &a, &fft);
  oshen_fft_destroy(fft);
  return status;
}

void check_refusals(oshen_group_t* group) {
  const oshen_fft_attr_t good = asked(group, false, {7, 5, 7}), real = asked(group, true, {4, 5, 7});
  CHECK(status_of(group, good) == OSHEN_OK && status_of(group, real) == OSHEN_OK);
  const auto refused = [&](oshen_fft_attr_t a, auto spoil) {
    spoil(a);
    CHECK(status_of(group, a) == OSHEN_INVALID);
  };
  refused(good, [](auto& a) { a.kept[1] = -1; });
  refused(good, [](auto& a) { a.kept[2] = nz + 1; });
  refused(real, [](auto& a) { a.kept[0] = nx / 2 + 2; });
  refused(good, [](auto& a) { a.along[2] = OSHEN_FFT_NOTHING; });
  refused(good, [](auto& a) { a.along[2] = OSHEN_FFT_HC2R; });
  refused(good, [](auto& a) { a.kept[0] = 6; });  // the boxes have 7
  oshen_fft_attr_t older = asked(group, false, {0, 0, 0});
  older.size = offsetof(oshen_fft_attr_t, kept);
  older.kept[0] = -1;  // not read
  CHECK(status_of(group, older) == OSHEN_OK);
  oshen_fft_attr_t line{};
  line.size = sizeof line;
  line.extent[0] = nx, line.extent[1] = line.extent[2] = 1;
  line.in.size[1] = line.in.size[2] = line.out.size[1] = line.out.size[2] = 1;
  cut(line.in, 0, nx, group);
  cut(line.out, 0, 5, group);
  line.kept[0] = 5;
  CHECK(status_of(group, line) == OSHEN_OK);
  refused(line, [](auto& a) { a.columns = 3; });
  if (oshen_group_size(group) == 1) return;
  oshen_fft_attr_t differs = good;
  if (oshen_group_rank(group) != 0) differs.kept[2] = 0;
  CHECK(status_of(group, differs) == OSHEN_MISMATCH);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, [](oshen_group_t* group, random_source&, random_source&) {
    check_waves(group);
    check_convolution(group);
    check_bytes(group);
    check_memory(group);
    check_refusals(group);
  });
}
