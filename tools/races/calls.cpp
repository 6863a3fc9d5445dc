// The calls of the generated wrappers.
#include "calls.h"

#include <pshmem.h>
#include <shmemx.h>

#include <set>

#include "detector.hpp"
#include "objects.hpp"
#include "sites.hpp"

using races::channel;
using races::location;
using races::of_this_pe;
using races::operation;

namespace {

std::uint32_t to_number(int pe) { return static_cast<std::uint32_t>(pe); }

// Runs `use` while no other thread of this PE is in the detector, unless the detector is off.
template <class Use>
void if_active(Use use) {
  if (!of_this_pe.active()) return;
  const std::scoped_lock lock(of_this_pe.mutex());
  use(of_this_pe);
}

// Visits the blocks of a strided array as `use(address, bytes)`. Adjacent blocks are one.
template <class Use>
void each_block(const void* array, const races_shape& shape, std::ptrdiff_t stride, Use use) {
  const auto* at = static_cast<const char*>(array);
  if (stride == static_cast<std::ptrdiff_t>(shape.bsize)) {
    use(at, shape.bsize * shape.nblocks);
    return;
  }
  for (std::size_t i = 0; i < shape.nblocks; ++i, at += stride) use(at, shape.bsize);
}

bool is_nonblocking(int completion) {
  return completion == races_nonblocking || completion == races_nonblocking_signalled;
}

// The channel of puts on this context.
channel channel_of(const void* ctx) {
  return ctx == nullptr || ctx == SHMEM_CTX_DEFAULT ? channel::put : channel::context;
}

races::release_call told(std::uint32_t site, const races_peer& to, const std::int64_t* value) {
  return {
      .site = site, .puts = channel_of(to.ctx), .has_value = value != nullptr, .value = value != nullptr ? *value : 0};
}

// The teams that descend from SHMEM_TEAM_SHARED by splits, beside that one.
races::spin_lock teams_mutex;
std::set<const void*> shared_teams;

bool is_shared(const void* team) {
  if (team == SHMEM_TEAM_SHARED) return true;
  const std::scoped_lock lock(teams_mutex);
  return shared_teams.contains(team);
}

operation awaits(std::uint32_t at, int type) {
  return {.site = at, .atomic = true, .type = static_cast<races::atomic_type>(type)};
}

bool is_signalled(int completion) { return completion == races_signalled || completion == races_nonblocking_signalled; }

}  // namespace

uint32_t races_site(uint32_t routine, const void* caller, size_t bytes) {
  return of_this_pe.active() ? races::site_of(races::first_routine + routine, races::program_caller(caller), bytes) : 0;
}

races_peer races_peer_of(void* ctx, int pe) {
  if (ctx == nullptr || ctx == SHMEM_CTX_DEFAULT || !of_this_pe.active()) return {pe, ctx, 0};
  shmem_team_t team = SHMEM_TEAM_INVALID;
  if (pshmem_ctx_get_team(static_cast<shmem_ctx_t>(ctx), &team) != 0) return {-1, ctx, 0};
  return {pshmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD), ctx, is_shared(team)};
}

void races_team_made(void* parent, void* team) {
  const bool shared = is_shared(parent);
  const std::scoped_lock lock(teams_mutex);
  if (shared && team != SHMEM_TEAM_INVALID) {
    shared_teams.insert(team);
  } else {
    shared_teams.erase(team);
  }
}

races_group races_world(void) { return {SHMEM_TEAM_WORLD, 0, 0, 0, nullptr}; }

void races_start(void) { of_this_pe.start(); }

void races_stop(uint32_t at) {
  if (!of_this_pe.active()) return;
  races_collective(at, races_barrier, races_world(), nullptr, nullptr, {}, -1);
  of_this_pe.stop();
}

void races_leave(void) { of_this_pe.leave(); }

