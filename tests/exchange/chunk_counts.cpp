// The model that ranks strategies expects as many chunks of `pipeline` as its plan has. The limits are lowered, so that
// small arrays have many chunks.
#include <shmem.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../support/check.h"
#include "exchange/choice/estimate.hpp"
#include "exchange/strategies/pipeline_chunks.hpp"

namespace {

using namespace oshen::exchange;

constexpr std::size_t element = 16, nx = 4, ny = 6, planes = 12;  // of a PE before the remap
constexpr std::size_t local_bytes = nx * ny * planes * element;

int me, n;

// A remap from slabs of planes to slabs of rows: each message is a part of y, of all planes of its sender.
struct remap {
  std::vector<oshen_message_t> sends, receives;

  remap() {
    const auto pes = static_cast<std::size_t>(n);
    const std::size_t rows = ny / pes;
    for (std::size_t peer = 0; peer < pes; peer++) {
      const std::size_t bytes = nx * rows * planes * element, row = nx * element;
      const auto message = [&](std::size_t offset, std::size_t plane) {
        return oshen_message_t{
            static_cast<int>(peer), bytes, {offset, element, {nx, rows, planes}, {element, row, plane}}};
      };
      sends.push_back(message(peer * rows * row, ny * row));
      receives.push_back(message(peer * planes * rows * row, rows * row));
    }
  }

  oshen_plan_attr_t attributes() const {
    oshen_plan_attr_t attr{};
    attr.size = sizeof attr;
    attr.strategy = "pipeline";
    attr.sends = sends.data();
    attr.receives = receives.data();
    attr.n_sends = attr.n_receives = n;
    return attr;
  }
};

void expect_chunks(oshen_group_t* group, const oshen_plan_attr_t& attr, std::size_t chunks) {
  CHECK(traffic_of(*group, attr, 0).chunks == chunks);
  oshen_plan_t* plan = nullptr;
  CHECK(oshen_plan_create(group, &attr, &plan) == OSHEN_OK);
  CHECK(chunks_of(*plan) == chunks);
  oshen_plan_destroy(plan);
}

}  // namespace

int main() {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  oshen_arena_t* arena = nullptr;
  oshen_group_t* group = nullptr;
  CHECK(oshen_arena_create(1 << 20, &arena) == OSHEN_OK);
  CHECK(oshen_group_create(arena, SHMEM_TEAM_WORLD, &group) == OSHEN_OK);
  const remap all;
  const auto with_limit = [&](std::size_t most, std::size_t chunks) {
    chunked_remap::limits = {most, 1};
    expect_chunks(group, all.attributes(), chunks);
  };
  with_limit(local_bytes, 1);
  with_limit(local_bytes - 1, 2);
  with_limit(local_bytes / 4, 4);
  with_limit(local_bytes / 12 - 1, 12);     // larger chunks than the limit
  with_limit(local_bytes / 12 / 4 - 1, 1);  // more than four times as large

  // One PE alone can use fewer chunks: all use what it can.
  chunked_remap::limits = {me == 0 ? local_bytes / 6 : local_bytes / 3, 1};
  expect_chunks(group, all.attributes(), 6);

  // A list of offsets cannot be cut.
  std::vector<std::size_t> offsets(nx * (ny / static_cast<std::size_t>(n)) * planes);
  for (std::size_t i = 0; i < offsets.size(); i++) offsets[i] = i * element;
  std::vector<const std::size_t*> lists(static_cast<std::size_t>(n), offsets.data());
  if (n > 1) lists[static_cast<std::size_t>(me)] = nullptr;  // boxes to itself
  oshen_plan_attr_t scattered = all.attributes();
  if (me == n - 1) scattered.send_offsets = lists.data();
  chunked_remap::limits = {local_bytes / 4, 1};
  expect_chunks(group, scattered, 1);

  oshen_group_destroy(group);
  oshen_arena_destroy(arena);
  if (me == 0) std::puts("all right");
  shmem_finalize();
  return 0;
}
