#include "coll/async/steps.hpp"

#include <string.h>

#include <algorithm>

#include "coll/async/request_flags.hpp"
#include "coll/protocol/partition.hpp"

namespace oshen::coll::async {
namespace {

// What one step moves before others have their turn: some tens of microseconds.
constexpr std::size_t bytes_per_advance = std::size_t{256} << 10;

outcome wait_for_pe(operation& op, int pe) {
  op.awaited = pe < 0 ? -1 : op.job.members.world_pe(pe);
  return outcome::waits;
}

// Calls `deal(pe)` once for each PE, as they become ready.
template <class Ready, class Deal>
outcome visit_all(operation& op, Ready ready, Deal deal) {
  const team& t = op.job.members;
  while (!op.seen.all(t.n_pes)) {
    const int distance = op.seen.next(t.n_pes, [&](int d) { return ready(op, after(t, d)); });
    if (distance < 0) return wait_for_pe(op, after(t, op.seen.first()));
    observe(t, event::heard, after(t, distance));
    deal(after(t, distance));
    op.seen.mark(distance);
  }
  return outcome::over;
}

const std::byte* told_by(const operation& op, int pe) {
  return request_flag_of(op.job.members, pe, op.number).payload;
}

// The block that this PE gets from PE `pe`.
struct block {
  const char* from;
  char* to;
  std::size_t bytes;
};
block block_of(const operation& op, int pe) {
  const task& job = op.job;
  const std::size_t bytes = job.bytes();
  const std::size_t mine = op.collective == kind::alltoall ? static_cast<std::size_t>(job.members.my_pe) * bytes : 0;
  return {job.source + mine, job.dest + static_cast<std::size_t>(pe) * bytes, bytes};
}

// Goes on with the block of the PE at distance op.current; true when all of it is here.
bool pull(operation& op, const block& b, int pe, std::size_t& room) {
  const std::size_t piece = std::min(b.bytes - op.moved, room);
  read_from(op.job.members, pe, b.to + op.moved, b.from + op.moved, piece);
  op.moved += piece;
  room -= piece;
  return op.moved == b.bytes;
}

}  // namespace

// ---- request flags ------------------------------------------------------------------------------------------------

outcome enter(queue& q, operation& op) {
  if (!may_write(q, op.number)) return wait_for_pe(op, -1);
  team& t = op.job.members;
  observe(t, event::flag, -1, op.told);
  request_flag& mine = request_flag_of(t, t.my_pe, op.number);
  if (op.told != 0) memcpy(mine.payload, op.job.source, op.told);
  mine.entered.store(op.number, std::memory_order_release);  // pairs with has_entered()
  wake_all(t);
  return outcome::over;
}

outcome finish(queue& q, operation& op) {
  if (!may_write(q, op.number)) return wait_for_pe(op, -1);
  team& t = op.job.members;
  observe(t, event::flag, -1);
  // pairs with has_finished()
  request_flag_of(t, t.my_pe, op.number).finished.store(op.number, std::memory_order_release);
  wake_all(t);
  return outcome::over;
}

outcome all_entered(queue&, operation& op) {
  return visit_all(op, has_entered, [](int) {});
}

// Whoever calls this has no more to finish itself.
outcome all_finished(queue&, operation& op) {
  const int me = op.job.members.my_pe;
  const auto ready = [me](const operation& o, int pe) { return pe == me || has_finished(o, pe); };
  return visit_all(op, ready, [](int) {});
}

// ---- bytes that came with request flags ---------------------------------------------------------------------------

outcome hear_root(queue&, operation& op) {
  const task& job = op.job;
  if (!has_entered(op, job.root)) return wait_for_pe(op, job.root);
  observe(job.members, event::heard, job.root);
  memcpy(job.dest, told_by(op, job.root), job.bytes());
  return outcome::over;
}

outcome hear_blocks(queue&, operation& op) {
  return visit_all(op, has_entered, [&](int pe) {
    const block b = block_of(op, pe);
    memcpy(b.to, told_by(op, pe) + (b.from - op.job.source), b.bytes);
  });
}

outcome combine_told(queue&, operation& op) {
  const task& job = op.job;
  alignas(16) std::byte sum[request_payload];
  memcpy(sum, told_by(op, 0), job.bytes());
  for (int pe = 1; pe < job.members.n_pes; ++pe) job.combine(sum, told_by(op, pe), job.elements);
  memcpy(job.dest, sum, job.bytes());
  return outcome::over;
}

// ---- bytes in the memory of peers ---------------------------------------------------------------------------

outcome copy_own(queue&, operation& op) {
  memmove(op.job.dest, op.job.source, op.job.bytes());
  return outcome::over;
}

outcome pull_root(queue&, operation& op) {
  const task& job = op.job;
  if (!has_entered(op, job.root)) return wait_for_pe(op, job.root);
  if (op.moved == 0) observe(job.members, event::heard, job.root);
  std::size_t room = bytes_per_advance;
  return pull(op, {job.source, job.dest, job.bytes()}, job.root, room) ? outcome::over : outcome::moved;
}

outcome pull_blocks(queue&, operation& op) {
  const team& t = op.job.members;
  std::size_t room = bytes_per_advance;
  while (!op.seen.all(t.n_pes)) {
    if (op.current < 0) {
      op.current = op.seen.next(t.n_pes, [&](int d) { return has_entered(op, after(t, d)); });
      if (op.current < 0) return wait_for_pe(op, after(t, op.seen.first()));
      observe(t, event::heard, after(t, op.current));
    }
    const int pe = after(t, op.current);
    if (!pull(op, block_of(op, pe), pe, room)) return outcome::moved;
    op.seen.mark(op.current);
    op.current = -1;
    op.moved = 0;
  }
  return outcome::over;
}

// A part is read and written by its owner only, so dest may be source. Everybody has entered.
outcome combine_part(queue&, operation& op) {
  const task& job = op.job;
  team& t = job.members;
  const part mine = part_of(job, t.my_pe);
  alignas(cache_line) char sum[block_bytes];
  std::size_t room = bytes_per_advance / static_cast<std::size_t>(t.n_pes);
  while (op.moved < mine.elements) {
    const std::size_t elements = std::min(mine.elements - op.moved, block_bytes / job.element_bytes);
    const std::size_t bytes = elements * job.element_bytes;
    const std::size_t offset = (mine.first + op.moved) * job.element_bytes;
    combine_sources(job, {t.n_pes}, offset, elements, sum);
    for (int i = 0; i < t.n_pes; ++i) write_to(t, after(t, i), job.dest + offset, sum, bytes);
    op.moved += elements;
    if (room <= bytes) return op.moved < mine.elements ? outcome::moved : outcome::over;
    room -= bytes;
  }
  return outcome::over;
}

}  // namespace oshen::coll::async
