#include "op/site.hpp"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.hpp"
#include "world/world.hpp"

namespace oshen::op {
namespace {

// Every operation's range check also catches a call outside init ... finalize.
void require_world(site at) {
  if (at.where->home != nullptr) return;
  log::error("%s: called while the library is not initialised; call shmem_init first (and not after the last shmem_finalize)",
             at.routine);
  end_job(nullptr, 1, false);
}

}  // namespace

void bad_argument(site at, const char* format, ...) {
  require_world(at);
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  log::error("%s: %s", at.routine, text);
  end_job(at.where->home, 1, false);
}

void bad_pe(site at, int pe) {
  require_world(at);
  bad_argument(at, "pe = %d: expected 0 .. %d", pe, static_cast<int>(at.where->n_pes) - 1);
}

void bad_address(site at, const char* argument, const void* address, std::size_t bytes) {
  require_world(at);
  const context& c = *at.where;
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const bool in_heap = a - c.heap < c.heap_bytes;
  const bool in_data = a - c.data < c.data_bytes;
  if (in_heap || in_data)
    bad_argument(at, "%s = %p: %zu bytes from there leave the symmetric %s, which has %zu bytes left", argument,
                 address, bytes, in_heap ? "heap" : "static data",
                 in_heap ? c.heap_bytes - (a - c.heap) : c.data_bytes - (a - c.data));
  bad_argument(at, "%s = %p: not a symmetric address; expected memory from shmem_malloc or a global or static "
               "variable of the executable", argument, address);
}

void misaligned(site at, const char* argument, const void* address, std::size_t alignment) {
  require_world(at);
  bad_argument(at, "%s = %p: expected an address that is a multiple of %zu", argument, address, alignment);
}

}  // namespace oshen::op
