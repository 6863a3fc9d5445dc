#include "group.hpp"

#include <pshmem.h>

#include "detector.hpp"

namespace races {

members members_of(const races_group& group) {
  members all;
  if (group.team != nullptr) {
    const auto team = static_cast<shmem_team_t>(group.team);
    for (int i = 0, n = pshmem_team_n_pes(team); i < n; ++i)
      all.pes.push_back(pshmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD));
  } else {
    for (int i = 0; i < group.n; ++i) all.pes.push_back(group.start + i * (1 << group.log_stride));
  }
  const int me = static_cast<int>(of_this_pe.me());
  while (all.mine < all.pes.size() && all.pes[all.mine] != me) ++all.mine;
  return all;
}

void meet(const races_group& group) {
  if (group.team == SHMEM_TEAM_WORLD) {
    pshmem_sync_all();
  } else if (group.team != nullptr) {
    pshmem_team_sync(static_cast<shmem_team_t>(group.team));
  } else {
    pshmem_sync(group.start, group.log_stride, group.n, group.psync);
  }
}

}  // namespace races

size_t races_team_pes(void* team) {
  const int n = pshmem_team_n_pes(static_cast<shmem_team_t>(team));
  return n < 0 ? 0 : static_cast<std::size_t>(n);
}

size_t races_team_me(void* team) {
  const int me = pshmem_team_my_pe(static_cast<shmem_team_t>(team));
  return me < 0 ? 0 : static_cast<std::size_t>(me);
}
