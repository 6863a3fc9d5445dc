#include "allocation/heap_call.hpp"

#include <stdio.h>

#include <bit>

#include "base/log.hpp"
#include "coll/call/sequence.hpp"
#include "op/control_access.hpp"
#include "world/current.hpp"

namespace oshen {
namespace {

constexpr const char* operation_names[] = {"nothing", "malloc", "align", "calloc", "realloc", "free"};
constexpr const char* value_names[][2] = {{"", ""},          {"size", "hints"}, {"alignment", "size"},
                                          {"count", "size"}, {"ptr", "size"},   {"ptr", ""}};

heap_call_record& record_at(const world& w, int pe, std::uint64_t sync) { return w.control(pe).heap_calls[sync % 2]; }

bool is_block(std::uint64_t operation, int value) { return value_names[operation][value][0] == 'p'; }

void compare_values(world& w, const heap_call& call, const heap_call_record& theirs, int pe) {
  for (int i = 0; i < 2; ++i) {
    if (call.values[i] == theirs.values[i]) continue;
    claim_error_report(w);
    const auto mine = static_cast<unsigned long long>(call.values[i]);
    const auto other = static_cast<unsigned long long>(theirs.values[i]);
    const char* base = is_block(theirs.operation, i) ? "heap + " : "";
    log::error(
        "%s: %s = %s%llu, but PE %d gives %s%llu in the same call (number %llu of the heap): all PEs must give "
        "the same values",
        call.routine, value_names[theirs.operation][i], base, mine, pe, base, other,
        static_cast<unsigned long long>(theirs.number));
    end_job(&w, 1, false);
  }
}

void compare(world& w, const heap_call& call, const heap_call_record& mine, const heap_call_record& theirs, int pe) {
  if (theirs.sync != mine.sync) {
    claim_error_report(w);
    log::error(
        "%s: PE %d has not called it, but is in a barrier or another collective routine; all PEs must call the "
        "routines of the heap",
        call.routine, pe);
    end_job(&w, 1, false);
  }
  if (theirs.unmatched != mine.unmatched) {
    claim_error_report(w);
    log::error(
        "%s: call %llu of the heap, but call %llu of PE %d, or the calls without a barrier before it differ: all PEs "
        "must make the same calls in the same order",
        call.routine, static_cast<unsigned long long>(mine.number), static_cast<unsigned long long>(theirs.number), pe);
    end_job(&w, 1, false);
  }
  if (theirs.operation == mine.operation) return compare_values(w, call, theirs, pe);
  claim_error_report(w);
  log::error("%s: PE %d calls %s instead (call %llu of the heap): all PEs must make the same calls in the same order",
             call.routine, pe, operation_names[theirs.operation], static_cast<unsigned long long>(theirs.number));
  end_job(&w, 1, false);
}

// Puts the record to the next PE of the job before the barrier, if that PE is on another node.
void send_to_next_node(world& w, const heap_call& call, const heap_call_record& mine) {
  const int next = (w.pe + 1) % w.n_pes;
  if (w.is_near(next)) return;
  const op::control_access access{w, call.routine};
  const op::call_site at =
      op::site_of(w.default_context, call.routine);  // quiet() does not cover the channel of the collectives
  op::remote::put(at, next, access.offset_in_slice(&w.own_control().heap_calls_before[mine.sync % 2]), &mine,
                  sizeof mine, op::completion_mode::blocking);
  op::remote::quiet(at);
}

void compare_with_previous_node(world& w, const heap_call& call, const heap_call_record& mine) {
  const int previous = (w.pe + w.n_pes - 1) % w.n_pes;
  if (!w.is_near(previous)) compare(w, call, mine, w.own_control().heap_calls_before[mine.sync % 2], previous);
}

}  // namespace

// Two records are enough: a PE that has left this barrier may write its next record, but not the one after that, which
// needs this PE in another barrier.
void synchronize(world& w, const heap_call& call, std::size_t missing, std::size_t room) {
  team& all = w.team_world;
  heap_call_record& mine = record_at(w, w.pe, all.syncs + 1);
  mine = {.sync = all.syncs + 1,
          .number = w.heap_history.n_calls,
          .operation = static_cast<std::uint64_t>(call.operation),
          .values = {call.values[0], call.values[1]},
          .missing = missing,
          .room = room,
          .unmatched = w.heap_history.unmatched};
  if (w.beyond != nullptr) [[unlikely]]
    send_to_next_node(w, call, mine);
  coll::sync_team(all, call.routine);
  const int next = w.near.pe_at((w.near.mine + 1) % w.near.n_pes);
  compare(w, call, mine, record_of(w, next), next);
  if (w.beyond != nullptr) [[unlikely]]
    compare_with_previous_node(w, call, mine);
}

void remember(world& w, const heap_call& call) {
  std::uint64_t& hash = w.heap_history.unmatched;
  for (const std::uint64_t value : {static_cast<std::uint64_t>(call.operation), call.values[0], call.values[1]})
    hash = std::rotl(hash ^ (value + 1), 23) * 0x9e3779b97f4a7c15u;
}

const heap_call_record& record_of(const world& w, int pe) { return record_at(w, pe, w.team_world.syncs); }

}  // namespace oshen
