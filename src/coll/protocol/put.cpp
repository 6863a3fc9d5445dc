#include "coll/protocol/put.hpp"

#include <algorithm>
#include <bit>

#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

void put_protocol::send(int pe, int step, const char* from, char* to, std::size_t bytes) {
  slots_.send(pe, step, sent_.next(step), from, to, bytes);
}

void put_protocol::start_send(int pe, int step, const char* from, char* to, std::size_t bytes) {
  if (t_.is_near(pe) || bytes <= step_payload) return send(pe, step, from, to, bytes);
  slots_.start_put_and_raise(pe, step, sent_.next(step), {to, from, bytes});
  started_ = true;
}

void put_protocol::receive(int pe, int step, char* to, std::size_t bytes) {
  slots_.receive(pe, step, received_.next(step), to, bytes);
}

// Short data travels in the step slot. Longer data goes in chunks.
void put_protocol::exchange(int step, const operand_to_send& out, const operand_to_combine& in) {
  const std::size_t bytes_out = out.elements * call_.element_bytes, bytes_in = in.elements * call_.element_bytes;
  char* const short_out =
      out.pe < 0 || sent_.so_far(step) != 0 ? nullptr : slots_.short_buffer(out.pe, step, bytes_out);
  char* const short_in =
      in.pe < 0 || received_.so_far(step) != 0 ? nullptr : slots_.short_buffer(in.pe, step, bytes_in);
  const bool sends_chunks = out.pe >= 0 && short_out == nullptr, takes_chunks = in.pe >= 0 && short_in == nullptr;
  if (short_out != nullptr) slots_.raise_with_payload(out.pe, step, sent_.next(step), {short_out, out.from, bytes_out});
  if (sends_chunks || takes_chunks)
    exchange_chunks(step, sends_chunks ? out : operand_to_send{}, takes_chunks ? in : operand_to_combine{});
  if (short_in == nullptr) return;
  slots_.await_flag(in.pe, step, received_.next(step));
  combine_in_order(call_, in.into, short_in, in.elements, in.pe < t_.my_pe);
}

// Chunks go through the bounce buffer of the receiver, whose two halves alternate. Credits of the receiver say how many
// chunks may come, so it serves one sender at a time.
void put_protocol::exchange_chunks(int step, const operand_to_send& out, const operand_to_combine& in) {
  const std::size_t grain = chunk_bytes / call_.element_bytes;
  const std::uint64_t to_send = (out.elements + grain - 1) / grain, to_receive = (in.elements + grain - 1) / grain;
  if (to_receive != 0) slots_.give_credit(in.pe, step, received_.so_far(step) + std::min<std::uint64_t>(2, to_receive));
  for (std::uint64_t k = 0; k < std::max(to_send, to_receive); ++k) {
    if (k < to_send) {
      const std::size_t n = std::min(grain, out.elements - k * grain);
      const std::uint64_t count = sent_.next(step);
      slots_.await_credit(out.pe, step, count);
      slots_.put_and_raise(out.pe, step, count,
                           {own_bounce(count), out.from + k * chunk_bytes, n * call_.element_bytes});
    }
    if (k < to_receive) {
      const std::size_t n = std::min(grain, in.elements - k * grain);
      const std::uint64_t count = received_.next(step);
      slots_.await_flag(in.pe, step, count);
      combine_in_order(call_, in.into + k * chunk_bytes, own_bounce(count), n, in.pe < t_.my_pe);
      if (k + 2 < to_receive) slots_.give_credit(in.pe, step, count + 2);
    }
  }
}

// The target of a flag need not execute anything, but a counter of several senders is advanced by its CPU. So in a
// small team each far sender has a step of its own, which is its distance from the receiver.
int put_protocol::deposit_step(int from_pe, int to_pe) const {
  const int far_pe = from_pe == t_.my_pe ? to_pe : from_pe;
  if (t_.is_near(far_pe) || t_.n_pes > most_flagged) return -1;
  return (to_pe - from_pe + t_.n_pes) % t_.n_pes - 1;
}

