#include "coll/protocol/put.hpp"

#include <algorithm>

#include "coll/protocol/strided.hpp"

namespace oshen::coll {

void put_protocol::send(int pe, int step, const char* from, char* to, std::size_t bytes) {
  cells_.send(pe, step, ++sent_[step], from, to, bytes);
}

void put_protocol::start_send(int pe, int step, const char* from, char* to, std::size_t bytes) {
  if (t_.is_near(pe) || bytes <= cell_payload) return send(pe, step, from, to, bytes);
  cells_.start_raise_behind(pe, step, ++sent_[step], to, from, bytes);
  started_ = true;
}

void put_protocol::receive(int pe, int step, char* to, std::size_t bytes) {
  cells_.receive(pe, step, ++heard_[step], to, bytes);
}

// Data that fits travels in the cell. The rest goes through the bounce buffer of the receiver, in two halves in turn:
// it answers how many pieces may come, so that it hears only one PE at a time.
void put_protocol::pass(int to_pe, int from_pe, int step, const char* from, std::size_t n, char* into, std::size_t m) {
  const std::size_t grain = piece_bytes / job_.element_bytes;
  char* const send_small =
      to_pe < 0 || sent_[step] != 0 ? nullptr : cells_.place_for(to_pe, step, n * job_.element_bytes);
  char* const hear_small =
      from_pe < 0 || heard_[step] != 0 ? nullptr : cells_.place_for(from_pe, step, m * job_.element_bytes);
  const std::uint64_t to_send = to_pe < 0 || send_small != nullptr ? 0 : (n + grain - 1) / grain;
  const std::uint64_t to_hear = from_pe < 0 || hear_small != nullptr ? 0 : (m + grain - 1) / grain;
  if (to_hear != 0) cells_.give_credit(from_pe, step, heard_[step] + std::min<std::uint64_t>(2, to_hear));
  if (send_small != nullptr)
    cells_.raise_with_payload(to_pe, step, ++sent_[step], send_small, from, n * job_.element_bytes);
  for (std::uint64_t k = 0; k < std::max(to_send, to_hear); ++k) {
    if (k < to_send) {
      const std::size_t part = std::min(grain, n - k * grain);
      const std::uint64_t count = ++sent_[step];
      cells_.await_credit(to_pe, step, count);
      cells_.raise_behind(to_pe, step, count, own_bounce(count), from + k * piece_bytes, part * job_.element_bytes);
    }
    if (k < to_hear) {
      const std::size_t part = std::min(grain, m - k * grain);
      const std::uint64_t count = ++heard_[step];
      cells_.await_flag(from_pe, step, count);
      combine_in_order(job_, into + k * piece_bytes, own_bounce(count), part, from_pe < t_.my_pe);
      if (k + 2 < to_hear) cells_.give_credit(from_pe, step, count + 2);
    }
  }
  if (hear_small == nullptr) return;
  cells_.await_flag(from_pe, step, ++heard_[step]);
  combine_in_order(job_, into, hear_small, m, from_pe < t_.my_pe);
}

void put_protocol::deposit(int pe, const char* from, char* to, std::size_t bytes) {
  cells_.deposit(pe, to, from, bytes);
}

// One by one, unless they are a block on both sides.
void put_protocol::put_elements_remote(int pe, const char* from, char* to, std::size_t n) {
  const std::size_t size = job_.element_bytes;
  if (is_block(n)) return put_remote(t_, pe, to, from, n * size);
  for (std::size_t i = 0; i < n; ++i)
    put_remote(t_, pe, to + i * size * static_cast<std::size_t>(job_.dest_stride),
            from + i * size * static_cast<std::size_t>(job_.source_stride), size);
}

void put_protocol::write_elements(int pe, const char* from, char* to, std::size_t n) {
  observe(t_, event::copy, pe, n * job_.element_bytes);
  if (!t_.is_near(pe)) [[unlikely]] return put_elements_remote(pe, from, to, n);
  copy_elements(at_pe(t_, pe, to), from, job_.dest_stride, job_.source_stride, n, job_.element_bytes);
}

void put_protocol::send_elements(int pe, int step, const char* from, char* to, std::size_t n) {
  write_elements(pe, from, to, n);
  cells_.raise(pe, step, ++sent_[step]);
}

void put_protocol::deposit_elements(int pe, const char* from, char* to, std::size_t n) {
  if (is_block(n)) return deposit(pe, from, to, n * job_.element_bytes);
  write_elements(pe, from, to, n);
  cells_.add_deposit(pe);
}

// The root tells one giver after the other how many pieces may come into its bounce buffer.
void put_protocol::give(int root, const char* from, std::size_t n) {
  const std::size_t grain = piece_bytes / job_.element_bytes;
  std::uint64_t piece = 0;
  for (std::size_t done = 0; done < n; done += grain) {
    cells_.await_credit(root, give_step, ++piece);
    const std::size_t bytes = std::min(grain, n - done) * job_.element_bytes;
    cells_.deposit(root, own_bounce(piece), from + done * job_.element_bytes, bytes);
  }
}

void put_protocol::take(int pe, const char*, char* into, std::size_t n) {
  const std::size_t grain = piece_bytes / job_.element_bytes;
  const std::uint64_t pieces = (n + grain - 1) / grain;
  cells_.give_credit(pe, give_step, std::min<std::uint64_t>(2, pieces));
  for (std::uint64_t piece = 1; piece <= pieces; ++piece) {
    const std::size_t done = (piece - 1) * grain;
    cells_.await_deposits(1, pe);
    combine_in_order(job_, into + done * job_.element_bytes, own_bounce(piece), std::min(grain, n - done),
                     pe < t_.my_pe);
    if (piece + 2 <= pieces) cells_.give_credit(pe, give_step, piece + 2);
  }
}

void put_protocol::settle() {
  if (started_) quiet_remote(t_);
  started_ = false;
  cells_.await_deposits(expected_, expected_ == 1 ? expected_from_ : -1);
  expected_ = 0;
}

}  // namespace oshen::coll
