#include "groups.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "pe.hpp"

namespace explore {
namespace {

struct groups {
  team world, shared;
  context standard;
  std::map<std::uint64_t, team> active_sets;
  std::uint64_t contexts = 1;
};
groups* mine = nullptr;

std::uint64_t mix(std::uint64_t key, std::uint64_t value) {
  key ^= value + 0x9e3779b97f4a7c15u + (key << 6) + (key >> 2);
  return key * 0xff51afd7ed558ccdu;
}

std::uint32_t mask_of(const team& t) {
  std::uint32_t mask = 0;
  for (const int pe : t.members) mask |= 1u << pe;
  return mask;
}

team& active_set(explore_call call, const explore_group& group) {
  const int stride = 1 << group.log_stride;
  const std::uint64_t key =
      mix(mix(mix(mix(3, static_cast<std::uint64_t>(group.start)), static_cast<std::uint64_t>(stride)),
              static_cast<std::uint64_t>(group.size)),
          reinterpret_cast<std::uint64_t>(group.sync));
  team& set = mine->active_sets[key];
  if (!set.members.empty()) return set;
  set.key = key;
  for (int i = 0; i < group.size; ++i) set.members.push_back(group.start + i * stride);
  pe& here = pe::here();
  if (group.size == 0 && group.sync == nullptr) here.wrong(call, "SHMEM_TEAM_INVALID: expected a team");
  if (group.size < 1 || group.start < 0 || set.members.back() >= here.count() || set.index_of(here.number()) < 0)
    here.wrong(call, "active set %d, %d, %d: expected PEs of the job with this one among them", group.start,
               group.log_stride, group.size);
  return set;
}

}  // namespace

int team::index_of(int pe) const {
  const auto found = std::ranges::find(members, pe);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

void start_groups() {
  mine = new groups;
  mine->world.key = 1;
  // shmem_ptr reaches no other PE, so each PE is alone in this team.
  const int me = pe::here().number();
  mine->shared.key = mix(2, static_cast<std::uint64_t>(me));
  mine->shared.members.push_back(me);
  for (int i = 0; i < pe::here().count(); ++i) mine->world.members.push_back(i);
  mine->standard.of = &mine->world;
}

team* team_of(void* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value == 1) return &mine->world;
  if (value == 2) return &mine->shared;
  return static_cast<team*>(handle);
}

context* context_of(void* handle) {
  if (reinterpret_cast<std::uintptr_t>(handle) <= 1) return &mine->standard;
  return static_cast<context*>(handle);
}

int world_pe(explore_call call, const context& ctx, int pe, const void* address, std::size_t bytes) {
  pe::here().check(call, address, bytes, pe, ctx.of->count());
  return ctx.of->members[static_cast<std::size_t>(pe)];
}

meeting_place next_meeting(explore_call call, explore_group group) {
  if (!pe::here().active()) pe::here().wrong(call, "called before shmem_init or after shmem_finalize");
  team* of = group.team != nullptr ? team_of(group.team) : &active_set(call, group);
  return {{of->key, mask_of(*of), of->meetings++, of->members.front() > of->members.back()}, of};
}

}  // namespace explore

using explore::context;
using explore::pe;
using explore::team;

int explore_team_my_pe(void* handle) {
  const team* t = explore::team_of(handle);
  return t == nullptr ? -1 : t->index_of(pe::here().number());
}

int explore_team_n_pes(void* handle) {
  const team* t = explore::team_of(handle);
  return t == nullptr ? -1 : t->count();
}

int explore_team_translate_pe(void* from, int number, void* to) {
  const team *a = explore::team_of(from), *b = explore::team_of(to);
  if (a == nullptr || b == nullptr || number < 0 || number >= a->count()) return -1;
  return b->index_of(a->members[static_cast<std::size_t>(number)]);
}

namespace {

// Every member of the parent makes the same decisions, so all agree on the key.
void* make_team(team& parent, const std::vector<int>& members) {
  const std::uint64_t number = ++parent.splits;
  auto made = std::make_unique<team>();
  made->key = explore::mix(explore::mix(parent.key, number), static_cast<std::uint64_t>(members.front()) << 8);
  made->members = members;
  return made->index_of(pe::here().number()) < 0 ? nullptr : made.release();
}

}  // namespace

int explore_team_split_strided(explore_call call, void* handle, int start, int stride, int size, void** made) {
  *made = nullptr;
  team* parent = explore::team_of(handle);
  if (parent == nullptr) return -1;
  std::vector<int> members;
  for (int i = 0; i < size && (stride != 0 || size == 1); ++i) {
    const int at = start + i * stride;
    if (at < 0 || at >= parent->count()) members.clear();
    if (at < 0 || at >= parent->count()) break;
    members.push_back(parent->members[static_cast<std::size_t>(at)]);
  }
  explore_collective sync{};
  sync.what = explore_sync;
  sync.group.team = handle;
  explore_meet(call, &sync);
  if (members.empty()) return -1;
  *made = make_team(*parent, members);
  return 0;
}

int explore_team_split_2d(explore_call call, void* handle, int columns, void** row, void** column) {
  *row = *column = nullptr;
  team* parent = explore::team_of(handle);
  if (parent == nullptr || columns < 1) return -1;
  columns = std::min(columns, parent->count());
  const int me = parent->index_of(pe::here().number());
  std::vector<int> along, across;
  for (int i = 0; i < parent->count(); ++i) {
    if (i / columns == me / columns) along.push_back(parent->members[static_cast<std::size_t>(i)]);
    if (i % columns == me % columns) across.push_back(parent->members[static_cast<std::size_t>(i)]);
  }
  explore_collective sync{};
  sync.what = explore_sync;
  sync.group.team = handle;
  explore_meet(call, &sync);
  *row = make_team(*parent, along);
  *column = make_team(*parent, across);
  return 0;
}

void explore_team_configure(void* handle, const void* config, long mask) {
  team* const made = explore::team_of(handle);
  if (made != nullptr && config != nullptr && (mask & 1) != 0) made->contexts = *static_cast<const int*>(config);
}

int explore_team_config(void* handle, long mask, void* config) {
  const team* const asked = explore::team_of(handle);
  if (asked == nullptr) return -1;
  if ((mask & 1) != 0) *static_cast<int*>(config) = asked->contexts;
  return 0;
}

void explore_team_destroy(explore_call call, void* handle) {
  if (handle == nullptr) return;
  explore_collective sync{};
  sync.what = explore_sync;
  sync.group.team = handle;
  explore_meet(call, &sync);
}

int explore_ctx_create(explore_call call, void* handle, void** ctx) {
  if (!pe::here().active()) pe::here().wrong(call, "called before shmem_init or after shmem_finalize");
  *ctx = nullptr;
  team* of = explore::team_of(handle);
  if (of == nullptr) return -1;
  *ctx = new context{++explore::mine->contexts, of};
  return 0;
}

void explore_ctx_destroy(explore_call call, void* ctx) {
  if (ctx != nullptr) explore_quiet(call, ctx, nullptr, 0);
}

void* explore_ctx_team(void* ctx) {
  if (ctx == nullptr) return nullptr;
  team* of = explore::context_of(ctx)->of;
  if (of == &explore::mine->world) return reinterpret_cast<void*>(1);
  return of == &explore::mine->shared ? reinterpret_cast<void*>(2) : of;
}
