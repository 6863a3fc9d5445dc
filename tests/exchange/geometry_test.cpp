// Tests the parts of exchange/ and lammps/ that only compute; they start no PE. Always built with the address and
// undefined behaviour sanitizers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "exchange/copy/box_copy.hpp"
#include "exchange/copy/chunked_remap.hpp"
#include "exchange/copy/in_place_transpose.hpp"
#include "exchange/group/arena.hpp"
#include "lammps/geometry.hpp"

namespace {

using oshen::lammps::block;
using oshen::lammps::storage;
using bytes = std::vector<std::byte>;

int between(std::mt19937& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

bytes noise(std::mt19937& random, std::size_t n) {
  bytes b(n);
  for (auto& x : b) x = static_cast<std::byte>(random());
  return b;
}

// ---- grids

TEST(grids, are_cut_where_the_surface_is_least) {
  const auto dims_of = [](int n, std::vector<int> extent, std::vector<int> dims = {0, 0, 0}) {
    EXPECT_EQ(oshen_grid_dims(n, extent.data(), dims.data()), OSHEN_OK);
    return dims;
  };
  using dims = std::vector<int>;
  EXPECT_EQ(dims_of(8, {64, 64, 64}), (dims{2, 2, 2}));
  EXPECT_EQ(dims_of(2, {64, 64, 64}), (dims{1, 1, 2}));  // the fast axis stays whole
  EXPECT_EQ(dims_of(2, {640, 64, 64}), (dims{2, 1, 1}));
  EXPECT_EQ(dims_of(12, {1, 300, 400}), (dims{1, 3, 4}));
  EXPECT_EQ(dims_of(7, {64, 3, 3}), (dims{7, 1, 1}));  // no empty box
  EXPECT_EQ(dims_of(5, {2, 2, 2})[0] * dims_of(5, {2, 2, 2})[1] * dims_of(5, {2, 2, 2})[2],
            5);  // more PEs than this array can use without empty boxes
  EXPECT_EQ(dims_of(12, {64, 64, 64}, {3, 0, 1}), (dims{3, 4, 1}));
}

TEST(grids, impossible_grids_are_refused) {
  const int extent[3] = {8, 8, 8}, none[3] = {8, 0, 8};
  int dims[3] = {5, 0, 0};
  EXPECT_EQ(oshen_grid_dims(12, extent, dims), OSHEN_INVALID);
  EXPECT_EQ(dims[0], 5);
  int free[3] = {};
  EXPECT_EQ(oshen_grid_dims(0, extent, free), OSHEN_INVALID);
  EXPECT_EQ(oshen_grid_dims(2, none, free), OSHEN_INVALID);
  free[1] = -1;
  EXPECT_EQ(oshen_grid_dims(2, extent, free), OSHEN_INVALID);
}

TEST(grids, boxes_cover_the_array_once) {
  std::mt19937 random(31);
  for (int i = 0; i < 200; i++) {
    const int extent[3] = {between(random, 1, 9), between(random, 1, 9), between(random, 1, 9)};
    const int n = between(random, 1, 24);
    int dims[3] = {};
    ASSERT_EQ(oshen_grid_dims(n, extent, dims), OSHEN_OK);
    ASSERT_EQ(dims[0] * dims[1] * dims[2], n);
    std::vector<int> owners(static_cast<std::size_t>(extent[0] * extent[1] * extent[2]));
    for (int member = 0; member < n; member++) {
      int low[3], size[3], at[3];
      oshen_grid_box(extent, dims, member, low, size);
      for (int a = 0; a < 3; a++) EXPECT_LE(std::abs(size[a] * dims[a] - extent[a]), dims[a]);
      for (at[2] = low[2]; at[2] < low[2] + size[2]; at[2]++)
        for (at[1] = low[1]; at[1] < low[1] + size[1]; at[1]++)
          for (at[0] = low[0]; at[0] < low[0] + size[0]; at[0]++)
            owners.at(static_cast<std::size_t>((at[2] * extent[1] + at[1]) * extent[0] + at[0]))++;
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), static_cast<std::ptrdiff_t>(owners.size()));
  }
}

TEST(grids, neighbours_and_rings) {
  const int dims[3] = {3, 2, 4};
  for (int member = 0; member < 24; member++) {
    int at[3];
    oshen_grid_coords(dims, member, at);
    EXPECT_EQ(oshen_grid_member(dims, at, 0), member);
    at[0] -= 3;
    EXPECT_EQ(oshen_grid_member(dims, at, 0), -1);
    EXPECT_EQ(oshen_grid_member(dims, at, 1u << 1), -1);
    EXPECT_EQ(oshen_grid_member(dims, at, 1u << 0), member);
  }
  const int beyond[3] = {0, 2, 0};
  EXPECT_EQ(oshen_grid_member(dims, beyond, 0), -1);
  EXPECT_EQ(oshen_grid_member(dims, beyond, 2), 0);
}

// ---- boxes

// A box whose axes have a random order in memory, with or without gaps.
oshen_box_t random_box(std::mt19937& random, std::size_t& memory_bytes) {
  oshen_box_t box{};
  const std::size_t sizes[] = {1, 3, 4, 8, 12, 16, 24};
  box.element = sizes[between(random, 0, 6)];
  box.offset = static_cast<std::size_t>(between(random, 0, 3)) * box.element;
  int order[] = {0, 1, 2};
  std::shuffle(order, order + 3, random);
  std::size_t step = box.element * static_cast<std::size_t>(between(random, 1, 2));
  for (const int axis : order) {
    box.extent[axis] = static_cast<std::size_t>(between(random, 1, 19));
    box.stride[axis] = step;
    step *= box.extent[axis] + static_cast<std::size_t>(between(random, 0, 1));
  }
  memory_bytes = box.offset + step;
  return box;
}

template <class Visit>
void for_each_element(const oshen_box_t& box, Visit visit) {
  std::size_t wire = 0;
  for (std::size_t c = 0; c < box.extent[2]; c++) {
    for (std::size_t b = 0; b < box.extent[1]; b++) {
      for (std::size_t a = 0; a < box.extent[0]; a++) {
        visit(box.offset + a * box.stride[0] + b * box.stride[1] + c * box.stride[2], wire);
        wire += box.element;
      }
    }
  }
}

TEST(box_copy, agrees_with_the_definition) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; round++) {
    std::size_t memory_bytes = 0;
    const oshen_box_t box = random_box(random, memory_bytes);
    const std::size_t wire_bytes = box.element * oshen::exchange::volume(box);
    const bytes memory = noise(random, memory_bytes), wire = noise(random, wire_bytes);
    bytes gathered(wire_bytes), expected_wire(wire_bytes);
    bytes scattered = memory, expected_memory = memory;
    for_each_element(box, [&](std::size_t m, std::size_t w) {
      std::memcpy(&expected_wire[w], &memory[m], box.element);
      std::memcpy(&expected_memory[m], &wire[w], box.element);
    });
    oshen::exchange::gather(box, memory.data(), gathered.data());
    oshen::exchange::scatter(box, wire.data(), scattered.data());
    ASSERT_EQ(gathered, expected_wire) << "round " << round;
    ASSERT_EQ(scattered, expected_memory) << "round " << round << ": bytes between elements must not change";
  }
}

