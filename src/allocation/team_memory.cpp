#include "allocation/team_memory.hpp"

#include <string.h>

#include <algorithm>

#include "allocation/node_memory.hpp"
#include "base/bits.hpp"
#include "base/log.hpp"
#include "coll/api/reduction.hpp"
#include "coll/call/signature.hpp"
#include "coll/select/selection.hpp"
#include "heap/core_dump.hpp"
#include "heap/memory_checkers.hpp"
#include "op/order.hpp"
#include "os/placement.hpp"
#include "world/current.hpp"
#include "world/team_heap.hpp"

namespace oshen {
namespace {

using coll::team_call;

// ---- agreement --------------------------------------------------------------------------------------------------

enum class call_kind : std::uint64_t { allocate = 1, calloc, free };

// The values of a PE in one round of a call. After the round they are the extremes over the team: beside each value is
// its complement, whose maximum gives the minimum of the value.
class ballot {
 public:
  enum value : int { call, alignment, size, offset };

  ballot(call_kind k, std::size_t of_alignment, std::size_t of_size, std::size_t at, bool refuses) {
    set(call, static_cast<std::uint64_t>(k));
    set(alignment, of_alignment);
    set(size, of_size);
    set(offset, at);
    words_[refusal] = refuses ? 1 : 0;
  }
  std::uint64_t most(value v) const { return words_[2 * v]; }
  std::uint64_t least(value v) const { return ~words_[2 * v + 1]; }
  bool agree_on(value v) const { return most(v) == least(v); }
  bool is_refused() const { return words_[refusal] != 0; }

  std::uint64_t* words() { return words_; }

 private:
  static constexpr int refusal = 8;
  void set(value v, std::uint64_t number) {
    words_[2 * v] = number;
    words_[2 * v + 1] = ~number;
  }
  std::uint64_t words_[ballot_words] = {};
};

// Combines the ballots of all members. Two buffers alternate: a member that is one round ahead does not write into one
// that another still reads. It synchronises the team: on return all members have called.
void combine(team_call at, ballot& votes) {
  team& t = *at.members;
  auto* const words = reinterpret_cast<char*>(t.own_slot().ballots[++t.n_ballots % 2]);
  memcpy(words, votes.words(), ballot_bytes);
  coll::begin_collective(t, at.routine);
  const coll::collective_call call{.members = t,
                                   .routine = at.routine,
                                   .dest = words,
                                   .source = words,
                                   .elements = ballot_words,
                                   .element_bytes = sizeof(std::uint64_t),
                                   .combine = coll::combine<coll::op_max, std::uint64_t>,
                                   .dest_bytes = ballot_bytes,
                                   .source_bytes = ballot_bytes};
  coll::sign(coll::kind::reduce, call);
  if (t.home->config.check) coll::sync_team(t, at.routine);
  coll::algorithm_for(t, coll::kind::reduce, coll::size_class(ballot_bytes)).run(call);
  memcpy(votes.words(), words, ballot_bytes);
}

void require_same(team_call at, const ballot& votes, ballot::value v, const char* name, const char* base = "") {
  if (votes.agree_on(v)) return;
  claim_error_report(*at.members->home);
  log::error("%s: %s: the PEs of the team give %s%llu to %s%llu: all of them must give the same value", at.routine,
             name, base, static_cast<unsigned long long>(votes.least(v)), base,
             static_cast<unsigned long long>(votes.most(v)));
  end_job(at.members->home, 1, false);
}

void require_same_call(team_call at, const ballot& votes) {
  if (!votes.agree_on(ballot::call)) {
    claim_error_report(*at.members->home);
    log::error(
        "%s: other PEs of the team call another routine of its memory: all must make the same calls in the same order",
        at.routine);
    end_job(at.members->home, 1, false);
  }
  require_same(at, votes, ballot::alignment, "alignment");
  require_same(at, votes, ballot::size, "size");
}

// ---- blocks -----------------------------------------------------------------------------------------------------

char* address_of(const world& w, std::size_t offset) { return w.segment.heap(w.near.mine) + offset; }

std::size_t near_members(const team& t) {
  std::size_t n = 0;
  for (int pe = 0; pe < t.n_pes; ++pe) n += t.is_near(pe);
  return n;
}

// True if the node of this PE lacks memory for the block, which all members of the node are about to use.
bool lacks_memory(world& w, const team& t, const heap::team_blocks::reservation& at, std::size_t bytes) {
  if (w.team_heap_unchecked.fetch_add(bytes, std::memory_order_relaxed) + bytes < checked_growth(w)) return false;
  w.team_heap_unchecked.store(0, std::memory_order_relaxed);
  const std::size_t missing = missing_bytes(w, at.offset, bytes, at.high_water);
  const std::size_t room = room_left(w, w.own_control().heap_used.load(std::memory_order_relaxed));
  return with_page_tables(w, missing * near_members(t)) > room;
}

// Explains the first refusal of a team. One PE prints, and the others wait for the line.
void explain(team_call at, std::size_t bytes, const char* why) {
  team& t = *at.members;
  if (t.n_refused_blocks++ != 0) return;
  if (t.my_pe == 0) {
    const heap::team_blocks::usage u = t.home->team_blocks.report();
    log::error(
        "%s: %zu bytes refused: %s; team heap %zu bytes, of which this PE uses %zu in %zu blocks; a larger "
        "SHMEM_SYMMETRIC_SIZE enlarges it",
        at.routine, bytes, why, u.bytes, u.used, u.blocks);
  }
  coll::sync_team(t, at.routine);
}

void begin_block(world& w, std::size_t offset, std::size_t bytes) {
  const std::size_t capacity = w.team_blocks.find(offset).bytes;
  w.block_index.set(offset, bytes);
  heap::mark_block(address_of(w, offset), bytes, capacity);
  heap::keep_heap_in_core(w.segment, w.near.mine, round_down(offset, heap::alignment), offset + capacity);
  w.own_control().team_heap_used.fetch_add(capacity, std::memory_order_relaxed);
  if (w.config.huge_pages) os::use_huge_pages(address_of(w, offset), bytes);
}

void end_block(world& w, const heap::team_blocks::block& b) {
  heap::mark_freed(address_of(w, b.offset), b.bytes);
  w.block_index.set(b.offset, 0);
  w.own_control().team_heap_used.fetch_sub(b.bytes, std::memory_order_relaxed);
  w.team_blocks.release(b.offset);
}

// Reserves the lowest range that is free on all members. Each proposes its lowest range from `from` on, and the highest
// proposal is the next `from`: below it some member has no room. So `from` grows until all propose the same.
heap::team_blocks::reservation take(team_call at, call_kind kind, std::size_t bytes, std::size_t alignment) {
  team& t = *at.members;
  world& w = *t.home;
  open_team_heap(w);
  for (std::size_t from = 0;;) {
    const heap::team_blocks::reservation mine = w.team_blocks.reserve(from, bytes, alignment, &t);
    const bool has_range = mine.offset != heap::nowhere;
    ballot votes(kind, alignment, bytes, mine.offset, has_range && lacks_memory(w, t, mine, bytes));
    combine(at, votes);
    require_same_call(at, votes);
    from = votes.most(ballot::offset);
    const bool is_over = votes.agree_on(ballot::offset) || from == heap::nowhere;
    if (is_over && has_range && from != heap::nowhere && !votes.is_refused()) {
      begin_block(w, mine.offset, bytes);
      ++t.n_blocks;
      return mine;
    }
    if (has_range) w.team_blocks.release(mine.offset);
    if (!is_over) continue;
    explain(at, bytes,
            from == heap::nowhere ? "no range of that size is free on all PEs of the team"
                                  : "not enough memory is free on the node of one of its PEs");
    return {heap::nowhere, 0};
  }
}

void* address_or_null(const world& w, const heap::team_blocks::reservation& at) {
  return at.offset == heap::nowhere ? nullptr : address_of(w, at.offset);
}

heap::team_blocks::block block_at(team_call at, const void* block) {
  const world& w = *at.members->home;
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(block) - address_of(w, 0));
  const heap::team_blocks::block found = w.team_blocks.find(offset);
  const op::call_site here = op::site_of(w.default_context, at.routine);
  if (found.bytes == 0)
    op::bad_argument(here, "ptr = %p: not the start of a block from shmemx_team_malloc, or already freed", block);
  if (found.owner != at.members)
    op::bad_argument(here, "ptr = %p: a block of another team; expected the team that allocated it", block);
  return found;
}

}  // namespace

