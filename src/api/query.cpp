#include <string.h>

#include "api/handle.hpp"
#include "os/clock.hpp"

namespace oshen::api {
namespace {

bool is_symmetric(const context& c, const void* address) {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  return a - c.heap_start < c.heap_bytes || a - c.data_start < c.data_bytes;
}

// The address of the object of PE `pe` of the context's team that corresponds to `address`; null if that is not
// symmetric, or if the PE is on another node.
void* translate(const context& c, const void* address, int pe) {
  if (pe < 0 || static_cast<std::uint32_t>(pe) >= c.n_pes || !c.is_near(static_cast<std::uint32_t>(pe))) return nullptr;
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  std::ptrdiff_t shift = 0;
  if (a - c.heap_start >= c.heap_bytes) {
    if (a - c.data_start >= c.data_bytes) return nullptr;
    shift = c.data_to_slice;
  }
  const std::ptrdiff_t peer_offset = c.offset_to(static_cast<std::uint32_t>(pe));
  if (peer_offset == 0) return const_cast<void*>(address);  // the own object keeps the program's address
  return byte_offset(const_cast<char*>(static_cast<const char*>(address)), shift + peer_offset);
}

}  // namespace

int my_pe(const char* routine) { return require_world(routine).pe; }
int n_pes(const char* routine) { return require_world(routine).n_pes; }

int pe_accessible(const char* routine, int pe) { return pe >= 0 && pe < require_world(routine).n_pes ? 1 : 0; }

int addr_accessible(const char* routine, const void* addr, int pe) {
  return pe_accessible(routine, pe) != 0 && is_symmetric(require_world(routine).default_context, addr) ? 1 : 0;
}

void* ptr(const char* routine, const void* dest, int pe) {
  return translate(require_world(routine).default_context, dest, pe);
}

void* team_ptr(const char* routine, shmem_team_t team, const void* dest, int pe) {
  const oshen::team* t = team_or_none(team, routine);
  return t != nullptr ? translate(t->ctx, dest, pe) : nullptr;
}

void info_get_version(const char*, int* major, int* minor) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

void info_get_name(const char*, char* name) {
  static_assert(sizeof(SHMEM_VENDOR_STRING) <= SHMEM_MAX_NAME_LEN);
  memcpy(name, SHMEM_VENDOR_STRING, sizeof(SHMEM_VENDOR_STRING));
}

double wtime() { return static_cast<double>(os::now_ns()) / 1e9; }

}  // namespace oshen::api
