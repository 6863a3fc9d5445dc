#include "exchange/group/group.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "exchange/group/wait_loop.hpp"

namespace {

// While runs are under way, a peer may need this PE to advance one of them before it can join the handshake.
void wait_for_round(const oshen_arena& arena, int pe, std::uint64_t* mailbox_round, std::uint64_t round) {
  if (arena.active.empty()) return shmem_uint64_wait_until(mailbox_round, SHMEM_CMP_GE, round);
  oshen::exchange::wait_loop waiting("making a plan or destroying a group while runs are under way");
  while (shmem_uint64_test(mailbox_round, SHMEM_CMP_GE, round) == 0) {
    if (oshen::exchange::progress_all(arena)) {
      waiting.progressed();
    } else {
      waiting.pause([pe] { return "PE " + std::to_string(pe); });
    }
  }
}

}  // namespace

void oshen_group::exchange_bytes(std::span<const std::byte> mine, std::span<std::byte> replies, std::size_t bytes) {
  const int world_me = shmem_my_pe();
  auto* mailboxes = arena->mailboxes();
  shmem_quiet();
  for (std::size_t r = 0; r < members.size(); r++) {
    const std::uint64_t round = arena->rounds[static_cast<std::size_t>(members[r].pe)] + 1;
    shmem_putmem(mailboxes[world_me].messages[round & 1], &mine[r * bytes], bytes, members[r].pe);
  }
  shmem_quiet();
  for (const auto& m : members) {
    const std::uint64_t round = ++arena->rounds[static_cast<std::size_t>(m.pe)];
    shmem_uint64_p(&mailboxes[world_me].round, round, m.pe);
  }
  shmem_quiet();
  for (std::size_t r = 0; r < members.size(); r++) {
    const int pe = members[r].pe;
    const std::uint64_t round = arena->rounds[static_cast<std::size_t>(pe)];
    wait_for_round(*arena, pe, &mailboxes[pe].round, round);
    memcpy(&replies[r * bytes], mailboxes[pe].messages[round & 1], bytes);
  }
}

oshen_status_t oshen_group::agree(oshen_status_t mine) {
  const auto statuses = handshake_with_all(mine);
  return *std::max_element(statuses.begin(), statuses.end());
}

void oshen_group::free_deferred() {
  for (const auto& block : deferred_free) arena->deallocate(block.offset, block.bytes);
  deferred_free.clear();
}

oshen_status_t oshen_group_create_from_list(oshen_arena_t* arena, const int* pes, int n_pes, oshen_group_t** group) {
  *group = nullptr;
  if (arena == nullptr || pes == nullptr || n_pes < 1 || n_pes > shmem_n_pes()) return OSHEN_INVALID;
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
  group->agree(OSHEN_OK);  // all members have destroyed their plans, so no run is under way
  group->free_deferred();
  delete group;
}

int oshen_group_size(const oshen_group_t* group) { return static_cast<int>(group->members.size()); }

int oshen_group_rank(const oshen_group_t* group) { return group->me; }

int oshen_group_pe(const oshen_group_t* group, int member) {
  return group->members[static_cast<std::size_t>(member)].pe;
}

oshen_arena_t* oshen_group_arena(const oshen_group_t* group) { return group->arena; }

void* oshen_arena_base(const oshen_arena_t* arena) { return arena->base; }