void* team_malloc(team_call at, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return address_or_null(*at.members->home, take(at, call_kind::allocate, bytes, heap::grain));
}

void* team_align(team_call at, std::size_t alignment, std::size_t bytes) {
  const bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!power_of_two || alignment > heap::alignment)
    op::bad_argument(op::site_of(at.members->home->default_context, at.routine),
                     "alignment = %zu: expected a power of two from 1 to %zu", alignment, heap::alignment);
  if (bytes == 0) return nullptr;
  return address_or_null(*at.members->home, take(at, call_kind::allocate, bytes, alignment));
}

// Pages beyond the high-water mark were never touched, so they are zero already.
void* team_calloc(team_call at, std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  if (count == 0 || bytes == 0) return nullptr;
  if (__builtin_mul_overflow(count, bytes, &total)) total = SIZE_MAX;
  world& w = *at.members->home;
  const heap::team_blocks::reservation block = take(at, call_kind::calloc, total, heap::grain);
  if (block.offset == heap::nowhere) return nullptr;
  if (block.offset < block.high_water)
    memset(address_of(w, block.offset), 0, std::min(block.high_water - block.offset, total));
  coll::sync_team(*at.members, at.routine);  // no PE writes to the block before it has been cleared
  return address_of(w, block.offset);
}

void team_free(team_call at, void* block) {
  if (block == nullptr) return;
  world& w = *at.members->home;
  const heap::team_blocks::block mine = block_at(at, block);
  op::quiet(op::site_of(w.default_context, at.routine));
  ballot votes(call_kind::free, 0, 0, mine.offset, false);
  combine(at, votes);
  require_same_call(at, votes);
  require_same(at, votes, ballot::offset, "ptr", "heap + ");
  --at.members->n_blocks;
  end_block(w, mine);
}

void free_blocks_of(team_call at) {
  team& t = *at.members;
  if (t.n_blocks == 0) return;
  world& w = *t.home;
  op::quiet(op::site_of(w.default_context, at.routine));
  coll::sync_team(t, at.routine);
  for (heap::team_blocks::block b = w.team_blocks.any_of(&t); b.bytes != 0; b = w.team_blocks.any_of(&t))
    end_block(w, b);
  t.n_blocks = 0;
}

}  // namespace oshen
