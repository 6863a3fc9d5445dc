// Halos of random arrays, byte by byte, with every strategy: grids and other partitions, empty parts, and halos that
// are wider than the parts or the array. Rings may have one PE. There are several fields, and memory in any order of
// axes with gaps. Other elements must keep their values. OpenSHMEM 1.4 is enough.
//
//     exchange_halo [seed]
#include <shmem.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "../support/check.h"
#include "oshen/exchange.h"

namespace {

int me, n;

std::mt19937 shared;  // the same numbers on all PEs

int below(int limit) { return static_cast<int>(shared() % static_cast<unsigned>(limit)); }

using three = std::array<int, 3>;

// A byte of an element of the array, before a run.
unsigned char value(const three& at, int field, int run, std::size_t byte) {
  std::uint64_t mixed = 0;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(at[0]), static_cast<std::uint64_t>(at[1]), static_cast<std::uint64_t>(at[2]),
        static_cast<std::uint64_t>(field), static_cast<std::uint64_t>(run), static_cast<std::uint64_t>(byte)})
    mixed = (mixed ^ part) * 0x9e3779b97f4a7c15u + 1;
  return static_cast<unsigned char>(mixed >> 56);
}

// ---- a random halo

// Cuts the array into n parts along random axes, in random order; parts may be empty.
std::vector<oshen_part_t> random_parts(const int* extent) {
  std::vector<oshen_part_t> parts{{{0, 0, 0}, {extent[0], extent[1], extent[2]}}};
  while (static_cast<int>(parts.size()) < n) {
    const auto which = static_cast<std::size_t>(below(static_cast<int>(parts.size())));
    const int a = below(3), cut = below(parts[which].size[a] + 1);
    parts.push_back(parts[which]);
    parts.back().low[a] += cut;
    parts.back().size[a] -= cut;
    parts[which].size[a] = cut;
  }
  std::shuffle(parts.begin(), parts.end(), shared);
  return parts;
}

oshen_halo_t random_halo(std::vector<oshen_part_t>& parts) {
  oshen_halo_t halo{};
  halo.size = sizeof halo;
  for (int a = 0; a < 3; a++) {
    halo.extent[a] = 1 + below(8);
    halo.below[a] = below(4);
    halo.above[a] = below(8) == 0 ? 11 : below(3);
  }
  halo.periodic = static_cast<unsigned>(below(8));
  halo.faces_only = below(3) == 0;
  halo.element = std::array{1u, 4u, 8u, 24u}[static_cast<std::size_t>(below(4))];
  CHECK(oshen_grid_dims(n, halo.extent, halo.dims) == OSHEN_OK);
  parts.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; i++) {
    oshen_part_t& part = parts[static_cast<std::size_t>(i)];
    oshen_grid_box(halo.extent, halo.dims, i, part.low, part.size);
  }
  if (below(2) == 0) {
    parts = random_parts(halo.extent);
    halo.parts = parts.data();
  }
  return halo;
}

// ---- the buffer of this PE, with ghost elements

struct layout {
  three low, size;  // with ghost elements
  std::size_t stride[3], bytes;
  std::size_t at(const three& i) const {
    std::size_t offset = 0;
    for (std::size_t a = 0; a < 3; a++) offset += static_cast<std::size_t>(i[a] - low[a]) * stride[a];
    return offset;
  }
};

// Chooses the memory: dense, or in a random order of axes with gaps.
layout lay_out(oshen_halo_t& halo, const oshen_part_t& mine) {
  layout l{};
  for (std::size_t a = 0; a < 3; a++) {
    l.low[a] = mine.low[a] - halo.below[a];
    l.size[a] = mine.size[a] + halo.below[a] + halo.above[a];
  }
  const bool dense = below(2) == 0;
  std::array<std::size_t, 3> order{0, 1, 2};
  if (!dense) std::shuffle(order.begin(), order.end(), shared);
  std::size_t step = halo.element;
  for (const std::size_t a : order) {
    l.stride[a] = step;
    step *= static_cast<std::size_t>(l.size[a] + (dense ? 0 : 1));
  }
  l.bytes = step;
  if (dense) return l;
  for (std::size_t a = 0; a < 3; a++) halo.offset += static_cast<std::size_t>(halo.below[a]) * l.stride[a];
  std::copy_n(l.stride, 3, halo.stride);
  return l;
}

