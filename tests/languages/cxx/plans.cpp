// Objects of oshen/exchange.hpp and oshen/fft.hpp: their results, their lifetime, their exceptions.
#include <shmemx.h>
#include <oshen/fft.hpp>
#include <oshen/oshen.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

#include "../../support/check.h"

namespace {

using complex = std::complex<double>;

template <class Error, class Call>
bool throws(Call call) {
  try {
    call();
  } catch (const Error&) {
    return true;
  }
  return false;
}

std::size_t allocations() {
  shmemx_heap_info_t heap;
  require(shmemx_heap_info(&heap, sizeof heap) == 0, "heap_info");
  return heap.allocations;
}

// The ghost elements of a field on a torus of two axes: its corners come from the diagonal neighbours.
void torus(oshen::group& group) {
  const oshen::grid parts(group.size(), {6, 4, 1});
  const oshen::halo around{parts, {1, 1, 0}, {1, 1, 0}, 3};
  oshen::plan<int> plan(group, around, "put_signal");
  const auto [low, size] = parts.box(group.rank());
  const oshen::grid::three all = around.extents(group.rank());
  require(all[0] == size[0] + 2 && all[1] == size[1] + 2 && all[2] == 1, "extents");
  std::vector<int> field(static_cast<std::size_t>(all[0] * all[1]), -1);
  const auto number = [&, &first = low](int i, int j) {
    return (first[0] + i + 6) % 6 + 10 * ((first[1] + j + 4) % 4);
  };
  const auto at = [&](int i, int j) -> int& { return field[static_cast<std::size_t>(i + 1 + all[0] * (j + 1))]; };
  for (int j = 0; j < size[1]; j++)
    for (int i = 0; i < size[0]; i++) at(i, j) = number(i, j);
  plan.run(field);
  for (int j = -1; j <= size[1]; j++)
    for (int i = -1; i <= size[0]; i++) require(at(i, j) == number(i, j), "ghost");
  field.pop_back();
  require(throws<std::out_of_range>([&] { plan.run(field); }), "a short field");
  const oshen::halo negative{parts, {-1, 0, 0}, {0, 0, 0}};
  require(throws<oshen::status_error>([&] { oshen::plan<int>(group, negative); }), "a negative width");
}

// Halos of a ring, and a column of a matrix that becomes a row.
void exchanges(oshen::group& group) {
  const int me = group.rank(), n = group.size(), right = (me + 1) % n, left = (me + n - 1) % n;
  oshen::messages<double> who;
  who.send(right, 3, 2);
  who.receive(left, 0, 2);
  who.send(left, 1, {3, 1, 1}, {4, 0, 0});
  who.receive(right, 5, {3, 1, 1}, {1, 0, 0});
  require(who.in_elements() == 10 && who.out_elements() == 8, "reach");
  oshen::plan<double> plan(group, who, "put_signal");
  require(std::string(plan.strategy()) == "put_signal", "strategy");
  std::vector<double> in(10), out(8, -1);
  for (std::size_t i = 0; i < in.size(); i++) in[i] = 100 * me + static_cast<double>(i);
  plan.run(in, out);
  require(out[0] == 100 * left + 3 && out[1] == 100 * left + 4 && out[2] == -1, "contiguous");
  require(out[5] == 100 * right + 1 && out[6] == 100 * right + 5 && out[7] == 100 * right + 9, "strided");

  oshen::plan<double> moved(std::move(plan));
  out.assign(out.size(), -1);
  moved.start(in, out);
  int peers = 0;
  while (moved.wait_any() >= 0) peers++;
  moved.release();
  require(peers == (n == 1 ? 1 : n == 2 ? 1 : 2) && out[7] == 100 * right + 9, "in parts");
  out.pop_back();
  require(throws<std::out_of_range>([&] { moved.run(in, out); }), "out is too short");
  require(throws<oshen::status_error>([&] { oshen::plan<double>(group, who, "direct"); }), "direct without promise");
}

// Elements by index on one side, contiguous on the other; and the grid of the same PEs.
void elements_anywhere(oshen::group& group) {
  const int me = group.rank(), n = group.size(), right = (me + 1) % n, left = (me + n - 1) % n;
  const std::size_t from[] = {7, 2, 5}, to[] = {4, 0, 9};
  oshen::messages<double> who;
  who.send(right, 0, 1);
  who.send(right, from);
  who.send(left, 8, 3);
  who.receive(left, 11, 1);
  who.receive(left, 1, 3);
  who.receive(right, to);
  require(who.in_elements() == 11 && who.out_elements() == 12, "reach of lists");
  require(oshen::plan<double>::need(group, who, "put_signal").ordinary > 0, "need");
  oshen::plan<double> plan(group, who, "put_signal");
  std::vector<double> in(11), out(12, -1);
  for (std::size_t i = 0; i < in.size(); i++) in[i] = 100 * me + static_cast<double>(i);
  plan.run(in, out);
  require(out[11] == 100 * left && out[1] == 100 * left + 7 && out[2] == 100 * left + 2 && out[3] == 100 * left + 5,
          "gathered");
  require(out[4] == 100 * right + 8 && out[0] == 100 * right + 9 && out[9] == 100 * right + 10, "scattered");
  require(out[5] == -1 && out[10] == -1, "the rest is left alone");

  const oshen::grid grid(n, {8, 8, 64});
  const auto [low, size] = grid.box(me);
  require(grid.dims()[2] == n && size[0] == 8 && low[2] == 64 * me / n, "a grid");
  require(grid.member({0, 0, grid.coords(me)[2] + 1}, 1u << 2) == right, "a ring");
  require(throws<oshen::status_error>([&] { oshen::grid(n, {8, 8, 8}, {n + 1, 0, 0}); }), "a grid that cannot be");
}

// A plane wave transforms to one number; forward and backward restore the input.
void transforms(oshen::group& group) {
  constexpr int edge = 8, points = edge * edge * edge;
  const int low = edge * group.rank() / group.size(), high = edge * (group.rank() + 1) / group.size();
  const oshen::fft_box slab{{0, 0, low}, {edge, edge, high - low}, {}};
  oshen::complex_fft<double> fft(group, {edge, edge, edge}, slab, slab);
  require(fft.in_elements() == static_cast<std::size_t>(edge * edge * (high - low)), "elements");
  std::vector<complex> data(fft.in_elements());
  for (std::size_t i = 0; i < data.size(); i++)
    data[i] = std::polar(1.0, 2 * std::acos(-1.0) * 3 * static_cast<double>(i % edge) / edge);
  const std::vector<complex> before = data;
  fft.forward(data, data);
  for (std::size_t i = 0; i < data.size(); i++)
    require(std::abs(data[i] - (low == 0 && i == 3 ? complex(points) : complex())) < 1e-9, "forward");
  fft.backward_start(data, data, OSHEN_FFT_SCALE_FULL);
  while (!fft.test()) {
  }
  fft.wait();
  for (std::size_t i = 0; i < data.size(); i++) require(std::abs(data[i] - before[i]) < 1e-12, "backward");
  require(!fft.describe().empty() && fft.workspace().symmetric + fft.workspace().ordinary > 0, "describe");
  require(throws<std::out_of_range>([&] { fft.forward(data, std::span<complex>(data).first(data.size() / 2)); }) ||
              data.size() == 0,
          "out is too short");

  const oshen::fft_box half{{0, 0, low}, {edge / 2 + 1, edge, high - low}, {}};
  oshen::real_fft<float> real(group, {edge, edge, edge}, slab, half, {.fields = 2});
  std::vector<float> constant(real.in_elements(), 1), back(real.in_elements());
  std::vector<std::complex<float>> spectrum(real.out_elements());
  real.forward(constant, spectrum);
  require(high == low || std::abs(spectrum[0] - (low == 0 ? float(points) : 0.0f)) < 1e-3f, "constant");
  real.backward(spectrum, back, OSHEN_FFT_SCALE_FULL);
  for (const float x : back) require(std::abs(x - 1) < 1e-5f, "real backward");
  oshen::real_fft<double> padded(group, {edge, edge, edge}, slab, half, {.in_embed = {2 * (edge / 2 + 1), 0, 0}});
  require(padded.in_elements() == 2 * padded.out_elements(), "padded rows");
  std::vector<double> rows(padded.in_elements(), 1);
  auto* const same = reinterpret_cast<complex*>(rows.data());
  padded.forward(rows, {same, padded.out_elements()});
  require(high == low || std::abs(same[0] - (low == 0 ? points : 0.0)) < 1e-9, "constant in place");
  require(padded.stats().runs == 1, "statistics");
  // Of a constant and the highest wave, only the constant is kept.
  const int low_y = 3 * group.rank() / group.size(), high_y = 3 * (group.rank() + 1) / group.size();
  oshen::complex_fft<double> few(group, {edge, edge, edge}, slab, {{0, low_y, 0}, {5, high_y - low_y, 3}, {}},
                                 {.kept = {5, 3, 3}});
  require(few.out_elements() == static_cast<std::size_t>(15 * (high_y - low_y)), "kept modes");
  for (std::size_t i = 0; i < data.size(); i++) data[i] = i % 2 == 0 ? 3 : -1;
  std::vector<complex> modes(few.out_elements());
  few.forward(data, modes, OSHEN_FFT_SCALE_FULL);
  require(modes.empty() || std::abs(modes[0] - (low_y == 0 ? 1.0 : 0.0)) < 1e-12, "a kept mode");
  few.backward(modes, data);
  for (const complex& z : data) require(std::abs(z - 1.0) < 1e-12, "without the highest wave");
  const oshen::fft_box wrong{{0, 0, low}, {edge, edge, high - low + 1}, {}};
  const auto overlapping = [&] { oshen::complex_fft<double>(group, {edge, edge, edge}, wrong, wrong); };
  require(throws<oshen::status_error>(overlapping), "boxes overlap");
}

// Cosines of a constant are one number; a convolution with factors of two doubles everything.
void other_transforms(oshen::group& group) {
  const std::array<int, 3> extent{6, 5, 8};
  const oshen::grid grid(group.size(), extent);
  const oshen::fft_box mine = oshen::box_of(grid, group.rank());
  const bool first = mine.low[0] + mine.low[1] + mine.low[2] == 0;
  const oshen::fft_options cosines{.along = {OSHEN_FFT_DCT2, OSHEN_FFT_DCT2, OSHEN_FFT_DCT2}};
  using real_to_real = oshen::real_to_real_fft<double>;
  require(real_to_real::need(group, extent, mine, mine, cosines).symmetric > 0, "need");
  real_to_real dct(group, extent, mine, mine, cosines);
  std::vector<double> ones(dct.in_elements(), 1), spectrum(dct.out_elements()), back(ones);
  dct.forward(ones, spectrum);
  for (std::size_t i = 0; i < spectrum.size(); i++)
    require(std::abs(spectrum[i] - (first && i == 0 ? 8.0 * 6 * 5 * 8 : 0)) < 1e-11, "DCT2");
  dct.backward(spectrum, back, OSHEN_FFT_SCALE_FULL);
  for (const double x : back) require(std::abs(x - 1) < 1e-13, "DCT2 and back");

  const oshen::grid halves(group.size(), {6, 3, 8});
  const oshen::fft_box half = oshen::box_of(halves, group.rank());
  oshen::real_convolution<double> doubled(group, extent, mine, half, {.halved_axis = 1});
  doubled.run(ones, back);
  for (const double x : back) require(std::abs(x - 1) < 1e-13, "factors of one");
  doubled.set_factors(std::vector<complex>(doubled.factors(), 2.0));
  doubled.run(ones, back);
  for (const double x : back) require(std::abs(x - 2) < 1e-13, "factors of two");
  require(doubled.describe().find("there and back") != std::string::npos, "describe");
}

// A wave along one axis is one number, in natural order and left transposed.
void lines(oshen::group& group) {
  constexpr int length = 15 * 14, wave = 37;
  const oshen::fft_line line = oshen::line_of(length, group.size(), group.rank());
  require(line.columns > 1 && length % line.columns == 0, "columns");
  const auto check = [&](const oshen::fft_box& out, int columns) {
    oshen::complex_fft<float> fft(group, {length, 1, 1}, line.in, out, {.columns = columns});
    std::vector<std::complex<float>> in(fft.in_elements()), spectrum(fft.out_elements());
    for (std::size_t i = 0; i < in.size(); i++) {
      const double turns = wave * (line.in.low[0] + static_cast<double>(i)) / length;
      in[i] = std::complex<float>(std::polar(1.0, 2 * std::acos(-1.0) * turns));
    }
    fft.forward(in, spectrum, OSHEN_FFT_SCALE_FULL);
    for (std::size_t i = 0; i < spectrum.size(); i++) {
      const int place = out.low[0] + static_cast<int>(i);
      const int number = columns == 0 ? place : place / columns + place % columns * (length / columns);
      require(std::abs(spectrum[i] - (number == wave ? 1.0f : 0.0f)) < 1e-5f, "a wave along one axis");
    }
  };
  check(line.out, 0);
  check(line.in, line.columns);
}

}  // namespace

int main() {
  oshen::session session;
  const std::size_t before = allocations();
  {
    oshen::arena arena(std::size_t{1} << 22);
    oshen::group group(arena);
    exchanges(group);
    torus(group);
    elements_anywhere(group);
    transforms(group);
    other_transforms(group);
    lines(group);
    std::vector<int> reversed;
    for (int pe = oshen::n_pes() - 1; pe >= 0; pe--) reversed.push_back(pe);
    oshen::group backwards(arena, reversed);
    require(backwards.rank() == oshen::n_pes() - 1 - oshen::my_pe(), "a group of a list");
    exchanges(backwards);
  }
  require(allocations() == before, "something is still there");
  if (oshen::my_pe() == 0) std::puts("all right");
}
