#include "op/call_site.hpp"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.hpp"
#include "os/program_identity.hpp"
#include "world/current.hpp"
#include "world/world.hpp"

namespace oshen::op {
namespace {

// The range check of every operation also detects that the library is not initialised.
void require_world(call_site at) {
  if (at.ctx->home != nullptr) return;
  if (is_child_of_pe) {
    log::error("%s: called in a child that a PE made by fork(); only the PE itself may call the library", at.routine);
    end_job(nullptr, 1, false);
  }
  log::error(
      "%s: called while the library is not initialised; call shmem_init first (and not after the last shmem_finalize)",
      at.routine);
  end_job(nullptr, 1, false);
}

// Reports an address that lies in the executable, but not in its symmetric variables.
[[noreturn]] void not_a_symmetric_global(call_site at, const char* argument, const void* address) {
  if (!at.ctx->home->one_program)
    bad_argument(at,
                 "%s = %p: a global or static variable, which is not symmetric because the PEs run different programs; "
                 "expected memory from shmem_malloc",
                 argument, address);
  bad_argument(
      at,
      "%s = %p: a constant of the program, in memory that is read-only and not symmetric; expected a variable: "
      "remove const, or copy the constant to a variable",
      argument, address);
}

// Checks that the bytes lie within one block, by its requested size.
void check_block(call_site at, const char* argument, const void* address, std::size_t offset, std::size_t bytes) {
  const heap::block_index::entry block = at.ctx->home->block_index.at_or_before(offset);
  if (block.holds(offset, bytes)) return;
  if (block.holds(offset, 1))
    bad_argument(at, "%s = %p: %zu bytes from there exceed the block at heap + %zu of %zu bytes, of which %zu are left",
                 argument, address, bytes, block.offset, block.bytes, block.bytes - (offset - block.offset));
  bad_argument(at,
               "%s = %p: heap + %zu is in no block: it was freed, or lies behind the end of one (the block before it: "
               "%zu bytes at heap + %zu)",
               argument, address, offset, block.bytes, block.offset);
}

// Checks that the bytes lie within one variable of the program, if its symbol table names that variable.
void check_variable(call_site at, const char* argument, const void* address, std::size_t bytes) {
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const os::program_symbols::variable v = at.ctx->home->symbols.holding(start);
  if (v.bytes != 0 && !v.holds(start, bytes))
    bad_argument(at, "%s = %p: %zu bytes from there exceed the variable %s of %zu bytes, of which %zu are left",
                 argument, address, bytes, v.name, v.bytes, v.bytes - (start - v.start));
}

}  // namespace

void bad_argument(call_site at, const char* format, ...) {
  require_world(at);
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  log::error("%s: %s", at.routine, text);
  end_job(at.ctx->home, 1, false);
}

void bad_pe(call_site at, int pe) {
  require_world(at);
  bad_argument(at, "pe = %d: expected 0 .. %d", pe, static_cast<int>(at.ctx->n_pes) - 1);
}

void bad_address(call_site at, const char* argument, const void* address, std::size_t bytes) {
  require_world(at);
  const context& c = *at.ctx;
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const bool in_heap = a - c.heap_start < c.heap_bytes;
  const bool in_data = a - c.data_start < c.data_bytes;
  if (in_heap || in_data)
    bad_argument(at, "%s = %p: %zu bytes from there exceed the symmetric %s, of which %zu bytes are left", argument,
                 address, bytes, in_heap ? "heap" : "static data",
                 in_heap ? c.heap_bytes - (a - c.heap_start) : c.data_bytes - (a - c.data_start));
  if (os::belongs_to_program(address)) not_a_symmetric_global(at, argument, address);
  bad_argument(at,
               "%s = %p: not a symmetric address; expected memory from shmem_malloc or a global or static "
               "variable of the executable",
               argument, address);
}

std::ptrdiff_t check_symmetric(call_site at, const char* argument, const void* address, std::size_t bytes) {
  const std::ptrdiff_t shift = own_slice(at, argument, address, bytes);
  const context& c = *at.ctx;
  if (!c.home->config.check) return shift;
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(address) - c.heap_start;
  if (offset < c.heap_bytes)
    check_block(at, argument, address, offset, bytes);
  else
    check_variable(at, argument, address, bytes);
  return shift;
}

void check_private(call_site at, const char* argument, const void* address) {
  if (address == nullptr && at.ctx->home->config.check)
    bad_argument(at, "%s = NULL: expected the address of the elements", argument);
}

void misaligned(call_site at, const char* argument, const void* address, std::size_t alignment) {
  require_world(at);
  bad_argument(at, "%s = %p: expected an address that is a multiple of %zu", argument, address, alignment);
}

}  // namespace oshen::op