template <class Visit>
void for_each_element(const layout& l, Visit visit) {
  for (int k = 0; k < l.size[2]; k++)
    for (int j = 0; j < l.size[1]; j++)
      for (int i = 0; i < l.size[0]; i++) visit(three{l.low[0] + i, l.low[1] + j, l.low[2] + k});
}

bool is_inside(const oshen_part_t& part, const three& at) {
  for (std::size_t a = 0; a < 3; a++)
    if (at[a] < part.low[a] || at[a] >= part.low[a] + part.size[a]) return false;
  return true;
}

// Whether a run fills the element, and from which element of the array.
bool is_ghost(const oshen_halo_t& halo, const oshen_part_t& mine, const three& at, three& from) {
  int outside = 0;
  for (std::size_t a = 0; a < 3; a++) {
    if (mine.size[a] == 0) return false;
    from[a] = at[a];
    if ((halo.periodic >> a & 1) != 0) from[a] = ((at[a] % halo.extent[a]) + halo.extent[a]) % halo.extent[a];
    if (from[a] < 0 || from[a] >= halo.extent[a]) return false;
    outside += at[a] < mine.low[a] || at[a] >= mine.low[a] + mine.size[a];
  }
  return outside == 1 || (outside > 1 && halo.faces_only == 0);
}

// The bytes that a run copies from the part of this PE to its own ghost elements.
std::size_t own_bytes(const layout& l, const oshen_halo_t& halo, const oshen_part_t& mine) {
  std::size_t bytes = 0;
  for_each_element(l, [&](const three& at) {
    three from;
    if (is_ghost(halo, mine, at, from) && is_inside(mine, from)) bytes += halo.element;
  });
  return bytes;
}

// ---- one halo with one strategy

constexpr unsigned char poison = 0xa5;

void fill(std::byte* field, const layout& l, const oshen_halo_t& halo, const oshen_part_t& mine, int number, int run) {
  std::memset(field, poison, l.bytes);
  for_each_element(l, [&](const three& at) {
    for (std::size_t b = 0; is_inside(mine, at) && b < halo.element; b++)
      field[l.at(at) + b] = static_cast<std::byte>(value(at, number, run, b));
  });
}

void compare(const std::byte* field, const layout& l, const oshen_halo_t& halo, const oshen_part_t& mine, int number,
             int run) {
  std::vector<unsigned char> expected(l.bytes, poison);
  for_each_element(l, [&](const three& at) {
    three from = at;
    if (!is_inside(mine, at) && !is_ghost(halo, mine, at, from)) return;
    for (std::size_t b = 0; b < halo.element; b++) expected[l.at(at) + b] = value(from, number, run, b);
  });
  CHECK(l.bytes == 0 || std::memcmp(field, expected.data(), l.bytes) == 0);
}

void run_in_parts(oshen_plan_t* plan, std::byte* field) {
  oshen_plan_start(plan, field, field);
  while (oshen_plan_wait_any(plan) >= 0) continue;
  oshen_plan_release(plan);
}

void try_strategy(oshen_group_t* group, const oshen_halo_t& halo, const oshen_part_t& mine, const layout& l,
                  const char* name, std::byte* memory) {
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.strategy = name;
  attr.n_fields = 1 + below(3);
  attr.in_field_stride = attr.out_field_stride = l.bytes;
  attr.buffers = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC;
  oshen_plan_t* plan;
  oshen_need_t need;
  CHECK(oshen_halo_create(group, &halo, &attr, &plan) == OSHEN_OK);
  CHECK(oshen_halo_need(group, &halo, &attr, &need, sizeof need) == OSHEN_OK);
  for (int run = 0; run < 3; run++) {
    for (int f = 0; f < attr.n_fields; f++) fill(memory + static_cast<std::size_t>(f) * l.bytes, l, halo, mine, f, run);
    if (run == 1)
      run_in_parts(plan, memory);
    else
      oshen_plan_run(plan, memory, memory);
    for (int f = 0; f < attr.n_fields; f++)
      compare(memory + static_cast<std::size_t>(f) * l.bytes, l, halo, mine, f, run);
  }
  oshen_plan_stats_t stats;
  oshen_plan_stats(plan, &stats, sizeof stats);
  CHECK(stats.bytes_self == stats.runs * static_cast<std::size_t>(attr.n_fields) * own_bytes(l, halo, mine));
  oshen_plan_destroy(plan);
}

