#include "fft/passes/twiddle.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace oshen::fft {
namespace {

// Bits of an exponent that index the fine table.
int fine_bits(int length) { return (std::bit_width(static_cast<unsigned>(length)) + 1) / 2; }

int fine_count(int length) { return 1 << fine_bits(length); }

int coarse_count(int length) { return (length >> fine_bits(length)) + 1; }

template <class T>
std::vector<std::complex<T>> powers(int length, int count, int step, direction dir) {
  std::vector<std::complex<T>> result;
  for (int i = 0; i < count; i++) {
    const long double turn = (dir == direction::forward ? -2 : 2) * std::numbers::pi_v<long double>;
    const long double angle = turn * static_cast<long double>(i) * static_cast<long double>(step) / length;
    result.emplace_back(static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle)));
  }
  return result;
}

// A product without std::complex's handling of infinities.
template <class T>
std::complex<T> product(const std::complex<T>& a, const std::complex<T>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

template <class T>
twiddles<T>::twiddles(int length, direction dir)
    : length_(length),
      coarse_(powers<T>(length, coarse_count(length), fine_count(length), dir)),
      fine_(powers<T>(length, fine_count(length), 1, dir)) {}

template <class T>
std::size_t twiddles<T>::bytes(int length) {
  return static_cast<std::size_t>(coarse_count(length) + fine_count(length)) * sizeof(std::complex<T>);
}

template <class T>
void twiddles<T>::multiply(const box& tile, const tile_memory& memory, std::complex<T>* numbers) const {
  const int along = tile.order[0] == 1 ? 1 : 0, across = 1 - along;
  for (int j = 0; j < tile.size[across]; j++) {
    const int step = tile.low[across] + j;
    const auto first = static_cast<std::int64_t>(step) * tile.low[along] % length_;
    multiply_row(numbers + j * memory.stride[across], tile.size[along], static_cast<int>(first), step);
  }
}

template <class T>
void twiddles<T>::multiply_row(std::complex<T>* row, int count, int first, int step) const {
  const int bits = fine_bits(length_), mask = (1 << bits) - 1;
  std::int64_t power = first;
  for (int i = 0; i < count; i++) {
    const auto high = static_cast<std::size_t>(power >> bits), low = static_cast<std::size_t>(power & mask);
    const auto root = product(coarse_[high], fine_[low]);
    row[i] = product(row[i], root);
    power += step;
    if (power >= length_) power -= length_;
  }
}

template class twiddles<double>;
template class twiddles<float>;

}  // namespace oshen::fft
