// Handles of non-blocking collectives. The upper half is a short name of the team, the lower half the low bits of the
// operation's number. The library stores nothing for a handle.
#include "api/handle.hpp"

namespace oshen::api {
namespace {

struct known_request {
  team* members;
  std::uint64_t number;
};

using team_table = decltype(world::teams);
constexpr std::uint32_t world_name = 1u << team_table::index_bits;  // entry 0, which no team of the table has
constexpr std::uint32_t shared_name = 2u << team_table::index_bits;

shmemx_request_t pack(shmem_team_t team, std::uint64_t number) {
  const std::uint32_t name = team == SHMEM_TEAM_WORLD ? world_name
                             : team == SHMEM_TEAM_SHARED
                                 ? shared_name
                                 : team_table::short_name(reinterpret_cast<std::uintptr_t>(team));
  return reinterpret_cast<shmemx_request_t>(std::uintptr_t{name} << 32 | static_cast<std::uint32_t>(number));
}

[[noreturn, gnu::cold]] void bad_request(const char* routine, shmemx_request_t handle) {
  op::bad_argument(in_default(routine), "request = %p: not a request, or its team was destroyed",
                   static_cast<void*>(handle));
}

// `handle` is not SHMEMX_REQUEST_INVALID.
known_request unpack(const char* routine, shmemx_request_t handle) {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  world& w = require_world(routine);
  const auto name = static_cast<std::uint32_t>(bits >> 32);
  team* t = name == world_name ? &w.team_world : name == shared_name ? &w.team_shared : w.teams.find_short(name);
  const std::uint64_t number = t == nullptr ? 0 : async::full_number(*t, static_cast<std::uint32_t>(bits));
  if (number == 0) bad_request(routine, handle);
  return {t, number};
}

void check_pointer(const char* routine, const char* argument, const shmemx_request_t* requests) {
  if (requests == nullptr) op::bad_argument(in_default(routine), "%s = NULL: expected a request", argument);
}

bool test_one(const char* routine, shmemx_request_t& handle) {
  const known_request r = unpack(routine, handle);
  if (!async::test(*r.members, r.number)) return false;
  async::claim(*r.members);
  handle = SHMEMX_REQUEST_INVALID;
  return true;
}

}  // namespace

int set_request(const char* routine, shmem_team_t team, std::uint64_t number, shmemx_request_t* request) {
  check_pointer(routine, "request", request);
  *request = number == 0 ? SHMEMX_REQUEST_INVALID : pack(team, number);
  return 0;
}

int coll_test(const char* routine, shmemx_request_t* request) {
  check_pointer(routine, "request", request);
  return *request == SHMEMX_REQUEST_INVALID || test_one(routine, *request) ? 1 : 0;
}

void coll_wait(const char* routine, shmemx_request_t* request) {
  check_pointer(routine, "request", request);
  if (*request == SHMEMX_REQUEST_INVALID) return;
  const auto r = unpack(routine, *request);
  async::wait(*r.members, r.number, routine);
  async::claim(*r.members);
  *request = SHMEMX_REQUEST_INVALID;
}

// While it waits for one request, all others advance too.
void coll_wait_all(const char* routine, shmemx_request_t* requests, std::size_t n) {
  if (n != 0) check_pointer(routine, "requests", requests);
  for (std::size_t i = 0; i < n; ++i) coll_wait(routine, &requests[i]);
}

std::size_t coll_wait_any(const char* routine, shmemx_request_t* requests, std::size_t n) {
  if (n != 0) check_pointer(routine, "requests", requests);
  std::size_t open = 0;
  for (std::size_t i = 0; i < n; ++i) open += requests[i] != SHMEMX_REQUEST_INVALID ? 1 : 0;
  if (open == 0) return SIZE_MAX;
  std::size_t found = SIZE_MAX;
  const wait_info info{.routine = routine};
  wait_for(require_world(routine), info, [&] {
    const std::size_t start = op::draw(n);  // a request that is restarted often must not starve the others
    for (std::size_t k = 0; k < n && found == SIZE_MAX; ++k) {
      const std::size_t i = start + k < n ? start + k : start + k - n;
      if (requests[i] != SHMEMX_REQUEST_INVALID && test_one(routine, requests[i])) found = i;
    }
    return found != SIZE_MAX;
  });
  return found;
}

}  // namespace oshen::api