void try_one(oshen_group_t* group) {
  std::vector<oshen_part_t> parts;
  oshen_halo_t halo = random_halo(parts);
  const oshen_part_t mine = parts[static_cast<std::size_t>(oshen_group_rank(group))];
  const layout l = lay_out(halo, mine);
  auto* const memory = static_cast<std::byte*>(oshen_arena_alloc(oshen_group_arena(group), 3 * l.bytes + 1));
  CHECK(memory != nullptr);
  oshen_strategy_info_t info;
  for (int index = 0; oshen_strategy_at(index, &info, sizeof info) != 0; index++)
    try_strategy(group, halo, mine, l, info.name, memory);
  if (below(4) == 0) try_strategy(group, halo, mine, l, "auto", memory);
  oshen_arena_free(oshen_group_arena(group), memory);
}

// ---- arguments that are refused, on all PEs alike

template <class Change>
void expect_refused(oshen_group_t* group, Change change) {
  const oshen_part_t whole[8] = {{{0, 0, 0}, {8, 8, 8}}};
  oshen_halo_t halo{};
  halo.size = sizeof halo;
  std::fill_n(halo.extent, 3, 8);
  halo.dims[0] = n, halo.dims[1] = halo.dims[2] = 1;
  halo.element = 8;
  halo.parts = whole;
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  oshen_plan_t* plan = nullptr;
  CHECK(oshen_halo_create(group, &halo, &attr, &plan) == OSHEN_OK);
  oshen_plan_destroy(plan);
  if (me == n - 1) change(halo, attr);  // the others have valid arguments
  CHECK(oshen_halo_create(group, &halo, &attr, &plan) == OSHEN_INVALID && plan == nullptr);
}

void try_mistakes(oshen_group_t* group) {
  using H = oshen_halo_t&;
  using A = oshen_plan_attr_t&;
  static const oshen_part_t overlap[8] = {{{0, 0, 0}, {8, 8, 8}}, {{7, 0, 0}, {1, 8, 8}}};
  static const oshen_part_t lacking[8] = {{{0, 0, 0}, {8, 8, 7}}};
  static const oshen_part_t outside[8] = {{{1, 0, 0}, {8, 8, 8}}};
  static const oshen_message_t message{};
  expect_refused(group, [](H h, A) { h.size = 8; });
  expect_refused(group, [](H h, A) { h.extent[1] = 0; });
  expect_refused(group, [](H h, A) { h.parts = nullptr, h.dims[1] = 2; });
  expect_refused(group, [](H h, A) { h.below[2] = -1; });
  expect_refused(group, [](H h, A) { h.element = 0; });
  expect_refused(group, [](H h, A) { h.stride[1] = 8; });
  expect_refused(group, [](H h, A) { std::fill_n(h.stride, 3, 4); });
  expect_refused(group, [](H h, A) { std::fill_n(h.stride, 3, 8), h.below[0] = 2, h.offset = 15; });
  expect_refused(group, [](H h, A) { h.parts = lacking; });
  expect_refused(group, [](H h, A) { h.parts = outside; });
  if (n > 1) expect_refused(group, [](H h, A) { h.parts = overlap; });
  expect_refused(group, [](H, A a) { a.sends = &message, a.n_sends = 1; });
  expect_refused(group, [](H, A a) { a.strategy = "no such"; });
}

}  // namespace

int main(int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe(), n = shmem_n_pes();
  shared.seed(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1);
  std::vector<int> pes(static_cast<std::size_t>(n));
  for (int i = 0; i < n; i++) pes[static_cast<std::size_t>(i)] = n - 1 - i;
  oshen_arena_t* arena;
  oshen_group_t* group;
  CHECK(oshen_arena_create(std::size_t{48} << 20, &arena) == OSHEN_OK);
  CHECK(oshen_group_create_from_list(arena, pes.data(), n, &group) == OSHEN_OK);
  for (int i = 0; i < 12; i++) try_one(group);
  try_mistakes(group);
  oshen_group_destroy(group);
  oshen_arena_destroy(arena);
  if (me == 0) std::puts("all right");
  shmem_finalize();
  return 0;
}
