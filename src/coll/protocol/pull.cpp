#include "coll/protocol/pull.hpp"

#include <algorithm>

#include "coll/protocol/strided.hpp"

namespace oshen::coll {

// Several offers of one step may be under way: each has its own word in the payload, round and round. A step has at
// most that many offers open, since a receiver answers before it looks for the next: see `send` in README.md.
namespace {
constexpr std::uint64_t request_words = cell_payload / sizeof(std::uint64_t);
}

void pull_protocol::request(int pe, int step, const char* from) {
  if (sent_[step] != 0 && sent_[step] % request_words == 0) {  // the words begin again: all must have been read
    cells_.await_deposits(requests_);
    requests_ = 0;
  }
  const std::uint64_t word = sent_[step]++ % request_words;
  const auto place = static_cast<std::uint64_t>(from - slice());
  memcpy(at_pe(t_, pe, &cells_.own(step))->payload + word * sizeof place, &place, sizeof place);
  cells_.raise(pe, step, sent_[step], sizeof place);
  ++requests_;
}

const char* pull_protocol::await_request(int pe, int step) {
  const std::uint64_t word = heard_[step]++ % request_words;
  cells_.await_flag(pe, step, heard_[step]);
  std::uint64_t place = 0;
  memcpy(&place, cells_.own(step).payload + word * sizeof place, sizeof place);
  return slice() + place;
}

void pull_protocol::receive(int pe, int step, char* to, std::size_t bytes) {
  const char* from = await_request(pe, step);
  read_from(t_, pe, to, from, bytes);
  cells_.add_deposit(pe);
}

void pull_protocol::pass(int to_pe, int from_pe, int step, const char* from, std::size_t, char* into, std::size_t m) {
  if (to_pe >= 0) request(to_pe, step, from);
  if (from_pe < 0) return;
  const char* theirs = await_request(from_pe, step);
  observe(t_, event::copy, from_pe, m * job_.element_bytes);
  combine_in_order(job_, into, at_pe(t_, from_pe, theirs), m, from_pe < t_.my_pe);
  cells_.add_deposit(from_pe);
}

// What is sent will be combined into: the peer reads a copy of it, piece by piece, from our bounce buffer.
void pull_protocol::trade(int to_pe, int from_pe, int step, char* data, std::size_t n) {
  const std::size_t grain = piece_bytes / job_.element_bytes;
  await_stage();
  for (std::size_t done = 0; done < n; done += grain) {
    const std::size_t part = std::min(grain, n - done);
    char* piece = data + done * job_.element_bytes;
    if (to_pe >= 0) {
      const std::uint64_t count = ++sent_[step];
      if (count > 2) cells_.await_credit(to_pe, step, count - 2);
      observe(t_, event::copy, t_.my_pe, part * job_.element_bytes);
      memcpy(bounce_of(t_.my_pe, count), piece, part * job_.element_bytes);
      cells_.raise(to_pe, step, count);
    }
    if (from_pe >= 0) {
      const std::uint64_t count = ++heard_[step];
      cells_.await_flag(from_pe, step, count);
      observe(t_, event::copy, from_pe, part * job_.element_bytes);
      combine_in_order(job_, piece, bounce_of(from_pe, count), part, from_pe < t_.my_pe);
      cells_.give_credit(from_pe, step, count);
    }
  }
  if (to_pe < 0) return;
  staged_pe_ = to_pe;
  staged_step_ = step;
  staged_ = sent_[step];
}

void pull_protocol::await_stage() {
  if (staged_pe_ >= 0) cells_.await_credit(staged_pe_, staged_step_, staged_);
  staged_pe_ = -1;
}

void pull_protocol::expose(bool is_source) {
  exposed_ = true;
  if (is_source && !job_.entered) post(t_);
}

void pull_protocol::accept(int pe, const char* from_there, char* to, std::size_t bytes) {
  await(job_, pe);
  read_from(t_, pe, to, from_there, bytes);
}

void pull_protocol::read_elements(int pe, char* to, const char* from_there, std::size_t n) {
  observe(t_, event::copy, pe, n * job_.element_bytes);
  copy_elements(to, at_pe(t_, pe, from_there), job_.dest_stride, job_.source_stride, n, job_.element_bytes);
}

void pull_protocol::receive_elements(int pe, int step, char* to, std::size_t n) {
  read_elements(pe, to, await_request(pe, step), n);
  cells_.add_deposit(pe);
}

void pull_protocol::accept_elements(int pe, const char* from_there, char* to, std::size_t n) {
  await(job_, pe);
  read_elements(pe, to, from_there, n);
}

void pull_protocol::take(int pe, const char* from_there, char* into, std::size_t n) {
  await(job_, pe);
  observe(t_, event::copy, pe, n * job_.element_bytes);
  combine_in_order(job_, into, at_pe(t_, pe, from_there), n, pe < t_.my_pe);
}

void pull_protocol::settle() {
  await_stage();
  cells_.await_deposits(requests_);
  requests_ = 0;
  if (exposed_) sync_team(t_, job_.routine);
  exposed_ = false;
}

}  // namespace oshen::coll
