// Pipeline: parcels are cut into pieces that go through a few small places of their slot in turn,
// and a remap in place is one from piece to piece (cut.hpp).
//
// While pieces are exchanged, what is written was just read, here or by the peer: it comes from
// caches, where whole parcels go through memory, and nothing is kept aside. A piece is unpacked
// when all of the same number have left `in`. What cannot be cut goes in one piece, by put_signal.
// Memory: 2 slots per parcel at the receiver, of which the places of 4 pieces are touched.
// Messages: a put (none where mapped) and a word per piece, and a word back. Copies of a byte: 2
// (pack, unpack), in place a third, of blocks; by puts one more.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "../box_copy.hpp"
#include "../cut.hpp"
#include "../parcels.hpp"
#include "../run.hpp"
#include "../stopwatch.hpp"

namespace oshen::exchange {
namespace {

constexpr std::size_t most_under_way = 4;  // pieces in a slot

struct pipeline_state {
  cut shape;
  // This run:
  bool in_place = false;
  std::size_t step = 0;                  // pieces of all that are here
  bool held = false;                     // of the next, what stays has left `in`
  std::vector<std::size_t> sent, taken;  // pieces of each parcel
};

pipeline_state& state_of(const oshen_plan& plan) {
  return *static_cast<pipeline_state*>(plan.extra);
}

// ---- one piece

// Pieces are counted through all runs: piece k of this one is number_of(k), from 1.
std::uint64_t number_of(const oshen_plan& plan, std::size_t k) {
  return (plan.run - 1) * state_of(plan).shape.pieces() + k + 1;
}

std::size_t under_way(const oshen_plan& plan) {
  return std::min(most_under_way, state_of(plan).shape.pieces());
}

std::size_t piece_bytes(const oshen_plan& plan, const parcel& p) {
  return p.bytes / state_of(plan).shape.pieces();
}

std::size_t place_in_slot(const oshen_plan& plan, const parcel& p, std::size_t k) {
  return number_of(plan, k) % under_way(plan) * piece_bytes(plan, p);
}

void pack_piece(const oshen_plan& plan, const outgoing& p, std::size_t k, std::byte* wire) {
  const oshen_box_t piece = state_of(plan).shape.piece_of(p.messages[0].box, k);
  for (std::size_t f = 0; f < plan.n_fields; f++)
    gather(piece, plan.in[f], wire + f * (piece_bytes(plan, p) / plan.n_fields));
}

void unpack_piece(const oshen_plan& plan, const incoming& p, std::size_t k, const std::byte* wire) {
  const pipeline_state& s = state_of(plan);
  const oshen_box_t& box = p.messages[0].box;
  const oshen_box_t place = s.in_place ? s.shape.place_of(box, k) : s.shape.piece_of(box, k);
  for (std::size_t f = 0; f < plan.n_fields; f++)
    scatter(place, wire + f * (piece_bytes(plan, p) / plan.n_fields), plan.out[f]);
}

// To the receiver's slot, from `in` or from where it was kept aside.
void deliver_piece(oshen_plan& plan, const outgoing& p, std::size_t k) {
  const stopwatch timed(plan.stats.pack_seconds);
  const std::size_t slot = p.slot + place_in_slot(plan, p, k), bytes = piece_bytes(plan, p);
  const bool aside = p.state == outgoing_state::staged;
  std::byte* near = staged(plan, p) + (aside ? k * bytes : 0);
  if (!aside) pack_piece(plan, p, k, p.direct != nullptr ? p.direct + slot : near);
  if (p.direct == nullptr) {
    shmem_putmem(plan.memory(slot), near, bytes, p.pe);
    shmem_quiet();  // `near` is used again
  } else {
    if (aside) std::memcpy(p.direct + slot, near, bytes);
    plan.stats.bytes_direct += bytes;
    shmem_fence();
  }
}

void send_piece(oshen_plan& plan, const outgoing& p, std::size_t k) {
  deliver_piece(plan, p, k);
  raise(*plan.group->arena, p.arrived, number_of(plan, k), p.pe);
}

bool has_arrived(oshen_plan& plan, const incoming& p, std::size_t k) {
  plan.watch.want(p.word, number_of(plan, k));
  return plan.watch.take(p.word);
}

// Its place in the slot is free then.
void take_piece(oshen_plan& plan, const incoming& p, std::size_t k) {
  {
    const stopwatch timed(plan.stats.unpack_seconds);
    unpack_piece(plan, p, k, plan.memory(p.slot + place_in_slot(plan, p, k)));
  }
  raise(*plan.group->arena, p.ready, number_of(plan, k), p.pe);
}

// ---- a run

// A place in the slot is free when the piece that was in it has been unpacked.
bool has_room(oshen_plan& plan, const outgoing& p, std::size_t k) {
  const std::uint64_t number = number_of(plan, k), places = under_way(plan);
  if (number <= places) return true;
  plan.watch.want(p.word, number - places);
  return plan.watch.take(p.word);
}

// One piece ahead of those that are taken, so that nobody waits for a peer that is a little late.
bool send_some(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  bool moved = false;
  for (std::size_t i = 0; i < plan.sends.size(); i++) {
    outgoing& p = plan.sends[i];
    while (s.sent[i] < s.shape.pieces() && s.sent[i] <= s.step + 1 &&
           has_room(plan, p, s.sent[i])) {
      send_piece(plan, p, s.sent[i]++);
      moved = true;
      if (s.sent[i] == s.shape.pieces()) is_sent(plan, p);
    }
  }
  return moved;
}

// What this PE keeps of a piece goes by way of staging memory.
void hold_own_piece(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  if (!s.in_place || std::exchange(s.held, true) || plan.own_send.bytes == 0) return;
  const stopwatch timed(plan.stats.pack_seconds);
  pack_piece(plan, plan.own_send, s.step, staged(plan, plan.own_send));
}

void settle_own_piece(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  if (!std::exchange(s.held, false) || plan.own_send.bytes == 0) return;
  const stopwatch timed(plan.stats.unpack_seconds);
  unpack_piece(plan, plan.own_receive, s.step, staged(plan, plan.own_send));
}

void finish_in_place(oshen_plan& plan) {
  {
    const stopwatch timed(plan.stats.unpack_seconds);
    for (std::byte* out : plan.out) state_of(plan).shape.finish(out, plan.staging.get());
  }
  for (auto& p : plan.receives) is_here(plan, p);
  if (plan.own_send.bytes == 0) return;
  plan.pending--;
  plan.own_receive.state = incoming_state::here;
}

bool all_past(const std::vector<std::size_t>& pieces, std::size_t step) {
  return std::all_of(pieces.begin(), pieces.end(), [=](std::size_t n) { return n > step; });
}

// The next piece of every parcel, when nothing of it is in `in` any more.
bool take_some(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  const std::size_t pieces = s.shape.pieces();
  if (s.step == pieces || (s.in_place && !all_past(s.sent, s.step))) return false;
  hold_own_piece(plan);
  bool moved = false;
  for (std::size_t i = 0; i < plan.receives.size(); i++) {
    incoming& p = plan.receives[i];
    if (s.taken[i] > s.step || !has_arrived(plan, p, s.step)) continue;
    take_piece(plan, p, s.taken[i]++);
    if (!s.in_place && s.taken[i] == pieces) is_here(plan, p);
    moved = true;
  }
  if (!all_past(s.taken, s.step)) return moved;
  settle_own_piece(plan);
  if (++s.step == pieces && s.in_place) finish_in_place(plan);
  return true;
}

// Where `out` overlaps `in` otherwise than in place, pieces cannot follow one another: all that is
// sent is kept aside first, piece after piece.
void keep_aside(oshen_plan& plan) {
  for (auto& p : plan.sends) {
    const stopwatch timed(plan.stats.pack_seconds);
    for (std::size_t k = 0; k < state_of(plan).shape.pieces(); k++)
      pack_piece(plan, p, k, staged(plan, p) + k * piece_bytes(plan, p));
    left_in(plan, p, outgoing_state::staged);
  }
  hold_own(plan);
}

void start(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  s.step = 0;
  s.sent.assign(plan.sends.size(), 0);
  s.taken.assign(plan.receives.size(), 0);
  s.in_place = plan.aliased && !plan.transposes && std::ranges::equal(plan.in, plan.out);
  if (s.in_place) {
    plan.own_send.state = outgoing_state::sent;  // ours to move, and counted in finish_in_place
  } else if (plan.aliased) {
    keep_aside(plan);
  }
  send_some(plan);
}

bool advance(oshen_plan& plan) {
  const bool sent = send_some(plan);
  return take_some(plan) || sent;
}

// ---- how many pieces

// All that is sent or got, of one field; false where a parcel is no single box.
template <class Parcels>
bool boxes_of(const Parcels& parcels, const parcel& own, std::vector<oshen_box_t>& boxes) {
  const auto add = [&](const parcel& p) {
    if (p.messages.size() == 1) boxes.push_back(p.messages[0].box);
    return p.messages.size() <= 1 && !has_list(p);
  };
  return std::all_of(parcels.begin(), parcels.end(), add) && add(own);
}

std::uint64_t possible(const oshen_plan& plan, cut& shape) {
  std::vector<oshen_box_t> in, out;
  if (plan.own_send.bytes != 0 && plan.own_send.far_boxes.empty()) return 1;
  if (plan.pack != nullptr || !boxes_of(plan.sends, plan.own_send, in) ||
      !boxes_of(plan.receives, plan.own_receive, out))
    return 1;
  return shape.possible(in, out);
}

// Sender and receiver must cut the same boxes along the same axis.
bool cut_alike(oshen_plan& plan, const cut& shape) {
  std::vector<note> saying(plan.group->members.size());
  for (auto& n : saying) n.choice = shape.axis();
  for (const auto& p : plan.sends) {
    const auto& extent = p.messages[0].box.extent;
    note& to = saying[static_cast<std::size_t>(p.peer)];
    to.slot = extent[0], to.slot_step = extent[1], to.expects = extent[2];
  }
  const auto heard = plan.group->handshake(saying);
  return std::all_of(plan.receives.begin(), plan.receives.end(), [&](const incoming& p) {
    const note& said = heard[static_cast<std::size_t>(p.peer)];
    const std::size_t extents[] = {said.slot, said.slot_step, said.expects};
    return said.choice == shape.axis() &&
           std::equal(extents, extents + 3, p.messages[0].box.extent);
  });
}

// The least number of pieces that all PEs can do; 1 when there is none.
oshen_status_t open(oshen_plan& plan) {
  auto made = std::make_unique<pipeline_state>();
  note saying{};
  saying.key = possible(plan, made->shape);
  if (!cut_alike(plan, made->shape)) saying.key = 1;
  std::uint64_t all = saying.key;
  for (const note& said : plan.group->handshake(saying)) all &= said.key;
  try {
    made->shape.into(all == 0 ? 1 : static_cast<std::size_t>(std::countr_zero(all)) + 1);
  } catch (const std::bad_alloc&) {
    return OSHEN_NO_SPACE;
  }
  if (made->shape.pieces() == 1) plan.way = &put_signal;
  plan.extra = made.release();
  return OSHEN_OK;
}

void close(oshen_plan& plan) {
  delete static_cast<pipeline_state*>(plan.extra);
  plan.extra = nullptr;
}

}  // namespace

constinit const strategy pipeline = {
    .name = "pipeline", .about = "pieces of the size of a cache, one after another; what cannot be cut by put_signal",
    .slots = 2,
    .start = start, .advance = advance, .open = open, .close = close,
};

}  // namespace oshen::exchange
