// oshen/mdspan.hpp: puts and gets of every rank and layout against a copy of single elements, the calls that they make,
// and mistakes.
#include <pshmem.h>
#include <oshen/mdspan.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../support/check.h"

namespace {

// Calls of this program, which it leads to the names of the profiling interface.
struct calls {
  int putmem = 0, getmem = 0, put_nbi = 0, get_nbi = 0, ibput = 0, ibget = 0;
  bool operator==(const calls&) const = default;
};
calls made;

template <class Call>
void require_calls(const calls& expected, Call call, const char* what) {
  made = {};
  call();
  if (made != expected)
    std::fprintf(stderr, "putmem %d, getmem %d, put_nbi %d, get_nbi %d, ibput %d, ibget %d\n", made.putmem, made.getmem,
                 made.put_nbi, made.get_nbi, made.ibput, made.ibget);
  require(made == expected, what);
}

}  // namespace

extern "C" {
void shmem_ctx_putmem(shmem_ctx_t ctx, void* dest, const void* source, size_t n, int pe) {
  ++made.putmem;
  pshmem_ctx_putmem(ctx, dest, source, n, pe);
}
void shmem_ctx_getmem(shmem_ctx_t ctx, void* dest, const void* source, size_t n, int pe) {
  ++made.getmem;
  pshmem_ctx_getmem(ctx, dest, source, n, pe);
}
void shmem_ctx_putmem_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t n, int pe) {
  ++made.put_nbi;
  pshmem_ctx_putmem_nbi(ctx, dest, source, n, pe);
}
void shmem_ctx_getmem_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t n, int pe) {
  ++made.get_nbi;
  pshmem_ctx_getmem_nbi(ctx, dest, source, n, pe);
}
void shmem_ctx_ibput64(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
                       size_t nblocks, int pe) {
  ++made.ibput;
  pshmem_ctx_ibput64(ctx, dest, source, dst, sst, bsize, nblocks, pe);
}
void shmem_ctx_ibget64(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
                       size_t nblocks, int pe) {
  ++made.ibget;
  pshmem_ctx_ibget64(ctx, dest, source, dst, sst, bsize, nblocks, pe);
}
}

namespace {

// ---- every layout

// A layout that runs backwards along its only axis, from the end of the memory.
struct backwards {
  template <class Extents>
  struct mapping {
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = typename Extents::rank_type;
    using layout_type = backwards;
    Extents all;

