// Arrays of one axis as matrices: their shapes, their blocks, and the factors between the two transforms.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "fft/geometry/cost.hpp"
#include "fft/geometry/matrix.hpp"
#include "fft/passes/twiddle.hpp"
#include "random_problem.hpp"

namespace oshen::fft {
namespace {

// Blocks that end at these indices.
layout cut_at(const std::vector<int>& ends) {
  layout blocks;
  int low = 0;
  for (const int end : ends) {
    blocks.push_back({{low, 0, 0}, {end - low, 1, 1}});
    low = end;
  }
  return blocks;
}

TEST(matrices, a_line_has_one_axis_of_complex_numbers) {
  fft_problem problem;
  problem.extent = {1, 30, 1};
  EXPECT_TRUE(is_line(problem));
  EXPECT_EQ(axis_of_line(problem), 1);
  problem.along[0] = OSHEN_FFT_DCT2;  // which doubles a single element
  EXPECT_FALSE(is_line(problem));
  problem.along[0] = OSHEN_FFT_NOTHING;
  EXPECT_TRUE(is_line(problem));
  problem.along[1] = OSHEN_FFT_NOTHING;
  EXPECT_FALSE(is_line(problem));
  problem.along[1] = OSHEN_FFT_FOURIER;
  problem.real_in = true;
  EXPECT_FALSE(is_line(problem));
  fft_problem flat;
  flat.extent = {4, 4, 1};
  EXPECT_FALSE(is_line(flat));
}

TEST(matrices, columns_serve_all_pes_then_the_blocks_then_are_a_square) {
  const layout any(4);
  EXPECT_EQ(best_columns(1 << 20, any, any, 0), 1 << 10);
  EXPECT_EQ(best_columns(15015, any, any, 0), 105);
  EXPECT_EQ(best_columns(509, any, any, 0), 1);
  EXPECT_EQ(best_columns(1, any, any, 0), 1);
  EXPECT_EQ(best_columns(2 * 509, any, any, 0) % 509, 2);
  // Two PEs: blocks of 6 are no whole rows or columns of a square, but of a 6 x 2 or 2 x 6 matrix.
  const layout sixes = cut_at({6, 12});
  const int columns = best_columns(12, sixes, sixes, 0);
  EXPECT_EQ(6 % columns, 0);
  EXPECT_EQ(6 % (12 / columns), 0);
  // Work for all PEs is preferred to blocks that fit.
  const layout crooked = cut_at({99, 200, 300, 400});
  EXPECT_EQ(best_columns(400, crooked, crooked, 0), 20);
}

TEST(matrices, blocks_are_rounded_to_whole_rows_and_columns) {
  random_source random(61);
  for (int i = 0; i < 100; i++) {
    const int pes = 1 + random.below(9), columns = 2 + random.below(9), rows = 2 + random.below(9);
    const int extent[3] = {columns * rows, 1, 1};
    fft_problem line;
    line.extent = {extent[0], 1, 1};
    line.in = read(random_boxes(random, extent, pes));
    line.out = read(random_boxes(random, extent, pes));
    const bool transposed = random.once_in(2);
    const matrix made = matrix_of(line, columns, transposed);
    EXPECT_TRUE(covers(made.problem.in, made.problem.extent));
    EXPECT_TRUE(covers(made.problem.out, made.problem.extent));
    EXPECT_TRUE(covers(made.in.rounded, line.extent) && covers(made.out.rounded, line.extent));
    for (std::size_t pe = 0; pe < line.in.size(); pe++) {
      const box &in = made.problem.in[pe], &out = made.problem.out[pe];
      EXPECT_EQ(in.volume(), made.in.rounded[pe].volume());
      EXPECT_TRUE(in.empty() || in.low[1] * columns == made.in.rounded[pe].low[0]);
      const int first = transposed ? out.low[1] * columns : out.low[0] * rows;
      EXPECT_TRUE(out.empty() || first == made.out.rounded[pe].low[0]);
    }
  }
  fft_problem even;
  even.extent = {24, 1, 1};
  even.in = even.out = cut_at({12, 24});
  EXPECT_FALSE(matrix_of(even, 4, false).in.differ() || matrix_of(even, 4, false).out.differ());
  even.symmetric_in = even.symmetric_out = true;
  EXPECT_TRUE(matrix_of(even, 3, false).problem.symmetric_in);
  even.in = cut_at({11, 24});
  const matrix moved = matrix_of(even, 4, false);
  EXPECT_TRUE(moved.in.differ() && !moved.out.differ());
  EXPECT_TRUE(!moved.problem.symmetric_in && moved.problem.symmetric_out);
}

TEST(matrices, a_transposed_spectrum_saves_an_exchange) {
  fft_problem line;
  line.extent = {1 << 12, 1, 1};
  line.in = line.out = cut_at({1 << 10, 2 << 10, 3 << 10, 4 << 10});
  const auto exchanges = [&](bool transposed) {
    return candidates(matrix_of(line, 64, transposed).problem, decomposition::any, machine_model{})[0].exchanges();
  };
  EXPECT_EQ(exchanges(false), 3);
  EXPECT_EQ(exchanges(true), 2);
}

template <class T>
double worst_root(int length, const box& tile, direction dir) {
  tile_memory memory;
  memory.size = tile.size;
  memory.stride[tile.order[0]] = 1;
  memory.stride[tile.order[1]] = tile.size[tile.order[0]] + 3;  // padded
  memory.stride[2] = memory.stride[tile.order[1]] * tile.size[tile.order[1]];
  std::vector<std::complex<T>> numbers(static_cast<std::size_t>(memory.stride[2]), T{1});
  twiddles<T>(length, dir).multiply(tile, memory, numbers.data());
  double worst_status = 0;
  for (int j = 0; j < tile.size[1]; j++) {
    for (int i = 0; i < tile.size[0]; i++) {
      const long long power = static_cast<long long>(tile.low[0] + i) * (tile.low[1] + j) % length;
      const double angle = 2 * std::acos(-1.0) * static_cast<double>(power) / length;
      const auto& got = numbers[static_cast<std::size_t>(i * memory.stride[0] + j * memory.stride[1])];
      const std::complex<double> here{got.real(), got.imag()};
      worst_status =
          std::max(worst_status, std::abs(here - std::polar(1.0, dir == direction::forward ? -angle : angle)));
    }
  }
  return worst_status;
}

TEST(twiddles, are_powers_of_the_root_in_either_order_of_the_tile) {
  for (const axes3& order : {natural_order, axes3{1, 0, 2}}) {
    for (const direction dir : {direction::forward, direction::backward}) {
      EXPECT_LT(worst_root<double>(15015, {{9, 0, 0}, {31, 143, 1}, order}, dir), 2e-15);
      EXPECT_LT(worst_root<double>(1 << 30, {{32000, 32700, 0}, {40, 60, 1}, order}, dir), 2e-15);
      EXPECT_LT(worst_root<double>(2147483646, {{46000, 46000, 0}, {40, 60, 1}, order}, dir), 2e-15);
      EXPECT_LT(worst_root<float>(15015, {{9, 0, 0}, {31, 143, 1}, order}, dir), 1e-6);
    }
  }
}

}  // namespace
}  // namespace oshen::fft