// The same extents with other strides.
oshen_box_t other_strides(std::mt19937& random, const oshen_box_t& like, std::size_t& memory_bytes) {
  oshen_box_t box = like;
  int order[] = {0, 1, 2};
  std::shuffle(order, order + 3, random);
  std::size_t step = box.element;
  for (const int axis : order) {
    box.stride[axis] = step;
    step *= box.extent[axis] + static_cast<std::size_t>(between(random, 0, 1));
  }
  memory_bytes = box.offset + step;
  return box;
}

TEST(box_copy, from_box_to_box_is_gather_and_scatter) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; round++) {
    std::size_t from_bytes = 0, to_bytes = 0;
    const oshen_box_t from_box = random_box(random, from_bytes);
    const oshen_box_t to_box = other_strides(random, from_box, to_bytes);
    const bytes from = noise(random, from_bytes), to = noise(random, to_bytes);
    bytes wire(from_box.element * oshen::exchange::volume(from_box)), expected = to, got = to;
    oshen::exchange::gather(from_box, from.data(), wire.data());
    oshen::exchange::scatter(to_box, wire.data(), expected.data());
    oshen::exchange::transfer(from_box, from.data(), to_box, got.data());
    ASSERT_EQ(got, expected) << "round " << round;

    bytes by_blocks = to;
    oshen::exchange::for_each_block(oshen::exchange::copy_between(from_box, to_box),
                                    [&](std::size_t f, std::size_t t, std::size_t n) {
                                      std::memcpy(&by_blocks[to_box.offset + t], &from[from_box.offset + f], n);
                                    });
    ASSERT_EQ(by_blocks, expected) << "round " << round;
  }
}

