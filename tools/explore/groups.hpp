// Teams, active sets and contexts of a PE.
#pragma once

#include <cstdint>
#include <vector>

#include "entry.hpp"

namespace explore {

struct team {
  std::uint64_t key = 0;     // the same on all members
  std::vector<int> members;  // numbers in the world
  std::uint32_t splits = 0, meetings = 0;
  int contexts = 0;  // that the program asked for

  int count() const { return static_cast<int>(members.size()); }
  int index_of(int pe) const;  // -1: not a member
};

struct context {
  std::uint64_t id = 1;
  team* of = nullptr;
};

void start_groups();                // after the PE knows its number
team* team_of(void* handle);        // nullptr: SHMEM_TEAM_INVALID
context* context_of(void* handle);  // NULL and SHMEM_CTX_DEFAULT are the default one
// The number in the world of PE `pe` of the context's team.
int world_pe(explore_call call, const context& ctx, int pe, const void* address, std::size_t bytes);
// The members of a group, and the number of this collective.
struct meeting_place {
  group_key key;
  team* of;
};
meeting_place next_meeting(explore_call call, explore_group group);

}  // namespace explore
