// The bytes of one parcel: between the user's buffers and the wire, and to the peer. What a row (strategy.hpp) names as
// its `send` and `take`. When they happen, and the books, are run.cpp's.
#pragma once

#include <cstddef>

#include "plan.hpp"

namespace oshen::exchange {

// Between the user's buffers and the wire.
void pack_parcel(const oshen_plan& plan, const parcel& p, std::byte* wire);
void unpack_parcel(const oshen_plan& plan, const parcel& p, const std::byte* wire);

// Bytes of one field of a parcel; its place in staging memory.
inline std::size_t field_bytes(const oshen_plan& plan, const parcel& p) {
  return p.bytes / plan.n_fields;
}
inline std::byte* staged(const oshen_plan& plan, const parcel& p) {
  return plan.staging.get() + p.staged;
}

// Which of two slots this run uses.
inline std::size_t parity(const oshen_plan& plan) {
  return plan.run & 1;
}

// ---- words

// Tells the receiver that its parcel is there; the sender that its parcel may leave, or has been taken.
void announce(const oshen_plan& plan, const outgoing& p);
void tell_sender(const oshen_plan& plan, const incoming& p);

// ---- `send`

// Packs into the receiver's slot where that is mapped, else into staging memory and puts. The words that announce it
// must be raised after a quiet.
void deliver(oshen_plan& plan, outgoing& p);
// Puts every run of a parcel to the receiver's slot without packing (but for one that is staged). The same.
void deliver_rows_nbi(oshen_plan& plan, outgoing& p);
// With the word.
void send_packed(oshen_plan& plan, outgoing& p);
void send_rows(oshen_plan& plan, outgoing& p);
void send_with_signal(oshen_plan& plan, outgoing& p);  // one call, where there is a put with signal

// ---- `take`

void unpack_slot(oshen_plan& plan, incoming& p);

}  // namespace oshen::exchange