TEST(box_copy, the_order_of_axes_on_the_wire_is_free) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; round++) {
    std::size_t from_bytes = 0, to_bytes = 0;
    const oshen_box_t from_box = random_box(random, from_bytes);
    const oshen_box_t to_box = other_strides(random, from_box, to_bytes);
    const bytes from = noise(random, from_bytes);
    bytes wire(from_box.element * oshen::exchange::volume(from_box)), expected(to_bytes), got(to_bytes);
    oshen::exchange::transfer(from_box, from.data(), to_box, expected.data());
    const unsigned order = oshen::exchange::memory_order(from_box);
    oshen::exchange::gather(oshen::exchange::reordered(from_box, order), from.data(), wire.data());
    oshen::exchange::scatter(oshen::exchange::reordered(to_box, order), wire.data(), got.data());
    ASSERT_EQ(got, expected) << "round " << round;
  }
}

TEST(box_copy, merges_contiguous_axes) {
  const oshen_box_t whole{0, 8, {4, 5, 6}, {8, 32, 160}};
  const oshen::exchange::strided_copy one = oshen::exchange::copy_to_wire(whole);
  EXPECT_EQ(one.element, 8u * 4 * 5 * 6);
  EXPECT_EQ(one.extent[0] * one.extent[1] * one.extent[2], 1u);
}

TEST(box_copy, in_the_senders_order_blocks_are_long) {
  const oshen_box_t turned{0, 8, {6, 4, 5}, {160, 8, 32}};
  const unsigned order = oshen::exchange::memory_order(turned);
  EXPECT_EQ(oshen::exchange::copy_to_wire(turned).element, 8u * 1);
  EXPECT_EQ(oshen::exchange::copy_to_wire(oshen::exchange::reordered(turned, order)).element, 8u * 4 * 5 * 6);
}

TEST(box_copy, nothing_is_copied_from_an_empty_box) {
  const oshen_box_t empty{1000, 8, {4, 0, 6}, {8, 32, 160}};
  std::byte untouched{7};
  oshen::exchange::gather(empty, nullptr, &untouched);
  oshen::exchange::scatter(empty, &untouched, nullptr);
  EXPECT_EQ(untouched, std::byte{7});
}

// ---- remaps

// Splits [0, n) into `parts` ranges, of which some may be empty (hi < lo).
std::vector<std::pair<int, int>> split(std::mt19937& random, int n, int parts) {
  std::vector<int> edges{0, n};
  for (int i = 1; i < parts; i++) edges.push_back(between(random, 0, n));
  std::sort(edges.begin(), edges.end());
  std::vector<std::pair<int, int>> ranges;
  for (int i = 0; i < parts; i++) {
    ranges.emplace_back(edges[static_cast<std::size_t>(i)], edges[static_cast<std::size_t>(i) + 1] - 1);
  }
  return ranges;
}

std::vector<block> tiling(std::mt19937& random, const int (&n)[3], int ranks) {
  int grid[3] = {1, 1, 1};
  int left = ranks;
  for (int axis = 0; axis < 2; axis++) {
    do {
      grid[axis] = between(random, 1, left);
    } while (left % grid[axis] != 0);
    left /= grid[axis];
  }
  grid[2] = left;
  std::vector<block> blocks;
  const auto x = split(random, n[0], grid[0]), y = split(random, n[1], grid[1]), z = split(random, n[2], grid[2]);
  for (const auto& k : z) {
    for (const auto& j : y) {
      for (const auto& i : x) blocks.push_back({{i.first, j.first, k.first}, {i.second, j.second, k.second}});
    }
  }
  std::shuffle(blocks.begin(), blocks.end(), random);
  return blocks;
}

