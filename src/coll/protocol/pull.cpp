#include "coll/protocol/pull.hpp"

#include <algorithm>

#include "coll/call/sequence.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// Several requests of one step may be under way. Each has an entry of its own in the payload of the step slot; the
// entries are used in turn.
namespace {
constexpr std::uint64_t request_entries = step_payload / sizeof(std::uint64_t);
}

void pull_protocol::request(int pe, int step, const char* from) {
  const std::uint64_t before = sent_.so_far(step);
  if (before != 0 && before % request_entries == 0) {  // entries are used again: all must have been read
    slots_.await_deposits(requests_);
    requests_ = 0;
  }
  const std::uint64_t entry = before % request_entries;
  const auto offset = static_cast<std::uint64_t>(from - slice());
  memcpy(peer_address(t_, pe, &slots_.own(step))->payload + entry * sizeof offset, &offset, sizeof offset);
  slots_.raise(pe, step, sent_.next(step), sizeof offset);
  ++requests_;
}

const char* pull_protocol::await_request(int pe, int step) {
  const std::uint64_t count = received_.next(step);
  const std::uint64_t entry = (count - 1) % request_entries;
  slots_.await_flag(pe, step, count);
  std::uint64_t offset = 0;
  memcpy(&offset, slots_.own(step).payload + entry * sizeof offset, sizeof offset);
  return slice() + offset;
}

void pull_protocol::receive(int pe, int step, char* to, std::size_t bytes) {
  const char* from = await_request(pe, step);
  read_from(t_, pe, to, from, bytes);
  slots_.add_deposit(pe);
}

void pull_protocol::exchange(int step, const operand_to_send& out, const operand_to_combine& in) {
  if (out.pe >= 0) request(out.pe, step, out.from);
  if (in.pe < 0) return;
  const char* theirs = await_request(in.pe, step);
  observe(t_, event::copy, in.pe, in.elements * call_.element_bytes);
  combine_in_order(call_, in.into, peer_address(t_, in.pe, theirs), in.elements, in.pe < t_.my_pe);
  slots_.add_deposit(in.pe);
}

// The exchange combines into the data that it sends. So the peer reads a copy, in chunks, from this PE's bounce buffer.
void pull_protocol::exchange_in_place(int step, int to_pe, int from_pe, char* data, std::size_t n) {
  const std::size_t grain = chunk_bytes / call_.element_bytes;
  await_stage();
  for (std::size_t done = 0; done < n; done += grain) {
    const std::size_t elements = std::min(grain, n - done), bytes = elements * call_.element_bytes;
    char* chunk = data + done * call_.element_bytes;
    if (to_pe >= 0) {
      const std::uint64_t count = sent_.next(step);
      if (count > 2) slots_.await_credit(to_pe, step, count - 2);
      observe(t_, event::copy, t_.my_pe, bytes);
      memcpy(bounce_of(t_.my_pe, count), chunk, bytes);
      slots_.raise(to_pe, step, count);
    }
    if (from_pe >= 0) {
      const std::uint64_t count = received_.next(step);
      slots_.await_flag(from_pe, step, count);
      observe(t_, event::copy, from_pe, bytes);
      combine_in_order(call_, chunk, bounce_of(from_pe, count), elements, from_pe < t_.my_pe);
      slots_.give_credit(from_pe, step, count);
    }
  }
  if (to_pe < 0) return;
  staged_pe_ = to_pe;
  staged_step_ = step;
  staged_ = sent_.so_far(step);
}

void pull_protocol::await_stage() {
  if (staged_pe_ >= 0) slots_.await_credit(staged_pe_, staged_step_, staged_);
  staged_pe_ = -1;
}

void pull_protocol::expose(bool is_source) {
  exposed_ = true;
  if (is_source && !call_.entered) post(t_);
}

void pull_protocol::accept(int pe, const char* from_there, char* to, std::size_t bytes) {
  await(call_, pe);
  read_from(t_, pe, to, from_there, bytes);
}

void pull_protocol::read_elements(int pe, char* to, const char* from_there, std::size_t n) {
  observe(t_, event::copy, pe, n * call_.element_bytes);
  copy_elements(to, peer_address(t_, pe, from_there), call_.dest_stride, call_.source_stride, n, call_.element_bytes);
}

void pull_protocol::receive_elements(int pe, int step, char* to, std::size_t n) {
  read_elements(pe, to, await_request(pe, step), n);
  slots_.add_deposit(pe);
}

void pull_protocol::accept_elements(int pe, const char* from_there, char* to, std::size_t n) {
  await(call_, pe);
  read_elements(pe, to, from_there, n);
}

void pull_protocol::take(int pe, const char* from_there, char* into, std::size_t n) {
  await(call_, pe);
  observe(t_, event::copy, pe, n * call_.element_bytes);
  combine_in_order(call_, into, peer_address(t_, pe, from_there), n, pe < t_.my_pe);
}

void pull_protocol::settle() {
  await_stage();
  slots_.await_deposits(requests_);
  requests_ = 0;
  if (exposed_) sync_team(t_, call_.routine);
  exposed_ = false;
}

}  // namespace oshen::coll
