#include "coll/wire/put.hpp"

#include <algorithm>

#include "coll/wire/strided.hpp"

namespace oshen::coll {

void put_wire::send(int pe, int step, const char* from, char* to, std::size_t bytes) {
  const std::uint64_t count = ++sent_[step];
  if (count == 1 && bytes <= cell_payload) {
    if (bytes != 0) memcpy(cells_.of(pe, step).payload, from, bytes);
    cells_.raise(pe, step, count, bytes);
    return;
  }
  write_to(t_, pe, to, from, bytes);
  cells_.raise(pe, step, count);
}

void put_wire::receive(int pe, int step, char* to, std::size_t bytes) {
  const std::uint64_t count = ++heard_[step];
  cells_.await_flag(pe, step, count);
  if (count == 1 && bytes != 0 && bytes <= cell_payload) memcpy(to, cells_.own(step).payload, bytes);
}

// Data that fits travels in the cell. The rest goes through the landing of the receiver, in two halves in turn: it
// answers how many pieces may come, so that it hears only one PE at a time.
void put_wire::pass(int to_pe, int from_pe, int step, const char* from, std::size_t n, char* into, std::size_t m) {
  const std::size_t grain = piece_bytes / job_.element_bytes;
  const bool send_small = to_pe >= 0 && sent_[step] == 0 && n * job_.element_bytes <= cell_payload;
  const bool hear_small = from_pe >= 0 && heard_[step] == 0 && m * job_.element_bytes <= cell_payload;
  const std::uint64_t to_send = to_pe < 0 || send_small ? 0 : (n + grain - 1) / grain;
  const std::uint64_t to_hear = from_pe < 0 || hear_small ? 0 : (m + grain - 1) / grain;
  if (to_hear != 0) cells_.answer(from_pe, step, heard_[step] + std::min<std::uint64_t>(2, to_hear));
  if (send_small) {
    memcpy(cells_.of(to_pe, step).payload, from, n * job_.element_bytes);
    cells_.raise(to_pe, step, ++sent_[step], n * job_.element_bytes);
  }
  for (std::uint64_t k = 0; k < std::max(to_send, to_hear); ++k) {
    if (k < to_send) {
      const std::size_t part = std::min(grain, n - k * grain);
      const std::uint64_t count = ++sent_[step];
      cells_.await_answer(to_pe, step, count);
      observe(t_, event::copy, to_pe, part * job_.element_bytes);
      memcpy(landing_of(to_pe, count), from + k * piece_bytes, part * job_.element_bytes);
      cells_.raise(to_pe, step, count);
    }
    if (k < to_hear) {
      const std::size_t part = std::min(grain, m - k * grain);
      const std::uint64_t count = ++heard_[step];
      cells_.await_flag(from_pe, step, count);
      combine_in_order(job_, into + k * piece_bytes, landing_of(t_.my_pe, count), part, from_pe < t_.my_pe);
      if (k + 2 < to_hear) cells_.answer(from_pe, step, count + 2);
    }
  }
  if (!hear_small) return;
  cells_.await_flag(from_pe, step, ++heard_[step]);
  const auto* payload = reinterpret_cast<const char*>(cells_.own(step).payload);
  combine_in_order(job_, into, payload, m, from_pe < t_.my_pe);
}

void put_wire::deposit(int pe, const char* from, char* to, std::size_t bytes) {
  write_to(t_, pe, to, from, bytes);
  cells_.add_deposit(pe);
}

void put_wire::write_elements(int pe, const char* from, char* to, std::size_t n) {
  observe(t_, event::copy, pe, n * job_.element_bytes);
  copy_elements(at_pe(t_, pe, to), from, job_.dest_stride, job_.source_stride, n, job_.element_bytes);
}

void put_wire::send_elements(int pe, int step, const char* from, char* to, std::size_t n) {
  write_elements(pe, from, to, n);
  cells_.raise(pe, step, ++sent_[step]);
}

void put_wire::deposit_elements(int pe, const char* from, char* to, std::size_t n) {
  write_elements(pe, from, to, n);
  cells_.add_deposit(pe);
}

// The root tells one giver after the other how many pieces may come into its landing.
void put_wire::give(int root, const char* from, std::size_t n) {
  const std::size_t grain = piece_bytes / job_.element_bytes;
  std::uint64_t piece = 0;
  for (std::size_t done = 0; done < n; done += grain) {
    cells_.await_answer(root, give_step, ++piece);
    const std::size_t bytes = std::min(grain, n - done) * job_.element_bytes;
    observe(t_, event::copy, root, bytes);
    memcpy(landing_of(root, piece), from + done * job_.element_bytes, bytes);
    cells_.add_deposit(root);
  }
}

void put_wire::take(int pe, const char*, char* into, std::size_t n) {
  const std::size_t grain = piece_bytes / job_.element_bytes;
  const std::uint64_t pieces = (n + grain - 1) / grain;
  cells_.answer(pe, give_step, std::min<std::uint64_t>(2, pieces));
  for (std::uint64_t piece = 1; piece <= pieces; ++piece) {
    const std::size_t done = (piece - 1) * grain;
    cells_.await_deposits(1);
    combine_in_order(job_, into + done * job_.element_bytes, landing_of(t_.my_pe, piece), std::min(grain, n - done),
                     pe < t_.my_pe);
    if (piece + 2 <= pieces) cells_.answer(pe, give_step, piece + 2);
  }
}

void put_wire::settle() {
  cells_.await_deposits(expected_);
  expected_ = 0;
}

}  // namespace oshen::coll