// The offset of element (i,j,k) of the whole array in a block's storage, straight from the definition.
std::size_t offset_in(const block& b, int i, int j, int k, int permute) {
  const auto di = static_cast<std::size_t>(i - b.lo[0]), dj = static_cast<std::size_t>(j - b.lo[1]),
             dk = static_cast<std::size_t>(k - b.lo[2]);
  const std::size_t ni = b.extent(0), nj = b.extent(1), nk = b.extent(2);
  switch (permute) {
    case 0: return (dk * nj + dj) * ni + di;
    case 1: return (di * nk + dk) * nj + dj;
    default: return (dj * ni + di) * nk + dk;
  }
}

// Each element holds its index in the whole array, repeated.
void fill(const block& b, int permute, std::size_t element, const int (&n)[3], bytes& to) {
  to.assign(b.elements() * element, std::byte{0});
  for (int k = b.lo[2]; k <= b.hi[2]; k++) {
    for (int j = b.lo[1]; j <= b.hi[1]; j++) {
      for (int i = b.lo[0]; i <= b.hi[0]; i++) {
        const int id = (k * n[1] + j) * n[0] + i;
        std::byte* at = &to[offset_in(b, i, j, k, permute) * element];
        for (std::size_t byte = 0; byte < element; byte += sizeof id) std::memcpy(at + byte, &id, sizeof id);
      }
    }
  }
}

TEST(geometry, a_remap_moves_every_element_to_its_place) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; round++) {
    const int n[3] = {between(random, 1, 12), between(random, 1, 12), between(random, 1, 12)};
    const int ranks = between(random, 1, 8);
    const storage how{static_cast<std::size_t>(4 << between(random, 0, 3)), round % 3};
    const auto in = tiling(random, n, ranks), out = tiling(random, n, ranks);
    const auto count = static_cast<std::size_t>(ranks);
    std::vector<bytes> source(count), result(count), expected(count);
    std::map<std::pair<int, int>, bytes> wire;
    for (int r = 0; r < ranks; r++) {
      fill(in[static_cast<std::size_t>(r)], 0, how.element, n, source[static_cast<std::size_t>(r)]);
      fill(out[static_cast<std::size_t>(r)], how.permute, how.element, n, expected[static_cast<std::size_t>(r)]);
      for (const auto& m : oshen::lammps::sends(in, out, r, how)) {
        auto& message = wire[{r, m.peer}];
        message.resize(m.bytes);
        oshen::exchange::gather(m.box, source[static_cast<std::size_t>(r)].data(), message.data());
      }
    }
    for (int r = 0; r < ranks; r++) {
      auto& to = result[static_cast<std::size_t>(r)];
      to.assign(expected[static_cast<std::size_t>(r)].size(), std::byte{0xee});
      for (const auto& m : oshen::lammps::receives(in, out, r, how)) {
        const auto message = wire.find({m.peer, r});
        ASSERT_NE(message, wire.end());
        ASSERT_EQ(message->second.size(), m.bytes);
        oshen::exchange::scatter(m.box, message->second.data(), to.data());
        wire.erase(message);
      }
      ASSERT_EQ(to, expected[static_cast<std::size_t>(r)]) << "round " << round << " rank " << r;
    }
    ASSERT_TRUE(wire.empty()) << "sent and not received";
  }
}

// ---- transpositions in place

oshen_box_t dense_box(std::size_t element, std::size_t a, std::size_t b, std::size_t c, std::size_t offset) {
  return {offset, element, {a, b, c}, {element, a * element, a * b * element}};
}

// The same block with its axes stored in cyclic order from `first`, listed as in `box`.
oshen_box_t stored_from(const oshen_box_t& box, int first) {
  oshen_box_t stored = box;
  std::size_t step = box.element;
  for (int n = 0; n < 3; n++) {
    const int axis = (first + n) % 3;
    stored.stride[axis] = step;
    step *= box.extent[axis];
  }
  return stored;
}