void races_put(uint32_t at, void* dest, const void* source, races_shape shape, races_peer to, int completion) {
  if_active([&](races::detector& d) {
    if (!d.find_at(dest, to.pe)) return;
    const std::uint32_t target = to_number(to.pe);
    const bool late = is_nonblocking(completion);
    const channel how = is_signalled(completion) ? channel::signal : channel_of(to.ctx);
    if (source != nullptr)
      each_block(source, shape, shape.sst, [&](const void* block, std::size_t bytes) {
        if (late) {
          d.lend(block, bytes, {.site = at, .how = how, .target = target, .buffer = true});
        } else {
          d.check(d.find_local(block), bytes, {.site = at});
        }
      });
    each_block(dest, shape, shape.dst, [&](const void* block, std::size_t bytes) {
      d.check(d.find_at(block, to.pe), bytes,
              {.site = at, .how = how, .target = target, .writes = true, .fenced = true});
    });
    if (late && source != nullptr) d.end_lending();
  });
}

void races_get(uint32_t at, void* dest, const void* source, races_shape shape, races_peer to, int completion) {
  if_active([&](races::detector& d) {
    if (!d.find_at(source, to.pe)) return;
    const std::uint32_t target = to_number(to.pe);
    const bool late = is_nonblocking(completion);
    const channel how = late ? channel_of(to.ctx) : channel::program;
    each_block(source, shape, shape.sst, [&](const void* block, std::size_t bytes) {
      d.check(d.find_at(block, to.pe), bytes, {.site = at, .how = how, .target = target, .buffer = late});
    });
    if (dest == nullptr) return;
    each_block(dest, shape, shape.dst, [&](const void* block, std::size_t bytes) {
      const operation arrives{.site = at, .how = how, .target = target, .writes = true, .buffer = late};
      if (late) {
        d.lend(block, bytes, arrives);
      } else {
        d.check(d.find_local(block), bytes, arrives);
      }
    });
    if (late) d.end_lending();
  });
}

void races_release(uint32_t at, void* dest, size_t bytes, races_peer to, const int64_t* value) {
  constexpr std::size_t most = 64;  // larger puts are no flags
  if (bytes > most) return;
  if_active([&](races::detector& d) { d.release(d.find_at(dest, to.pe), bytes, told(at, to, value)); });
}

void races_signal(uint32_t at, void* signal, races_peer to, const int64_t* value) {
  if_active([&](races::detector& d) {
    const location where = d.find_at(signal, to.pe);
    const channel how = channel_of(to.ctx);
    d.check(where, sizeof(std::uint64_t),
            {.site = at,
             .how = how,
             .target = to_number(to.pe),
             .writes = true,
             .atomic = true,
             .fenced = true,
             .type = races::atomic_type::of_signal});
    races::release_call call = told(at, to, value);
    call.carries_data = true;
    d.release(where, sizeof(std::uint64_t), call);
  });
}

void races_acquire(const void* object, size_t bytes, int pe) {
  if_active([&](races::detector& d) { d.acquire(d.find_at(object, pe < 0 ? static_cast<int>(d.me()) : pe), bytes); });
}

void races_acquire_when(uint32_t at, const void* object, size_t bytes, int type, int comparison, int64_t value) {
  if_active([&](races::detector& d) {
    const location where = d.find_at(object, static_cast<int>(d.me()));
    d.check_wait(where, bytes, awaits(at, type));
    d.acquire_when(where, bytes, {comparison, value});
  });
}

void races_acquire_one(uint32_t at, const void* object, size_t bytes, int type) {
  if_active([&](races::detector& d) {
    const location where = d.find_at(object, static_cast<int>(d.me()));
    d.check_wait(where, bytes, awaits(at, type));
    d.acquire(where, bytes);
  });
}

void races_acquire_all(uint32_t at, const void* objects, size_t bytes, int type, size_t n, const int* status) {
  for (std::size_t i = 0; i < n; ++i)
    if (status == nullptr || status[i] == 0)
      races_acquire_one(at, static_cast<const char*>(objects) + i * bytes, bytes, type);
}

