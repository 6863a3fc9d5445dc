#include "coll/protocol/operand_stream.hpp"

#include "wait/backoff.hpp"

namespace oshen::coll {
namespace {

char* chunk_of(operand_buffer& b, std::uint64_t count) {
  return reinterpret_cast<char*>(b.chunks[(count - 1) % operand_chunks]);
}

void await_count(const team& t, const std::atomic<std::uint64_t>& count, int pe, std::uint64_t wanted,
                 const char* routine) {
  if (count.load(std::memory_order_acquire) < wanted) {
    const wait_info info{.routine = routine, .pe = t.world_pe(pe)};
    wait_for(*t.home, info, [&] { return count.load(std::memory_order_acquire) >= wanted; });
  }
  observe(t, event::received, pe);
}

}  // namespace

void operand_stream::send(const char* from, std::size_t bytes, op::completion_mode p) {
  const std::uint64_t count = ++mine_.sent;
  if (count > operand_chunks) await_count(t_, mine_.taken, next(), count - operand_chunks, call_.routine);
  observe(t_, event::copy, next(), bytes);
  observe(t_, event::flag, next(), 0);
  const peer_copy data{chunk_of(mine_, count), from, bytes};
  if (t_.is_near(next())) return copy_and_set(t_, next(), data, {mine_.arrived, count});
  const transport::put_signal_args far = remote_update(t_, data, {mine_.arrived, count});
  if (p == op::completion_mode::blocking) return put_and_set_remote(t_, next(), far);
  start_put_and_set_remote(t_, next(), far);
  started_ = true;
}

const char* operand_stream::receive() {
  const std::uint64_t count = mine_.combined + 1;
  await_count(t_, mine_.arrived, before(), count, call_.routine);
  return chunk_of(mine_, count);
}

void operand_stream::release() {
  ++mine_.combined;
  observe(t_, event::flag, before(), 0);
  set_flag(t_, before(), mine_.taken, mine_.combined);
}

void operand_stream::settle() {
  if (started_) quiet_remote(t_);
  started_ = false;
}

void await_operand_credits(const team& t, const char* routine) {
  if (t.operands_here == nullptr) return;
  const operand_buffer& mine = *t.operands_here;
  await_count(t, mine.taken, after(t, 1), mine.sent, routine);
}

void clear_operand_counts(operand_buffer& used) {
  used.arrived.store(0, std::memory_order_relaxed);
  used.taken.store(0, std::memory_order_relaxed);
  used.sent = used.combined = 0;
}

}  // namespace oshen::coll