// Whether in_place_transpose accepts the copy; if so, it must do the same as a copy to another buffer.
bool transposes(const oshen_box_t& from, const oshen_box_t& to) {
  std::mt19937 random(7);
  oshen::exchange::in_place_transpose in_place_transpose;
  if (!in_place_transpose.init(from, to)) return false;
  const std::size_t all = from.element * oshen::exchange::volume(from);
  bytes buffer = noise(random, from.offset + all + 5), wanted = buffer;
  EXPECT_LE(in_place_transpose.scratch_bytes(), all);
  oshen::exchange::transfer(from, buffer.data(), to, wanted.data());
  bytes scratch(in_place_transpose.scratch_bytes());
  in_place_transpose.run(buffer.data(), scratch.data());
  EXPECT_EQ(buffer, wanted);
  return true;
}

TEST(in_place_transpose, long_sides_are_cut) {
  struct {
    std::size_t element, a, b, c;
  } const blocks[] = {{16, 100, 128, 16}, {16, 25, 54, 45}, {8, 128, 64, 32},
                      {24, 40, 33, 30},   {4, 64, 90, 64},  {4096, 3, 10, 20}};
  for (const auto& [element, a, b, c] : blocks) {
    for (const std::size_t offset : {std::size_t{0}, element}) {
      const oshen_box_t from = dense_box(element, a, b, c, offset);
      EXPECT_TRUE(transposes(from, stored_from(from, 1))) << a << 'x' << b << 'x' << c;
      EXPECT_TRUE(transposes(from, stored_from(from, 2))) << a << 'x' << b << 'x' << c;
    }
  }
}

TEST(in_place_transpose, leaves_equal_boxes_alone) {
  const oshen_box_t box = dense_box(16, 20, 30, 10, 32);
  EXPECT_TRUE(transposes(box, box));
}

TEST(in_place_transpose, refuses_other_copies) {
  const auto refuses = [](const oshen_box_t& from, const oshen_box_t& to) { return !transposes(from, to); };
  const oshen_box_t half_a_mebibyte = dense_box(16, 32, 32, 32, 0);
  EXPECT_TRUE(refuses(half_a_mebibyte, stored_from(half_a_mebibyte, 1)));  // fits the cache
  const oshen_box_t primes = dense_box(16, 211, 1, 211, 0);
  EXPECT_TRUE(refuses(primes, stored_from(primes, 1)));  // no divisor
  const oshen_box_t from = dense_box(16, 64, 32, 32, 0);
  oshen_box_t elsewhere = stored_from(from, 1), gaps = elsewhere, mirrored = from;
  elsewhere.offset = 16;
  EXPECT_TRUE(refuses(from, elsewhere));
  for (std::size_t& stride : gaps.stride) stride *= 2;
  EXPECT_TRUE(refuses(from, gaps));
  mirrored.stride[2] = 16, mirrored.stride[1] = 32 * 16, mirrored.stride[0] = 32 * 32 * 16;
  EXPECT_TRUE(refuses(from, mirrored));  // the order of three axes is reversed
}

// ---- remaps in chunks

// Slices of the whole array along one axis, one for each rank.
std::vector<block> slices(const int (&n)[3], int ranks, int axis) {
  std::vector<block> blocks;
  for (int r = 0; r < ranks; r++) {
    block b{{0, 0, 0}, {n[0] - 1, n[1] - 1, n[2] - 1}};
    b.lo[axis] = n[axis] * r / ranks;
    b.hi[axis] = n[axis] * (r + 1) / ranks - 1;
    blocks.push_back(b);
  }
  return blocks;
}

// All ranks of a remap in place: the buffer of each rank is both `in` and `out`.
struct ranks_in_place {
  std::vector<block> in, out;
  storage how;
  std::vector<oshen::exchange::chunked_remap> remaps;
  std::uint64_t possible = ~std::uint64_t{0};
  std::vector<bytes> buffers, expected;

