// Handles of non-blocking collectives: the team's handle above, the low half of the operation's number below. Nothing
// is kept for a handle, so a complete one costs nothing.
#include "api/handle.hpp"

namespace oshen::api {
namespace {

struct request {
  team* members;
  std::uint64_t number;
};

shmemx_request_t pack(shmem_team_t team, std::uint64_t number) {
  return reinterpret_cast<shmemx_request_t>(reinterpret_cast<std::uintptr_t>(team) << 32 |
                                            static_cast<std::uint32_t>(number));
}

[[noreturn, gnu::cold]] void bad_request(const char* routine, shmemx_request_t handle) {
  op::bad_argument(in_default(routine), "request = %p: not a request, or its team was destroyed",
                   static_cast<void*>(handle));
}

// `handle` is not SHMEMX_REQUEST_INVALID.
request unpack(const char* routine, shmemx_request_t handle) {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  world& w = require_world(routine);
  const std::uintptr_t id = bits >> 32;
  team* t = id == reinterpret_cast<std::uintptr_t>(SHMEM_TEAM_WORLD)    ? &w.team_world
            : id == reinterpret_cast<std::uintptr_t>(SHMEM_TEAM_SHARED) ? &w.team_shared
                                                                        : w.teams.find(id);
  const std::uint64_t number = t == nullptr ? 0 : async::full_number(*t, static_cast<std::uint32_t>(bits));
  if (number == 0) bad_request(routine, handle);
  return {t, number};
}

void check_pointer(const char* routine, const char* argument, const shmemx_request_t* requests) {
  if (requests == nullptr) op::bad_argument(in_default(routine), "%s = NULL: expected a request", argument);
}

bool test_one(const char* routine, shmemx_request_t& handle) {
  const request r = unpack(routine, handle);
  if (!async::test(*r.members, r.number)) return false;
  async::claim(*r.members);
  handle = SHMEMX_REQUEST_INVALID;
  return true;
}

}  // namespace

int begun(const char* routine, shmem_team_t team, std::uint64_t number, shmemx_request_t* request) {
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

// While it waits for one, all others advance too.
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
  const wait_info note{.routine = routine};
  wait_for(require_world(routine), note, [&] {
    const std::size_t start = op::draw(n);  // a request that is started again and again must not starve the others
    for (std::size_t k = 0; k < n && found == SIZE_MAX; ++k) {
      const std::size_t i = start + k < n ? start + k : start + k - n;
      if (requests[i] != SHMEMX_REQUEST_INVALID && test_one(routine, requests[i])) found = i;
    }
    return found != SIZE_MAX;
  });
  return found;
}

}  // namespace oshen::api
