// What arena and group tell those who build on them, such as fft/.
#include "group.hpp"

int oshen_group_size(const oshen_group_t* group) {
  return static_cast<int>(group->members.size());
}

int oshen_group_rank(const oshen_group_t* group) {
  return group->me;
}

int oshen_group_pe(const oshen_group_t* group, int member) {
  return group->members[static_cast<std::size_t>(member)].pe;
}

oshen_arena_t* oshen_group_arena(const oshen_group_t* group) {
  return group->arena;
}

void* oshen_arena_base(const oshen_arena_t* arena) {
  return arena->base;
}
