#include "group.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

using oshen::exchange::aligned;
using oshen::exchange::record;

bool oshen_group::reserve(std::size_t bytes) {
  auto& own = members[static_cast<std::size_t>(me)];
  const std::size_t before = own.half_bytes, wanted = aligned(bytes);
  if (wanted <= before) return true;
  if (before != 0) arena->give_back(own.half, 2 * before);
  own.half = arena->take(2 * wanted);
  own.half_bytes = wanted;
  if (own.half != oshen_arena_t::nowhere) return true;
  // The hole that was just given back is still there.
  own.half = before == 0 ? 0 : arena->take(2 * before);
  own.half_bytes = before;
  return false;
}

void oshen_group::tell(std::span<const record> mine) {
  const int world_me = shmem_my_pe();
  for (std::size_t r = 0; r < members.size(); r++) {
    shmem_putmem(&arena->board()[world_me], &mine[r], sizeof(record), members[r].pe);
  }
  shmem_quiet();
  shmem_team_sync(team);
}

oshen_status_t oshen_group::agree(oshen_status_t mine) {
  const int world_me = shmem_my_pe();
  const auto verdict = static_cast<std::int32_t>(mine);
  for (const auto& m : members) {
    shmem_putmem(&arena->board()[world_me].verdict, &verdict, sizeof verdict, m.pe);
  }
  shmem_quiet();
  shmem_team_sync(team);
  std::int32_t worst = verdict;
  for (int r = 0; r < static_cast<int>(members.size()); r++)
    worst = std::max(worst, said(r).verdict);
  return static_cast<oshen_status_t>(worst);
}

const record& oshen_group::said(int member) const {
  return arena->board()[members[static_cast<std::size_t>(member)].pe];
}

std::size_t oshen_group::half_of(int member) const {
  const auto& m = members[static_cast<std::size_t>(member)];
  return m.half + (runs & 1) * m.half_bytes;
}

oshen_status_t oshen_group_create(oshen_arena_t* arena, shmem_team_t team, oshen_group_t** group) {
  *group = nullptr;
  if (arena == nullptr || team == SHMEM_TEAM_INVALID) return OSHEN_INVALID;
  auto made = std::make_unique<oshen_group>();
  made->arena = arena;
  made->team = team;
  made->me = shmem_team_my_pe(team);
  const int n = shmem_team_n_pes(team);
  for (int r = 0; r < n; r++) {
    const int pe = shmem_team_translate_pe(team, r, SHMEM_TEAM_WORLD);
    made->members.push_back({pe, static_cast<std::byte*>(shmem_ptr(arena->base, pe)), 0, 0});
  }
  *group = made.release();
  return OSHEN_OK;
}

void oshen_group_destroy(oshen_group_t* group) {
  if (group == nullptr) return;
  // The barrier of the last run came after everything that was ever packed into this memory.
  const auto& own = group->members[static_cast<std::size_t>(group->me)];
  if (own.half_bytes != 0) group->arena->give_back(own.half, 2 * own.half_bytes);
  delete group;
}