    const Extents& extents() const { return all; }
    index_type operator()(auto i) const { return all.extent(0) - 1 - static_cast<index_type>(i); }
    index_type required_span_size() const { return all.extent(0); }
    index_type stride(rank_type) const { return -1; }
    static constexpr bool is_always_unique() { return true; }
    static constexpr bool is_always_exhaustive() { return true; }
    static constexpr bool is_always_strided() { return true; }
    static constexpr bool is_unique() { return true; }
    static constexpr bool is_exhaustive() { return true; }
    static constexpr bool is_strided() { return true; }
    friend bool operator==(const mapping&, const mapping&) = default;
  };
};

constexpr std::size_t memory = 4000;  // elements

// An mdspan with a random order of axes and random gaps between them.
template <class T, std::size_t rank>
std::mdspan<T, std::dextents<std::size_t, rank>, std::layout_stride> any_layout(
    T* first, const std::array<std::size_t, rank>& extents, std::mt19937& random) {
  std::array<std::size_t, rank> order, strides;
  for (std::size_t i = 0; i < rank; ++i) order[i] = i;
  for (std::size_t i = rank; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  std::size_t length = random() % 3 == 0 ? 2 : 1;
  for (const std::size_t axis : order) {
    strides[axis] = length;
    length *= extents[axis] > 0 ? extents[axis] : 1;
    if (random() % 2 == 0) length += random() % 3;
  }
  require(length + 7 < memory, "the test needs more memory");
  const std::dextents<std::size_t, rank> shape(extents);
  return {first + random() % 7, std::layout_stride::mapping<std::dextents<std::size_t, rank>>(shape, strides)};
}

// Calls at(index) for all indices.
template <std::size_t rank, class At>
void for_all(const std::array<std::size_t, rank>& extents, At at) {
  std::size_t count = 1;
  for (const std::size_t extent : extents) count *= extent;
  for (std::size_t k = 0; k < count; ++k) {
    std::array<std::size_t, rank> index;
    std::size_t left = k;
    for (std::size_t i = 0; i < rank; ++i) index[i] = left % extents[i], left /= extents[i];
    at(index);
  }
}

enum class form { blocking, non_blocking, async };

// Puts to the right, and gets from there, with the same layouts on all PEs.
template <class T, std::size_t rank>
void one_copy(const oshen::symmetric_array<T>& field, std::mt19937& random, form how) {
  const int me = oshen::my_pe(), n = oshen::n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  std::array<std::size_t, rank> extents;
  for (std::size_t& extent : extents) extent = random() % 12 == 0 ? 0 : 1 + random() % 4;
  std::vector<T> mine(memory), expected(memory);
  const auto value = [](int pe, std::size_t i) {
    T made_up;
    for (std::size_t b = 0; b < sizeof(T); ++b)
      reinterpret_cast<unsigned char*>(&made_up)[b] =
          static_cast<unsigned char>(31 * i + 7 * b + 101 * static_cast<std::size_t>(pe) + 1);
    return made_up;
  };
  const auto there = any_layout(field.data(), extents, random), here = any_layout(mine.data(), extents, random);
  const std::mdspan<const T, std::dextents<std::size_t, rank>, std::layout_stride> source = here;
  const std::mdspan model(expected.data() + (there.data_handle() - field.data()), there.mapping());

  for (std::size_t i = 0; i < memory; ++i) mine[i] = value(me, i), field[i] = expected[i] = T{};
  for_all(extents, [&](const auto& i) { model[i] = value(left, static_cast<std::size_t>(&here[i] - mine.data())); });
  oshen::barrier_all();
  if (how == form::blocking) oshen::put(there, source, right);
  if (how == form::non_blocking) oshen::put_nbi(there, source, right);
  if (how == form::async) oshen::put_async(there, source, right).wait();
  oshen::barrier_all();
  require(std::memcmp(field.data(), expected.data(), memory * sizeof(T)) == 0, "put");

  // right holds the values of this PE, which come back to their old places
  for (std::size_t i = 0; i < memory; ++i) mine[i] = expected[i] = T{};
  const std::mdspan mirror(expected.data() + (here.data_handle() - mine.data()), here.mapping());
  for_all(extents, [&](const auto& i) { mirror[i] = value(me, static_cast<std::size_t>(&here[i] - mine.data())); });
  if (how == form::blocking) oshen::get(here, there, right);
  if (how == form::non_blocking) oshen::get_nbi(here, there, right), shmem_quiet();
  if (how == form::async) {
    oshen::pending got = oshen::get_async(here, there, right);
  }
  require(std::memcmp(mine.data(), expected.data(), memory * sizeof(T)) == 0, "get");
  oshen::barrier_all();
}

struct odd {
  char bytes[3];
};
struct alignas(16) wide {
  std::uint64_t halves[2];
};

void layouts() {
  std::mt19937 random(20);  // the same on every PE
  const oshen::symmetric_array<double> doubles(memory);
  const oshen::symmetric_array<float> floats(memory);
  const oshen::symmetric_array<short> shorts(memory);
  const oshen::symmetric_array<odd> bytes(memory);
  const oshen::symmetric_array<wide> pairs(memory);
  for (const form how : {form::blocking, form::non_blocking, form::async}) {
    for (int i = 0; i < 8; ++i) {
      one_copy<double, 0>(doubles, random, how);
      one_copy<double, 1>(doubles, random, how);
      one_copy<float, 2>(floats, random, how);
      one_copy<double, 3>(doubles, random, how);
      one_copy<short, 3>(shorts, random, how);
      one_copy<odd, 4>(bytes, random, how);
      one_copy<double, 5>(doubles, random, how);
      one_copy<wide, 2>(pairs, random, how);
    }
  }
}

void any_strides() {
  const int me = oshen::my_pe(), n = oshen::n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  const oshen::symmetric_array<int> field(4);
  const std::mdspan<int, std::dextents<int, 1>, backwards> there(field.data(), {std::dextents<int, 1>(4)});
  const std::array<int, 4> mine{me, 1, 2, 3};
  oshen::put(there, std::mdspan(mine.data(), 4), right);
  oshen::barrier_all();
  require(field[3] == left && field[2] == 1 && field[0] == 3, "a layout that runs backwards");
  std::array<int, 4> same{};
  oshen::get(std::mdspan(same.data(), 4), there, me);
  require(same[0] == left && same[3] == 3, "get from a layout that runs backwards");
  oshen::barrier_all();
}

// ---- the calls

void numbers_of_calls() {
  const int right = (oshen::my_pe() + 1) % oshen::n_pes();
  const oshen::symmetric_array<double> field(10 * 12 * 4);
  std::vector<double> memory_of_mine(field.size());
  const auto grid = field.mdspan(10, 12, 4);
  const std::mdspan mine(memory_of_mine.data(), 10, 12, 4);
  const std::mdspan<double, std::dextents<int, 3>, std::layout_left> turned(memory_of_mine.data(), 10, 12, 4);
  const auto rows = oshen::block(grid, {2, 0, 0}, {3, 12, 4}), my_rows = oshen::block(mine, {2, 0, 0}, {3, 12, 4});
  const auto face = oshen::block(grid, {0, 3, 0}, {10, 1, 4}), my_face = oshen::block(mine, {0, 3, 0}, {10, 1, 4});
  const auto end = oshen::block(grid, {0, 0, 3}, {10, 12, 1}), my_end = oshen::block(mine, {0, 0, 3}, {10, 12, 1});
  const auto inner = oshen::block(grid, {1, 1, 1}, {8, 10, 2}), my_inner = oshen::block(mine, {1, 1, 1}, {8, 10, 2});

  require_calls({.putmem = 1}, [&] { oshen::put(grid, mine, right); }, "all of it");
  require_calls({.putmem = 1}, [&] { oshen::put(rows, my_rows, right); }, "rows");
  require_calls({.ibput = 1}, [&] { oshen::put(face, my_face, right); }, "blocks of four");
  require_calls({.ibput = 1}, [&] { oshen::put(end, my_end, right); }, "single elements, two axes without a gap");
  require_calls({.ibput = 8}, [&] { oshen::put(inner, my_inner, right); }, "the longest axis in each call");
  require_calls({.ibput = 40}, [&] { oshen::put(grid, turned, right); }, "a turned array");
  require_calls(
      {.putmem = 1},
      [&] { oshen::put(oshen::block(grid, {9, 11, 3}, {1, 1, 1}), oshen::block(mine, {0, 0, 0}, {1, 1, 1}), right); },
      "one element");
  require_calls({.put_nbi = 1}, [&] { oshen::put_nbi(rows, my_rows, right); }, "rows, non-blocking");
  require_calls({.put_nbi = 10}, [&] { oshen::put_nbi(face, my_face, right); }, "one call for each block");
  require_calls({.getmem = 1}, [&] { oshen::get(my_rows, rows, right); }, "get of rows");
  require_calls({.ibget = 1}, [&] { oshen::get(my_face, face, right); }, "get of blocks");
  require_calls({.get_nbi = 10}, [&] { oshen::get_nbi(my_face, face, right); }, "non-blocking get of blocks");
  require_calls(
      {.putmem = 1},
      [&] { oshen::put(oshen::block(grid, {0, 0, 0}, {10, 0, 4}), oshen::block(mine, {0, 0, 0}, {10, 0, 4}), right); },
      "no element");
  oshen::barrier_all();
}

// ---- extents and mistakes

template <class Mistake, class Call>
void require_thrown(Call call, const char* what) {
  bool thrown = false;
  try {
    call();
  } catch (const Mistake&) {
    thrown = true;
  }
  require(thrown, what);
}

void mistakes() {
  const oshen::symmetric_array<int> field(24), none;
  const auto grid = field.mdspan(4, 6);
  static_assert(oshen::writable_mdspan<std::remove_const_t<decltype(grid)>> && oshen::of_rank<decltype(grid), 2>);
  require(grid.extent(1) == 6 && &grid[std::array{1, 2}] == &field[8], "rows of six");
  const auto fixed = field.mdspan(std::extents<int, 2, 3>());
  static_assert(fixed.static_extent(1) == 3);
  require(fixed.size() == 6 && none.mdspan(0, 3).empty() && none.mdspan(3, 0).empty(), "extents");
  require_thrown<std::out_of_range>([&] { static_cast<void>(field.mdspan(5, 5)); }, "more elements than there are");
  require_thrown<std::out_of_range>([&] { static_cast<void>(none.mdspan(1)); }, "elements of an empty array");
  require_thrown<std::out_of_range>([&] { static_cast<void>(field.mdspan(-1, 2)); }, "negative extent");
  require_thrown<std::out_of_range>([&] { static_cast<void>(field.mdspan(std::size_t{1} << 62, 4)); },
                                    "extents that overflow");
  require_thrown<std::out_of_range>([&] { static_cast<void>(oshen::block(grid, {0, 5}, {4, 2})); },
                                    "block past the end");
  require_thrown<std::out_of_range>([&] { static_cast<void>(oshen::block(grid, {5, 0}, {0, 1})); },
                                    "block that begins past the end");
  require(oshen::block(grid, {4, 6}, {0, 0}).empty() && oshen::block(none.mdspan(3, 0), {3, 0}, {0, 0}).empty(),
          "empty block");

  std::vector<int> mine(24);
  const std::mdspan turned(mine.data(), 6, 4);
  require_thrown<std::invalid_argument>([&] { oshen::put(grid, turned, 0); }, "put with other extents");
  require_thrown<std::invalid_argument>([&] { oshen::get(turned, grid, 0); }, "get with other extents");
  require_thrown<std::invalid_argument>([&] { oshen::put_nbi(grid, turned, 0); }, "put_nbi with other extents");
  require_thrown<std::invalid_argument>([&] { oshen::get_nbi(turned, grid, 0); }, "get_nbi with other extents");
}

}  // namespace

int main(int argc, char**) {
  const oshen::session session;
  if (argc > 1) {  // a PE that is not there
    const oshen::symmetric_array<int> field(4);
    oshen::put(field.mdspan(2, 0), field.mdspan(2, 0), oshen::n_pes());
    return 0;
  }
  mistakes();
  numbers_of_calls();
  any_strides();
  layouts();
}
