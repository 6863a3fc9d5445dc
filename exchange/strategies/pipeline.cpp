// pipeline: parcels are cut into chunks that pass through a few buffers of their slot in turn; a remap in place
// proceeds chunk by chunk (chunked_remap.hpp).
//
// Data that is written for a chunk was read just before, by this PE or by the peer, so it comes from caches; whole
// parcels would go through memory. Nothing is copied out of the way. A chunk is unpacked when all chunks of the same
// number have left `in`. Messages that cannot be cut are sent in one chunk by put_signal.
//
// Memory: 2 slots per parcel at the receiver, of which the buffers of 4 chunks are touched. Messages: a put (none if
// mapped) and a flag per chunk, and a flag back. Copies of a byte: 2 (pack, unpack); in place a third, of blocks; with
// puts one more.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "exchange/copy/box_copy.hpp"
#include "exchange/run/parcels.hpp"
#include "exchange/run/run.hpp"
#include "exchange/strategies/pipeline_chunks.hpp"
#include "exchange/strategies/table.hpp"
#include "trials/stopwatch.hpp"

namespace oshen::exchange {
namespace {

constexpr std::size_t max_in_flight = 4;  // chunks in a slot

struct pipeline_state {
  chunked_remap remap;
  // Of the run under way:
  bool in_place = false;
  std::size_t current = 0;                  // chunks whose receives are complete
  bool own_packed = false;                  // of the current chunk, the own part has left `in`
  std::vector<std::size_t> sent, received;  // number of chunks of each parcel
};

pipeline_state& state_of(const oshen_plan& plan) { return *static_cast<pipeline_state*>(plan.strategy_state); }

// ---- one chunk

// Chunks are numbered through all runs, from 1.
std::uint64_t sequence_number(const oshen_plan& plan, std::size_t k) {
  return (plan.run - 1) * state_of(plan).remap.chunks() + k + 1;
}

std::size_t in_flight(const oshen_plan& plan) { return std::min(max_in_flight, state_of(plan).remap.chunks()); }

std::size_t chunk_bytes(const oshen_plan& plan, const parcel& p) { return p.bytes / state_of(plan).remap.chunks(); }

std::size_t slot_offset(const oshen_plan& plan, const parcel& p, std::size_t k) {
  return sequence_number(plan, k) % in_flight(plan) * chunk_bytes(plan, p);
}

void pack_chunk(const oshen_plan& plan, const outgoing& p, std::size_t k, std::byte* wire) {
  const oshen_box_t chunk = state_of(plan).remap.chunk_of(p.messages[0].box, k);
  for (std::size_t f = 0; f < plan.n_fields; f++)
    gather(chunk, plan.in[f], wire + f * (chunk_bytes(plan, p) / plan.n_fields));
}

void unpack_chunk(const oshen_plan& plan, const incoming& p, std::size_t k, const std::byte* wire) {
  const pipeline_state& s = state_of(plan);
  const oshen_box_t& box = p.messages[0].box;
  const oshen_box_t target = s.in_place ? s.remap.landing_box(box, k) : s.remap.chunk_of(box, k);
  for (std::size_t f = 0; f < plan.n_fields; f++)
    scatter(target, wire + f * (chunk_bytes(plan, p) / plan.n_fields), plan.out[f]);
}

// Puts a chunk into the receiver's slot, from `in` or from staging memory.
void put_chunk(oshen_plan& plan, const outgoing& p, std::size_t k) {
  const trials::stopwatch timed(plan.stats.pack_seconds);
  const std::size_t slot = p.slot + slot_offset(plan, p, k), bytes = chunk_bytes(plan, p);
  const bool staged = p.state == outgoing_state::staged;
  std::byte* source = staging_of(plan, p) + (staged ? k * bytes : 0);
  if (!staged) pack_chunk(plan, p, k, p.mapped != nullptr ? p.mapped + slot : source);
  if (p.mapped == nullptr) {
    shmem_putmem(plan.memory(slot), source, bytes, p.pe);
    shmem_quiet();  // `source` is used again
  } else {
    if (staged) std::memcpy(p.mapped + slot, source, bytes);
    plan.stats.bytes_direct += bytes;
    shmem_fence();
  }
}

void send_chunk(oshen_plan& plan, const outgoing& p, std::size_t k) {
  put_chunk(plan, p, k);
  raise_flag(*plan.group->arena, p.arrived_flag, sequence_number(plan, k), p.pe);
}

bool has_arrived(oshen_plan& plan, const incoming& p, std::size_t k) {
  plan.flags.arm(p.flag, sequence_number(plan, k));
  return plan.flags.take(p.flag);
}

// Unpacks a chunk and reports that its buffer in the slot is free.
void receive_chunk(oshen_plan& plan, const incoming& p, std::size_t k) {
  {
    const trials::stopwatch timed(plan.stats.unpack_seconds);
    unpack_chunk(plan, p, k, plan.memory(p.slot + slot_offset(plan, p, k)));
  }
  shmem_fence();  // after the flag of the chunk before
  raise_flag(*plan.group->arena, p.ready_flag, sequence_number(plan, k), p.pe);
}

// ---- a run

// A buffer in the slot is free when the chunk that used it has been unpacked.
bool has_free_buffer(oshen_plan& plan, const outgoing& p, std::size_t k) {
  const std::uint64_t number = sequence_number(plan, k), buffers = in_flight(plan);
  if (number <= buffers) return true;
  plan.flags.arm(p.flag, number - buffers);
  return plan.flags.take(p.flag);
}

// Sends one chunk ahead of those received, so that no PE waits for a peer that is slightly late.
bool send_chunks(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  bool moved = false;
  for (std::size_t i = 0; i < plan.sends.size(); i++) {
    outgoing& p = plan.sends[i];
    while (s.sent[i] < s.remap.chunks() && s.sent[i] <= s.current + 1 && has_free_buffer(plan, p, s.sent[i])) {
      send_chunk(plan, p, s.sent[i]++);
      moved = true;
      if (s.sent[i] == s.remap.chunks()) mark_sent(plan, p);
    }
  }
  return moved;
}

// The part of a chunk that this PE sends to itself goes through staging memory.
void pack_own_chunk(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  if (!s.in_place || std::exchange(s.own_packed, true) || plan.own_send.bytes == 0) return;
  const trials::stopwatch timed(plan.stats.pack_seconds);
  pack_chunk(plan, plan.own_send, s.current, staging_of(plan, plan.own_send));
}

void unpack_own_chunk(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  if (!std::exchange(s.own_packed, false) || plan.own_send.bytes == 0) return;
  const trials::stopwatch timed(plan.stats.unpack_seconds);
  unpack_chunk(plan, plan.own_receive, s.current, staging_of(plan, plan.own_send));
}

void finish_in_place(oshen_plan& plan) {
  {
    const trials::stopwatch timed(plan.stats.unpack_seconds);
    for (std::byte* out : plan.out) state_of(plan).remap.finish(out, plan.staging.get());
  }
  for (auto& p : plan.receives) mark_arrived(plan, p);
  if (plan.own_send.bytes == 0) return;
  plan.pending--;
  plan.own_receive.state = incoming_state::arrived;
}

bool all_beyond(const std::vector<std::size_t>& chunks, std::size_t current) {
  return std::all_of(chunks.begin(), chunks.end(), [=](std::size_t n) { return n > current; });
}

// Receives the next chunk of every parcel, once all of it has left `in`.
bool receive_chunks(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  const std::size_t chunks = s.remap.chunks();
  if (s.current == chunks || (s.in_place && !all_beyond(s.sent, s.current))) return false;
  pack_own_chunk(plan);
  bool moved = false;
  for (std::size_t i = 0; i < plan.receives.size(); i++) {
    incoming& p = plan.receives[i];
    if (s.received[i] > s.current || !has_arrived(plan, p, s.current)) continue;
    receive_chunk(plan, p, s.received[i]++);
    if (!s.in_place && s.received[i] == chunks) mark_arrived(plan, p);
    moved = true;
  }
  if (!all_beyond(s.received, s.current)) return moved;
  unpack_own_chunk(plan);
  if (++s.current == chunks && s.in_place) finish_in_place(plan);
  return true;
}

// If `out` overlaps `in` but is not equal to it, chunks cannot be exchanged in place: everything to be sent is staged
// first, chunk by chunk.
void stage_chunks(oshen_plan& plan) {
  for (auto& p : plan.sends) {
    const trials::stopwatch timed(plan.stats.pack_seconds);
    for (std::size_t k = 0; k < state_of(plan).remap.chunks(); k++)
      pack_chunk(plan, p, k, staging_of(plan, p) + k * chunk_bytes(plan, p));
    set_state(plan, p, outgoing_state::staged);
  }
  move_own(plan);
}

void start(oshen_plan& plan) {
  pipeline_state& s = state_of(plan);
  s.current = 0;
  s.sent.assign(plan.sends.size(), 0);
  s.received.assign(plan.receives.size(), 0);
  s.in_place = plan.aliased && !plan.transposes && std::ranges::equal(plan.in, plan.out);
  if (s.in_place) {
    plan.own_send.state = outgoing_state::sent;  // this strategy moves it; counted in finish_in_place
  } else if (plan.aliased) {
    stage_chunks(plan);
  }
  send_chunks(plan);
}

bool advance(oshen_plan& plan) {
  const bool sent = send_chunks(plan);
  return receive_chunks(plan) || sent;
}

// ---- the number of chunks

// How this PE cuts the boxes that it sends to a peer.
struct cut_message {
  std::size_t extent[3];  // of the box
  int axis;
};

// Whether sender and receiver cut the same boxes along the same axis.
bool peers_agree(oshen_plan& plan, const chunked_remap& remap) {
  std::vector<cut_message> local(plan.group->members.size());
  for (auto& m : local) m.axis = remap.axis();
  for (const auto& p : plan.sends) {
    std::copy_n(p.messages[0].box.extent, 3, local[static_cast<std::size_t>(p.peer)].extent);
  }
  const auto replies = plan.group->handshake<cut_message>(local);
  return std::all_of(plan.receives.begin(), plan.receives.end(), [&](const incoming& p) {
    const cut_message& reply = replies[static_cast<std::size_t>(p.peer)];
    return reply.axis == remap.axis() && std::equal(reply.extent, reply.extent + 3, p.messages[0].box.extent);
  });
}

// Chooses the smallest number of chunks that all PEs can use; 1 if there is none.
oshen_status_t open(oshen_plan& plan) {
  auto made = std::make_unique<pipeline_state>();
  std::uint64_t possible = possible_chunks(plan, made->remap);
  if (!peers_agree(plan, made->remap)) possible = 1;
  std::uint64_t all = possible;
  for (const std::uint64_t theirs : plan.group->handshake_with_all(possible)) all &= theirs;
  try {
    made->remap.split(common_chunks(all));
  } catch (const std::bad_alloc&) {
    return OSHEN_NO_SPACE;
  }
  if (made->remap.chunks() == 1) plan.effective = &put_signal;
  plan.strategy_state = made.release();
  return OSHEN_OK;
}

void close(oshen_plan& plan) {
  delete static_cast<pipeline_state*>(plan.strategy_state);
  plan.strategy_state = nullptr;
}

}  // namespace

std::size_t chunks_of(const oshen_plan& plan) { return state_of(plan).remap.chunks(); }

constinit const strategy pipeline = {
    .name = "pipeline",
    .about = "cache-sized chunks, one after another; uses put_signal if the boxes cannot be cut",
    .slots = 2,
    .start = start,
    .advance = advance,
    .open = open,
    .close = close,
};

}  // namespace oshen::exchange
