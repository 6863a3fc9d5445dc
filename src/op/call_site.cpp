#include "op/call_site.hpp"

#include <stdarg.h>
#include <stdio.h>

#include <algorithm>

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

bool is_in_team_heap(const world& w, std::size_t offset) {
  return offset >= w.segment.plan().heap_bytes && offset < std::min(w.card_begin, w.segment.plan().symmetric_bytes());
}

// Reports an address in the team heap where no team of this PE has a block.
[[noreturn]] void in_no_block_of_team(call_site at, const char* argument, const void* address, std::size_t offset) {
  bad_argument(at,
               "%s = %p: heap + %zu is in the team heap, where this PE has no block: it was freed, lies behind the end "
               "of one or of the heap, or belongs to a team without this PE; expected memory that shmem_malloc or "
               "shmemx_team_malloc returned on this PE",
               argument, address, offset);
}

// Checks that the bytes lie within one block, by its requested size.
void check_block(call_site at, const char* argument, const void* address, std::size_t offset, std::size_t bytes) {
  const heap::block_index::entry block = at.ctx->home->block_index.at_or_before(offset);
  if (block.holds(offset, bytes)) return;
  if (block.holds(offset, 1))
    bad_argument(at, "%s = %p: %zu bytes from there exceed the block at heap + %zu of %zu bytes, of which %zu are left",
                 argument, address, bytes, block.offset, block.bytes, block.bytes - (offset - block.offset));
  if (is_in_team_heap(*at.ctx->home, offset)) in_no_block_of_team(at, argument, address, offset);
  bad_argument(at,
               "%s = %p: heap + %zu is in no block: it was freed, or lies behind the end of one (the block before it: "
               "%zu bytes at heap + %zu)",
               argument, address, offset, block.bytes, block.offset);
}

// The team whose block holds the object at `offset`; null: it is not in memory of a team. Only members have the block.
const team* owner_of(const context& c, std::size_t offset) {
  const world& w = *c.home;
  if (offset >= c.cpu_bytes || offset < w.segment.plan().heap_bytes) return nullptr;
  return static_cast<const team*>(w.team_blocks.find(w.block_index.at_or_before(offset).offset).owner);
}

void require_member(call_site at, const char* argument, const void* address, const team& owner, int world_pe) {
  if (owner.has(world_pe)) return;
  bad_argument(at,
               "%s = %p: memory of a team of %d PEs, and PE %d is not one of them; expected a PE of the team that "
               "allocated it: use shmem_malloc for memory that all PEs have",
               argument, address, owner.n_pes, world_pe);
}

// Checks that the bytes lie within one variable of the program, if its symbol table names that variable.
void check_variable(call_site at, const char* argument, const void* address, std::size_t bytes) {
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const os::program_symbols::variable v = at.ctx->home->symbols.holding(start);
  if (v.bytes != 0 && !v.holds(start, bytes))
    bad_argument(at, "%s = %p: %zu bytes from there exceed the variable %s of %zu bytes, of which %zu are left",
                 argument, address, bytes, v.name, v.bytes, v.bytes - (start - v.start));
}

std::size_t offset_in_heap(const context& c, const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - c.heap_start;
}

// The checks of OSHEN_CHECK. Returns the distance again, so that check_object() keeps no registers for it.
[[gnu::noinline]] std::ptrdiff_t check_thoroughly(call_site at, const char* argument, const void* address,
                                                  std::size_t bytes, int world_pe) {
  const context& c = *at.ctx;
  const std::size_t offset = offset_in_heap(c, address);
  if (offset >= c.heap_bytes) {
    check_variable(at, argument, address, bytes);
    return c.data_to_slice;
  }
  check_block(at, argument, address, offset, bytes);
  const team* const owner = owner_of(c, offset);
  if (owner != nullptr && world_pe != this_pe) require_member(at, argument, address, *owner, world_pe);
  return 0;
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
  if (is_in_team_heap(*c.home, a - c.heap_start))
    bad_argument(at,
                 "%s = %p: not a symmetric address of this PE: heap + %zu lies behind the end of the heap, where only "
                 "teams have memory; expected memory that shmem_malloc or shmemx_team_malloc returned on this PE",
                 argument, address, a - c.heap_start);
  if (os::belongs_to_program(address)) not_a_symmetric_global(at, argument, address);
  bad_argument(at,
               "%s = %p: not a symmetric address; expected memory from shmem_malloc or a global or static "
               "variable of the executable",
               argument, address);
}

std::ptrdiff_t check_object(call_site at, const char* argument, const void* address, std::size_t bytes, int world_pe) {
  const std::ptrdiff_t shift = own_slice(at, argument, address, bytes);
  if (at.ctx->home->config.check) [[unlikely]]
    return check_thoroughly(at, argument, address, bytes, world_pe);
  return shift;
}

void check_team_has(call_site at, const char* argument, const void* address) {
  const team *const owner = owner_of(*at.ctx, offset_in_heap(*at.ctx, address)), *const users = at.ctx->members;
  if (owner == nullptr || owner == users) return;
  for (int i = 0; i < users->n_pes; ++i) require_member(at, argument, address, *owner, users->world_pe(i));
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
