#include "group.hpp"

#include <algorithm>
#include <memory>

#include "backoff.hpp"

using oshen::exchange::note;

namespace {

// A peer may have to end a run before it can shake hands, and need us for that.
void wait_until_told(const oshen_arena& arena, int pe, std::uint64_t* told, std::uint64_t round) {
  if (arena.active.empty()) return shmem_uint64_wait_until(told, SHMEM_CMP_GE, round);
  oshen::exchange::backoff idle("making a plan or ending a group, while runs are under way");
  while (shmem_uint64_test(told, SHMEM_CMP_GE, round) == 0) {
    if (oshen::exchange::keep_going(arena)) {
      idle.moved();
    } else {
      idle.pause([pe] { return "PE " + std::to_string(pe); });
    }
  }
}

}  // namespace

std::vector<note> oshen_group::handshake(std::span<const note> mine) {
  const int world_me = shmem_my_pe();
  auto* board = arena->board();
  shmem_quiet();
  for (std::size_t r = 0; r < members.size(); r++) {
    const std::uint64_t round = arena->rounds[static_cast<std::size_t>(members[r].pe)] + 1;
    shmem_putmem(&board[world_me].notes[round & 1], &mine[r], sizeof(note), members[r].pe);
  }
  shmem_quiet();
  for (const auto& m : members) {
    const std::uint64_t round = ++arena->rounds[static_cast<std::size_t>(m.pe)];
    shmem_uint64_p(&board[world_me].told, round, m.pe);
  }
  shmem_quiet();
  std::vector<note> heard;
  for (const auto& m : members) {
    const std::uint64_t round = arena->rounds[static_cast<std::size_t>(m.pe)];
    wait_until_told(*arena, m.pe, &board[m.pe].told, round);
    heard.push_back(board[m.pe].notes[round & 1]);
  }
  return heard;
}

std::vector<note> oshen_group::handshake(const note& mine) {
  return handshake(std::vector<note>(members.size(), mine));
}

oshen_status_t oshen_group::agree(oshen_status_t mine) {
  note saying{};
  saying.status = static_cast<std::int32_t>(mine);
  std::int32_t worst = saying.status;
  for (const note& said : handshake(saying)) worst = std::max(worst, said.status);
  return static_cast<oshen_status_t>(worst);
}

void oshen_group::free_deferred() {
  for (const auto& block : deferred_free) arena->give_back(block.offset, block.bytes);
  deferred_free.clear();
}

oshen_status_t oshen_group_create_from_list(oshen_arena_t* arena, const int* pes, int n_pes,
                                            oshen_group_t** group) {
  *group = nullptr;
  if (arena == nullptr || pes == nullptr || n_pes < 1 || n_pes > shmem_n_pes())
    return OSHEN_INVALID;
  auto made = std::make_unique<oshen_group>();
  made->arena = arena;
  made->me = -1;
  std::vector<bool> listed(static_cast<std::size_t>(shmem_n_pes()));
  for (int r = 0; r < n_pes; r++) {
    const int pe = pes[r];
    if (pe < 0 || pe >= shmem_n_pes() || listed[static_cast<std::size_t>(pe)]) return OSHEN_INVALID;
    listed[static_cast<std::size_t>(pe)] = true;
    if (pe == shmem_my_pe()) made->me = r;
    made->members.push_back({pe, static_cast<std::byte*>(shmem_ptr(arena->base, pe))});
  }
  if (made->me < 0) return OSHEN_INVALID;
  *group = made.release();
  return OSHEN_OK;
}

#if OSHEN_EXCHANGE_TEAMS
oshen_status_t oshen_group_create(oshen_arena_t* arena, shmem_team_t team, oshen_group_t** group) {
  *group = nullptr;
  if (arena == nullptr || team == SHMEM_TEAM_INVALID) return OSHEN_INVALID;
  std::vector<int> pes(static_cast<std::size_t>(shmem_team_n_pes(team)));
  for (std::size_t r = 0; r < pes.size(); r++)
    pes[r] = shmem_team_translate_pe(team, static_cast<int>(r), SHMEM_TEAM_WORLD);
  return oshen_group_create_from_list(arena, pes.data(), static_cast<int>(pes.size()), group);
}
#endif

void oshen_group_destroy(oshen_group_t* group) {
  if (group == nullptr) return;
  group->agree(OSHEN_OK);  // all plans are gone everywhere, so nobody is busy
  group->free_deferred();
  delete group;
}