  ranks_in_place(const int (&n)[3], int ranks, int in_axis, int out_axis, storage storage)
      : in(slices(n, ranks, in_axis)), out(slices(n, ranks, out_axis)), how(storage) {
    const auto count = static_cast<std::size_t>(ranks);
    remaps.resize(count), buffers.resize(count), expected.resize(count);
    for (std::size_t r = 0; r < count; r++) {
      possible &= remaps[r].possible(boxes(sent_by(r)), boxes(got_by(r)));
      fill(in[r], 0, how.element, n, buffers[r]);
      fill(out[r], how.permute, how.element, n, expected[r]);
    }
  }
  std::vector<oshen_message_t> sent_by(std::size_t r) const {
    return oshen::lammps::sends(in, out, static_cast<int>(r), how);
  }
  std::vector<oshen_message_t> got_by(std::size_t r) const {
    return oshen::lammps::receives(in, out, static_cast<int>(r), how);
  }
  static std::vector<oshen_box_t> boxes(const std::vector<oshen_message_t>& messages) {
    std::vector<oshen_box_t> list;
    for (const auto& m : messages) list.push_back(m.box);
    return list;
  }
  // Exchanges one chunk of all ranks: all of it leaves `in` before any of it arrives.
  void exchange(std::size_t k) {
    std::map<std::pair<int, int>, bytes> wire;
    for (std::size_t r = 0; r < buffers.size(); r++) {
      for (const auto& m : sent_by(r)) {
        auto& message = wire[{static_cast<int>(r), m.peer}];
        message.resize(m.bytes / remaps[r].chunks());
        oshen::exchange::gather(remaps[r].chunk_of(m.box, k), buffers[r].data(), message.data());
      }
    }
    for (std::size_t r = 0; r < buffers.size(); r++) {
      for (const auto& m : got_by(r)) {
        oshen::exchange::scatter(remaps[r].landing_box(m.box, k), wire.at({m.peer, static_cast<int>(r)}).data(),
                                 buffers[r].data());
      }
    }
  }
  void run(std::size_t chunks) {
    for (auto& remap : remaps) remap.split(chunks);
    for (std::size_t k = 0; k < chunks; k++) exchange(k);
    for (std::size_t r = 0; r < buffers.size(); r++) {
      bytes spare(buffers[r].size() / chunks);
      remaps[r].finish(buffers[r].data(), spare.data());
    }
  }
};

TEST(chunked_remap, chunks_one_after_another_make_the_remap) {
  struct {
    int n[3], ranks, in_axis, out_axis;
    storage how;
  } const remaps[] = {
      {{128, 128, 100}, 2, 1, 0, {16, 1}},  // LAMMPS, pencils to pencils: one axis is whole on every rank
      {{128, 100, 128}, 2, 2, 0, {16, 1}},  // slabs: the slowest axis is cut
      {{48, 96, 50}, 3, 1, 0, {16, 1}},    {{60, 40, 72}, 3, 2, 0, {16, 1}},
      {{64, 64, 64}, 4, 2, 1, {8, 0}},     {{64, 64, 60}, 2, 1, 0, {24, 1}},
  };
  for (const auto& [n, ranks, in_axis, out_axis, how] : remaps) {
    ranks_in_place all(n, ranks, in_axis, out_axis, how);
    ASSERT_NE(all.possible & ~std::uint64_t{1}, 0u) << n[0] << 'x' << n[1] << 'x' << n[2];
    std::size_t chunks = 2;
    while ((all.possible >> (chunks - 1) & 1) == 0) chunks++;
    all.run(chunks);
    EXPECT_EQ(all.buffers, all.expected) << n[0] << 'x' << n[1] << 'x' << n[2];
  }
}

TEST(chunked_remap, chunks_fit_a_cache) {
  constexpr std::uint64_t whole = 1;
  const ranks_in_place small({32, 32, 32}, 2, 1, 0, {16, 1}), large({64, 64, 64}, 2, 1, 0, {16, 1});
  EXPECT_NE(small.possible & whole, 0u);  // half of 512 KiB
  EXPECT_EQ(large.possible & whole, 0u);  // 2 MiB
  EXPECT_EQ(large.possible & 2, 0u);      // two of 1 MiB are too large
  EXPECT_NE(large.possible & 8, 0u);
}