void races_acquire_some(uint32_t at, const void* objects, size_t bytes, int type, const size_t* indices, size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    races_acquire_one(at, static_cast<const char*>(objects) + indices[i] * bytes, bytes, type);
}

void races_atomic(uint32_t at, const void* object, size_t bytes, int type, races_peer to, int kind, void* fetch,
                  const int64_t* value) {
  if_active([&](races::detector& d) {
    const location where = d.find_at(object, to.pe);
    if (!where) return;
    const bool returns_value = (kind & races_reads) != 0 && fetch == nullptr;
    const channel puts = channel_of(to.ctx);
    const channel how = returns_value ? channel::program : puts;
    const std::uint32_t target = to_number(to.pe);
    d.check(where, bytes,
            {.site = at,
             .how = how,
             .target = target,
             .writes = (kind & races_writes) != 0,
             .atomic = true,
             .fenced = true,
             .type = static_cast<races::atomic_type>(type),
             .shared_team = to.shared_team != 0});
    if (fetch != nullptr) {
      d.lend(fetch, bytes, {.site = at, .how = puts, .target = target, .writes = true, .buffer = true});
      d.acquire_at_quiet(where, bytes, puts);
      d.end_lending();
    }
    if ((kind & races_writes) != 0) d.release(where, bytes, told(at, to, value));
  });
}

void races_fence(const void* ctx) {
  if_active([&](races::detector& d) { d.fence(channel_of(ctx)); });
}

void races_quiet(const void* ctx) {
  if_active([&](races::detector& d) { d.quiet(channel_of(ctx)); });
}

void races_quiet_local(const void* ctx) {
  if_active([&](races::detector& d) { d.quiet_local(channel_of(ctx)); });
}

void races_quiet_of(void* ctx, const int* pes, size_t n) {
  if (!of_this_pe.active()) return;
  for (std::size_t i = 0; i < n; ++i) {
    const races_peer to = races_peer_of(ctx, pes[i]);
    if (to.pe >= 0) if_active([&](races::detector& d) { d.quiet_of(channel_of(ctx), to_number(to.pe)); });
  }
}

// A lock is one object for all PEs; its clock is that of PE 0's copy.
void races_lock(const long* lock) {
  if_active([&](races::detector& d) { d.acquire(d.find_at(lock, 0), sizeof *lock); });
}

void races_unlock(uint32_t at, const long* lock) {
  if_active([&](races::detector& d) {
    d.quiet(channel::put);
    d.release(d.find_at(lock, 0), sizeof *lock, {.site = at});
  });
}

void races_begin_block(uint32_t at, void* block, size_t bytes) {
  if_active([&](races::detector& d) {
    races::add_block(reinterpret_cast<std::uintptr_t>(block), bytes, at);
    d.forget(d.find(block), bytes);
  });
}

void races_allocated(uint32_t at, void* block, size_t bytes) {
  if (block == nullptr || !of_this_pe.active()) return;
  races_begin_block(at, block, bytes);
  races_collective(at, races_barrier, races_world(), nullptr, nullptr, {}, -1);
}

// Without a barrier the block may be in use already: a PE that puts into it too early races, so nothing is forgotten.
void races_allocated_with_hints(uint32_t at, void* block, size_t bytes, long hints) {
  if ((hints & SHMEMX_MALLOC_NO_BARRIER) == 0) return races_allocated(at, block, bytes);
  if (block == nullptr) return;
  if_active([&](races::detector&) { races::add_block(reinterpret_cast<std::uintptr_t>(block), bytes, at); });
}

void races_freed(uint32_t at, void* block) {
  if (block == nullptr || !of_this_pe.active()) return;
  races_collective(at, races_barrier, races_world(), nullptr, nullptr, {}, -1);
  if_active([&](races::detector&) { races::drop_block(reinterpret_cast<std::uintptr_t>(block)); });
}
