// The steps of schedules. None of them waits. design/collectives.md describes their accesses to the memory of other
// PEs.
#include <string.h>

#include <algorithm>

#include "coll/call/signature.hpp"
#include "coll/nonblocking/queue.hpp"
#include "coll/nonblocking/threads.hpp"
#include "coll/run/run.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll::async {
namespace {

// The bytes that one step moves before other operations get their turn. This takes some tens of microseconds.
constexpr std::size_t bytes_per_advance = std::size_t{256} << 10;

step_result wait_for_pe(collective_operation& op, int pe) {
  op.awaited = pe < 0 ? -1 : op.call.members.world_pe(pe);
  return step_result::waits;
}

// Calls `deal(pe)` once for each PE that has become ready.
template <class Ready, class Deal>
step_result visit_all(collective_operation& op, Ready ready, Deal deal) {
  const team& t = op.call.members;
  while (!op.seen.all(t.n_pes)) {
    const int distance = op.seen.next(t.n_pes, [&](int d) { return ready(op, after(t, d)); });
    if (distance < 0) return wait_for_pe(op, after(t, op.seen.first()));
    observe(t, event::received, after(t, distance));
    deal(after(t, distance));
    op.seen.mark(distance);
  }
  return step_result::over;
}

const std::byte* inline_payload_of(const collective_operation& op, int pe) {
  return request_flag_of(op.call.members, pe, op.number).payload;
}

// The block that this PE gets from PE `pe`.
struct block {
  const char* from;
  char* to;
  std::size_t bytes;
};
block block_of(const collective_operation& op, int pe) {
  const collective_call& call = op.call;
  const std::size_t bytes = call.bytes();
  const std::size_t mine = op.collective == kind::alltoall ? static_cast<std::size_t>(call.members.my_pe) * bytes : 0;
  return {call.source + mine, call.dest + static_cast<std::size_t>(pe) * bytes, bytes};
}

// Copies more of the block of PE `pe`, at most `room` bytes. True if the block is complete.
bool pull(collective_operation& op, const block& b, int pe, std::size_t& room) {
  const std::size_t chunk = std::min(b.bytes - op.moved, room);
  read_from(op.call.members, pe, b.to + op.moved, b.from + op.moved, chunk);
  op.moved += chunk;
  room -= chunk;
  return op.moved == b.bytes;
}

// ---- request flags ------------------------------------------------------------------------------------------------

step_result enter(queue& q, collective_operation& op) {
  if (!may_write(q, op.number)) return wait_for_pe(op, -1);
  team& t = op.call.members;
  observe(t, event::flag, -1, op.inline_bytes);
  request_flag& mine = request_flag_of(t, t.my_pe, op.number);
  if (op.inline_bytes != 0) memcpy(mine.payload, op.call.source, op.inline_bytes);
  mine.entered.store(op.number, std::memory_order_release);  // pairs with has_entered()
  wake_all(t);
  return step_result::over;
}

step_result finish(queue& q, collective_operation& op) {
  if (!may_write(q, op.number)) return wait_for_pe(op, -1);
  team& t = op.call.members;
  observe(t, event::flag, -1);
  // pairs with has_finished()
  request_flag_of(t, t.my_pe, op.number).finished.store(op.number, std::memory_order_release);
  wake_all(t);
  return step_result::over;
}

step_result all_entered(queue&, collective_operation& op) {
  return visit_all(op, has_entered, [](int) {});
}

// Waits for the other PEs only: this PE has nothing left to do, and a root does not set its own `finished`.
step_result all_finished(queue&, collective_operation& op) {
  const int me = op.call.members.my_pe;
  const auto ready = [me](const collective_operation& o, int pe) { return pe == me || has_finished(o, pe); };
  return visit_all(op, ready, [](int) {});
}

// ---- comparing calls under OSHEN_CHECK ----------------------------------------------------------------------------
//
// The end of the payload has the PE's call. A PE compares it with the call of the PE before it in the team, so any
// difference shows at two neighbours. It does so before it waits for data, which may never come if the calls differ.

constexpr std::size_t record_offset = request_payload - sizeof(call_record);

call_record call_record_of(const collective_operation& op) {
  call_record record = record_of_call(op.collective, op.call, op.number);
  record.signature ^= signature_of_dest(op.collective, op.call);
  return record;
}

step_result enter_with_call(queue& q, collective_operation& op) {
  if (!may_write(q, op.number)) return wait_for_pe(op, -1);
  const call_record mine = call_record_of(op);
  memcpy(request_flag_of(op.call.members, op.call.members.my_pe, op.number).payload + record_offset, &mine,
         sizeof mine);
  return enter(q, op);
}

step_result compare_calls(queue&, collective_operation& op) {
  const team& t = op.call.members;
  const int previous = after(t, t.n_pes - 1);
  if (!has_entered(op, previous)) return wait_for_pe(op, previous);
  call_record theirs;
  memcpy(&theirs, inline_payload_of(op, previous) + record_offset, sizeof theirs);
  if (const call_record mine = call_record_of(op); !same_call(mine, theirs))
    report_other_call(op.call, mine, theirs, previous);
  return step_result::over;
}

// ---- data inside request flags --------------------------------------------------------------------------------------

step_result copy_inline_root(queue&, collective_operation& op) {
  const collective_call& call = op.call;
  if (!has_entered(op, call.root)) return wait_for_pe(op, call.root);
  observe(call.members, event::received, call.root);
  memcpy(call.dest, inline_payload_of(op, call.root), call.bytes());
  return step_result::over;
}

step_result copy_inline_blocks(queue&, collective_operation& op) {
  return visit_all(op, has_entered, [&](int pe) {
    const block b = block_of(op, pe);
    memcpy(b.to, inline_payload_of(op, pe) + (b.from - op.call.source), b.bytes);
  });
}

step_result combine_inline(queue&, collective_operation& op) {
  const collective_call& call = op.call;
  alignas(16) std::byte sum[request_payload];
  memcpy(sum, inline_payload_of(op, 0), call.bytes());
  for (int pe = 1; pe < call.members.n_pes; ++pe) call.combine(sum, inline_payload_of(op, pe), call.elements);
  memcpy(call.dest, sum, call.bytes());
  return step_result::over;
}

// ---- data in the memory of peers ----------------------------------------------------------------------------

step_result copy_own(queue&, collective_operation& op) {
  memmove(op.call.dest, op.call.source, op.call.bytes());
  return step_result::over;
}

step_result pull_root(queue&, collective_operation& op) {
  const collective_call& call = op.call;
  if (!has_entered(op, call.root)) return wait_for_pe(op, call.root);
  if (op.moved == 0) observe(call.members, event::received, call.root);
  std::size_t room = bytes_per_advance;
  return pull(op, {call.source, call.dest, call.bytes()}, call.root, room) ? step_result::over : step_result::moved;
}

step_result pull_blocks(queue&, collective_operation& op) {
  const team& t = op.call.members;
  std::size_t room = bytes_per_advance;
  while (!op.seen.all(t.n_pes)) {
    if (op.current < 0) {
      op.current = op.seen.next(t.n_pes, [&](int d) { return has_entered(op, after(t, d)); });
      if (op.current < 0) return wait_for_pe(op, after(t, op.seen.first()));
      observe(t, event::received, after(t, op.current));
    }
    const int pe = after(t, op.current);
    if (!pull(op, block_of(op, pe), pe, room)) return step_result::moved;
    op.seen.mark(op.current);
    op.current = -1;
    op.moved = 0;
  }
  return step_result::over;
}

// Only the owner of a share reads and writes it, so dest may be source. All PEs have entered before this step.
step_result combine_share(queue&, collective_operation& op) {
  const collective_call& call = op.call;
  team& t = call.members;
  const element_range mine = aligned_share(call, t.my_pe);
  alignas(cache_line) char sum[block_bytes];
  std::size_t room = bytes_per_advance / static_cast<std::size_t>(t.n_pes);
  while (op.moved < mine.elements) {
    const std::size_t elements = std::min(mine.elements - op.moved, block_bytes / call.element_bytes);
    const std::size_t bytes = elements * call.element_bytes;
    const std::size_t offset = (mine.first + op.moved) * call.element_bytes;
    combine_sources(call, {t.n_pes}, offset, elements, sum);
    for (int i = 0; i < t.n_pes; ++i) write_to(t, after(t, i), call.dest + offset, sum, bytes);
    op.moved += elements;
    if (room <= bytes) return op.moved < mine.elements ? step_result::moved : step_result::over;
    room -= bytes;
  }
  return step_result::over;
}

// ---- schedules --------------------------------------------------------------------------------------------------

struct schedules {
  schedule usual, checked;  // `checked` is for OSHEN_CHECK
};

constexpr schedules team_sync{{{enter, all_entered}}, {{enter_with_call, compare_calls, all_entered}}};

constexpr schedules small_root{{{enter, copy_own}}, {{enter_with_call, compare_calls, copy_own}}};
constexpr schedules small_leaf{{{copy_inline_root}}, {{enter_with_call, compare_calls, copy_inline_root}}};
constexpr schedules large_root{{{enter, copy_own, all_finished}},
                               {{enter_with_call, compare_calls, copy_own, all_finished}}};
constexpr schedules large_leaf{{{pull_root, finish}}, {{enter_with_call, compare_calls, pull_root, finish}}};

constexpr schedules small_blocks{{{enter, copy_inline_blocks}}, {{enter_with_call, compare_calls, copy_inline_blocks}}};
constexpr schedules large_blocks{{{enter, pull_blocks, finish, all_finished}},
                                 {{enter_with_call, compare_calls, pull_blocks, finish, all_finished}}};

constexpr schedules small_reduce{{{enter, all_entered, combine_inline}},
                                 {{enter_with_call, compare_calls, all_entered, combine_inline}}};
constexpr schedules large_reduce{{{enter, all_entered, combine_share, finish, all_finished}},
                                 {{enter_with_call, compare_calls, all_entered, combine_share, finish, all_finished}}};

// The bytes that this PE contributes. They travel with its request flag if they fit.
std::size_t contribution(const collective_operation& op) {
  const auto n = static_cast<std::size_t>(op.call.members.n_pes);
  return op.collective == kind::alltoall ? op.call.bytes() * n : op.call.bytes();
}

const schedules& schedules_of(const collective_operation& op, bool small) {
  const bool root = op.call.members.my_pe == op.call.root;
  switch (op.collective) {
    case kind::broadcast:
      if (root) return small ? small_root : large_root;
      return small ? small_leaf : large_leaf;
    case kind::alltoall:
    case kind::fcollect: return small ? small_blocks : large_blocks;
    case kind::reduce: return small ? small_reduce : large_reduce;
    default: return team_sync;
  }
}

}  // namespace

void plan(collective_operation& op) {
  if (op.call.members.spans) {
    op.next = proxy_schedule.in_order;
    return;
  }
  const bool checks = op.call.members.home->config.check;
  const std::size_t bytes = contribution(op);
  const bool small = bytes <= (checks ? record_offset : request_payload);
  const schedules& found = schedules_of(op, small);
  op.next = (checks ? found.checked : found.usual).in_order;
  op.inline_bytes = small ? bytes : 0;
}

}  // namespace oshen::coll::async