// Two ranks of a mesh of 200 x 200 x 200 have 64 MB each, more than 64 chunks of 512 KiB. Limits and mesh are smaller
// here in the same proportion.
TEST(chunked_remap, a_large_array_has_as_many_chunks_as_possible) {
  auto& limits = oshen::exchange::chunked_remap::limits;
  const auto usual = limits;
  constexpr std::size_t of_one_rank = 8 * 8 * 200 * 16 / 2;
  limits = {of_one_rank * usual.most / 64000000, 1};
  ranks_in_place all({8, 8, 200}, 2, 1, 0, {16, 1});
  limits.most = of_one_rank / 50 / 4 - 1;
  const ranks_in_place larger({8, 8, 200}, 2, 1, 0, {16, 1});
  limits = usual;
  EXPECT_EQ(all.possible, std::uint64_t{1} << 49);
  EXPECT_EQ(larger.possible, 0u);  // chunks of more than four times the limit
  all.run(50);
  EXPECT_EQ(all.buffers, all.expected);
}

TEST(chunked_remap, refuses_uneven_or_gapped_boxes) {
  const auto possible = [](const int(&n)[3], int ranks, int in_axis, int out_axis, storage how) {
    return ranks_in_place(n, ranks, in_axis, out_axis, how).possible;
  };
  EXPECT_EQ(possible({64, 64, 67}, 2, 1, 0, {16, 1}), 0u);  // a prime
  EXPECT_EQ(possible({65, 64, 64}, 2, 1, 0, {16, 1}), 0u);  // the size of a rank's block changes
  EXPECT_EQ(possible({64, 64, 64}, 2, 0, 2, {16, 1}), 0u);  // the peers cut the slowest axis among them
  EXPECT_EQ(possible({64, 64, 64}, 2, 1, 0, {16, 2}), 0u);  // blocks of a few elements
  oshen::exchange::chunked_remap remap;
  oshen_box_t gaps = dense_box(16, 64, 64, 32, 0);
  gaps.extent[1] = 63;
  EXPECT_EQ(remap.possible({&gaps, 1}, {&gaps, 1}), 0u);
  // The boxes have as many bytes as needed, but some bytes arrive twice and others never.
  const oshen_box_t whole = dense_box(16, 64, 32, 48, 0);
  std::vector<oshen_box_t> parts(3, dense_box(16, 64, 32, 16, 0));
  const auto from = [&](std::size_t slice) { return slice * whole.stride[2]; };
  parts[1].offset = from(16), parts[2].offset = from(32);
  EXPECT_NE(remap.possible({&whole, 1}, parts), 0u);
  parts[1].offset = from(8);
  EXPECT_EQ(remap.possible({&whole, 1}, parts), 0u);
  // Equal sizes before and after, with gaps in the middle of the whole block.
  std::vector<oshen_box_t> before(2, whole), after(2, whole);
  for (oshen_box_t& b : before) b.extent[1] = 8;
  for (oshen_box_t& b : after) b.extent[2] = 12;
  before[1].offset = 24 * whole.stride[1], after[1].offset = from(36);
  EXPECT_EQ(remap.possible(before, after), 0u);
}

// ---- arena

TEST(arena, blocks_never_overlap_and_all_are_freed) {
  std::mt19937 random(3);
  oshen_arena arena;
  arena.bytes = 1 << 16;
  arena.holes.emplace(0, arena.bytes);
  std::map<std::size_t, std::size_t> taken;
  int refused = 0;
  for (int round = 0; round < 5000; round++) {
    if (taken.empty() || between(random, 0, 1) == 0) {
      const auto size = static_cast<std::size_t>(between(random, 1, 9000));
      const std::size_t at = arena.allocate(size);
      if (at == oshen_arena::npos) {
        refused++;
        continue;
      }
      ASSERT_EQ(at % oshen::exchange::alignment, 0u);
      ASSERT_LE(at + size, arena.bytes);
      const auto next = taken.lower_bound(at);
      ASSERT_TRUE(next == taken.end() || at + size <= next->first);
      if (next != taken.begin()) {
        const auto& [before, its_size] = *std::prev(next);
        ASSERT_LE(before + its_size, at);
      }
      taken.emplace(at, size);
    } else {
      const auto victim = std::next(taken.begin(), between(random, 0, static_cast<int>(taken.size()) - 1));
      arena.deallocate(victim->first, victim->second);
      taken.erase(victim);
    }
  }
  EXPECT_GT(refused, 0);
  for (const auto& [at, size] : taken) arena.deallocate(at, size);
  EXPECT_EQ(arena.holes, (std::map<std::size_t, std::size_t>{{0, arena.bytes}}));
}

}  // namespace
