// Moves the bytes of one parcel: between the user's buffers and the wire, and to the peer. Strategies name these
// functions as their `send` and `receive` (strategy.hpp); run.cpp decides when to call them.
#pragma once

#include <cstddef>

#include "exchange/plan/plan.hpp"

namespace oshen::exchange {

// Between the user's buffers and the wire, where the messages of a parcel lie one after another.
void pack_parcel(const oshen_plan& plan, const parcel& p, std::byte* wire);
void unpack_parcel(const oshen_plan& plan, const parcel& p, const std::byte* wire);

inline std::size_t field_bytes(const oshen_plan& plan, const parcel& p) { return p.bytes / plan.n_fields; }
inline std::byte* staging_of(const oshen_plan& plan, const parcel& p) { return plan.staging.get() + p.staging_offset; }

// The index of the slot that this run uses, of two.
inline std::size_t parity(const oshen_plan& plan) { return plan.run & 1; }

// ---- flags

// Reports to the receiver that its parcel has arrived.
void raise_arrived(const oshen_plan& plan, const outgoing& p);
// Reports to the sender that its parcel may be sent, or has been unpacked: the strategy defines which.
void raise_ready(const oshen_plan& plan, const incoming& p);

// ---- functions for `send`

// Packs into the receiver's slot if that is mapped, else into staging memory, and puts it. Does not raise the flag: the
// caller does so after a quiet.
void put_packed(oshen_plan& plan, outgoing& p);
// Puts every contiguous block of a parcel to the receiver's slot without packing, unless the parcel is staged. Does not
// raise the flag either.
void put_blocks_nbi(oshen_plan& plan, outgoing& p);
// These raise the flag as well.
void send_packed(oshen_plan& plan, outgoing& p);
void send_blocks(oshen_plan& plan, outgoing& p);
void send_with_signal(oshen_plan& plan, outgoing& p);  // one put with signal, if the library has it

// ---- functions for `receive`

void unpack_slot(oshen_plan& plan, incoming& p);

}  // namespace oshen::exchange