void put_protocol::deposit(int pe, const char* from, char* to, std::size_t bytes) {
  const int step = deposit_step(t_.my_pe, pe);
  if (step < 0) return slots_.deposit(pe, {to, from, bytes});
  slots_.put_and_raise(pe, step, sent_.next(step), {to, from, bytes});
}

void put_protocol::expect_from(int pe) {
  const int step = deposit_step(pe, t_.my_pe);
  if (step >= 0) {
    flagged_ |= std::uint32_t{1} << step;
    return;
  }
  ++expected_;
  expected_from_ = pe;
}

// One put for each element, unless the elements are contiguous on both sides.
void put_protocol::put_elements_remote(int pe, const char* from, char* to, std::size_t n) {
  const std::size_t size = call_.element_bytes;
  if (is_block(n)) return put_remote(t_, pe, to, from, n * size);
  for (std::size_t i = 0; i < n; ++i)
    put_remote(t_, pe, to + i * size * static_cast<std::size_t>(call_.dest_stride),
               from + i * size * static_cast<std::size_t>(call_.source_stride), size);
}

void put_protocol::write_elements(int pe, const char* from, char* to, std::size_t n) {
  observe(t_, event::copy, pe, n * call_.element_bytes);
  if (!t_.is_near(pe)) [[unlikely]]
    return put_elements_remote(pe, from, to, n);
  copy_elements(peer_address(t_, pe, to), from, call_.dest_stride, call_.source_stride, n, call_.element_bytes);
}

void put_protocol::send_elements(int pe, int step, const char* from, char* to, std::size_t n) {
  write_elements(pe, from, to, n);
  slots_.raise(pe, step, sent_.next(step));
}

void put_protocol::deposit_elements(int pe, const char* from, char* to, std::size_t n) {
  if (is_block(n)) return deposit(pe, from, to, n * call_.element_bytes);
  write_elements(pe, from, to, n);
  const int step = deposit_step(t_.my_pe, pe);
  if (step < 0) return slots_.add_deposit(pe);
  slots_.raise(pe, step, sent_.next(step));
}

// The root grants its bounce buffer to one PE after the other.
void put_protocol::give(int root, const char* from, std::size_t n) {
  const std::size_t grain = chunk_bytes / call_.element_bytes;
  std::uint64_t chunk = 0;
  for (std::size_t done = 0; done < n; done += grain) {
    slots_.await_credit(root, give_step, ++chunk);
    const std::size_t bytes = std::min(grain, n - done) * call_.element_bytes;
    slots_.deposit(root, {own_bounce(chunk), from + done * call_.element_bytes, bytes});
  }
}

void put_protocol::take(int pe, const char*, char* into, std::size_t n) {
  const std::size_t grain = chunk_bytes / call_.element_bytes;
  const std::uint64_t chunks = (n + grain - 1) / grain;
  slots_.give_credit(pe, give_step, std::min<std::uint64_t>(2, chunks));
  for (std::uint64_t chunk = 1; chunk <= chunks; ++chunk) {
    const std::size_t done = (chunk - 1) * grain;
    slots_.await_deposits(1, pe);
    combine_in_order(call_, into + done * call_.element_bytes, own_bounce(chunk), std::min(grain, n - done),
                     pe < t_.my_pe);
    if (chunk + 2 <= chunks) slots_.give_credit(pe, give_step, chunk + 2);
  }
}

void put_protocol::finish() {
  if (started_) quiet_remote(t_);
  started_ = false;
  for (; flagged_ != 0; flagged_ &= flagged_ - 1) {
    const int step = std::countr_zero(flagged_);
    slots_.await_flag(after(t_, t_.n_pes - step - 1), step, received_.next(step));
  }
  slots_.await_deposits(expected_, expected_ == 1 ? expected_from_ : -1);
  expected_ = 0;
}

}  // namespace oshen::coll
