// Remaps of random arrays between random boxes, bit for bit: fft_remaps SEED CASES [STRATEGY]
//
// Every element holds its own number, so that a misplaced one is found. Bytes outside the output must not change.
// Without a named strategy, all are tried in turn.
#include <shmem.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "program.hpp"

namespace {

constexpr std::byte poison{0xEE};

struct test_case {
  int extent[3];
  boxes in, out;
  bool in_place, split;
  oshen_remap_attr_t attr;
};

test_case make_case(random_source& random, int me, int pes, const char* strategy) {
  static const std::size_t elements[] = {4, 8, 16, 24};
  test_case c{};
  for (int& e : c.extent) e = 1 + random.below(12);
  c.in = random_boxes(random, c.extent, pes);
  c.out = random_boxes(random, c.extent, pes);
  c.in_place = random.once_in(2);
  c.split = random.once_in(2);
  auto& a = c.attr;
  a.size = sizeof a;
  std::copy(c.extent, c.extent + 3, a.extent);
  a.element = elements[random.below(4)];
  a.fields = random.once_in(2) ? 3 : 0;
  const std::size_t gap = random.once_in(2) ? 3 : 0;
  a.in = c.in[static_cast<std::size_t>(me)];
  a.out = c.out[static_cast<std::size_t>(me)];
  if (gap != 0) {
    a.in_distance = volume(a.in) + gap;
    a.out_distance = volume(a.out) + gap;
  }
  a.strategy = strategy;
  return c;
}

// The value of an element: its number, repeated over its bytes.
void put_number(std::byte* at, std::size_t bytes, std::uint32_t number) {
  for (std::size_t b = 0; b < bytes; b += sizeof number) std::memcpy(at + b, &number, sizeof number);
}

std::uint32_t number_of(std::size_t index, int field) {
  return static_cast<std::uint32_t>(index) * 7u + static_cast<std::uint32_t>(field);
}

// A buffer with poison everywhere except in the box, which holds the numbers.
std::vector<std::byte> filled(const test_case& c, const oshen_fft_box_t& box, std::size_t distance, std::size_t bytes) {
  std::vector<std::byte> data(bytes, poison);
  if (distance == 0) distance = volume(box);
  for (int f = 0; f < std::max(c.attr.fields, 1); f++) {
    std::byte* base = data.data() + static_cast<std::size_t>(f) * distance * c.attr.element;
    for_each_point(box, c.extent, dense, [&](std::size_t offset, std::size_t index) {
      put_number(base + offset * c.attr.element, c.attr.element, number_of(index, f));
    });
  }
  return data;
}

void check_case(oshen_group_t* group, const test_case& c, int number, random_source& delays) {
  oshen_remap_t* remap = nullptr;
  const oshen_status_t status = oshen_remap_create(group, &c.attr, &remap);
  if (status == OSHEN_UNSUPPORTED && may_be_refused(c.attr.strategy)) return;
  if (status != OSHEN_OK) {
    failures++;
    std::printf("PE %d: case %d: %s\n", shmem_my_pe(), number, oshen_status_text(status));
    return;
  }
  const std::size_t room = 3 * (std::max(volume(c.attr.in), volume(c.attr.out)) + 4) * c.attr.element;
  const auto expected = filled(c, c.attr.out, c.attr.out_distance, room);
  for (int repeat = 0; repeat < 3; repeat++) {
    auto in = filled(c, c.attr.in, c.attr.in_distance, room);
    std::vector<std::byte> apart(room, poison);
    std::byte* out = c.in_place ? in.data() : apart.data();
    if (delays.once_in(3)) usleep(static_cast<unsigned>(delays.below(300)));
    if (c.split) {
      oshen_remap_start(remap, in.data(), out);
      if (delays.once_in(2)) oshen_remap_test(remap);
      oshen_remap_wait(remap);
    } else {
      oshen_remap_run(remap, in.data(), out);
    }
    bool same = true;
    for (std::size_t b = 0; b < room; b++) {
      // in place, input that is not output may hold anything
      same = same && (out[b] == expected[b] || (c.in_place && expected[b] == poison));
    }
    if (same) continue;
    failures++;
    std::printf(
        "PE %d: case %d, run %d: wrong elements (%d x %d x %d of %zu bytes, in place %d, split %d, "
        "%s)\n",
        shmem_my_pe(), number, repeat, c.extent[0], c.extent[1], c.extent[2], c.attr.element, c.in_place, c.split,
        c.attr.strategy ? c.attr.strategy : "first");
  }
  oshen_remap_destroy(remap);
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = argc > 2 ? std::atoi(argv[2]) : 10;
  return run_program(argc, argv, [&](oshen_group_t* group, random_source& random, random_source& delays) {
    oshen_strategy_info_t row;
    for (int s = 0; oshen_strategy_at(s, &row, sizeof row); s++) {
      if (argc > 3 && std::strcmp(argv[3], row.name) != 0) continue;
      for (int i = 0; i < cases; i++)
        check_case(group, make_case(random, shmem_my_pe(), shmem_n_pes(), row.name), i, delays);
    }
  });
}
