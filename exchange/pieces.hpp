// The pieces that strategies are made of. All of them work on the run that is under way and keep
// its books.
#pragma once

#include <cstddef>

#include "plan.hpp"

namespace oshen::exchange {

// ---- this PE's side

// A parcel between the user's buffer and the wire.
void pack_parcel(const oshen_plan& plan, const parcel& p, std::byte* wire);
void unpack_parcel(const oshen_plan& plan, const parcel& p, const std::byte* wire);

// Bytes of one field of a parcel; its place in staging memory.
inline std::size_t field_bytes(const oshen_plan& plan, const parcel& p) {
  return p.bytes / plan.n_fields;
}
inline std::byte* staged(const oshen_plan& plan, const parcel& p) {
  return plan.staging.get() + p.staged;
}

// A parcel is elsewhere now than in `in`.
void left_in(oshen_plan& plan, outgoing& p, outgoing_state now);
// Takes a parcel that is still in `in` to staging memory, so that `in` may change.
void stage(oshen_plan& plan, outgoing& p);
// All that are still in `in`, and what this PE keeps, if `out` overlaps `in`: to be called before
// anybody writes to `out`.
void secure(oshen_plan& plan);
// What this PE keeps: straight to `out` if that is apart from `in`, else to staging memory; once.
void hold_own(oshen_plan& plan);
// The rest of its way, when nothing is left in `in`; false when there was nothing to do.
bool settle_own(oshen_plan& plan);

// ---- sending

// A parcel that has left this PE; one that has arrived in `out`.
void is_sent(oshen_plan& plan, outgoing& p);
void is_here(oshen_plan& plan, incoming& p);

// Which of two slots this run uses.
inline std::size_t parity(const oshen_plan& plan) {
  return plan.run & 1;
}

// Packs into the receiver's slot where that is mapped, else into staging memory and puts. The words
// that announce it must be raised after a fence.
void deliver(oshen_plan& plan, outgoing& p);
// Puts every run of a parcel to the receiver's slot, with no packing (but for one that is staged).
enum class put { blocking, nbi };
void deliver_rows(oshen_plan& plan, outgoing& p, put how);
// deliver and announce in one: a put with signal where there is one.
void deliver_with_signal(oshen_plan& plan, outgoing& p);
// Tells the receiver that its parcel is there.
void announce(const oshen_plan& plan, const outgoing& p);
// deliver, fence, announce.
void send(oshen_plan& plan, outgoing& p);
void send_rows(oshen_plan& plan, outgoing& p);

// ---- receiving

void want_arrivals(oshen_plan& plan);
// Where a parcel lies that has arrived in our slot.
const std::byte* slot_of(const oshen_plan& plan, const incoming& p);
// For each parcel that has been announced: `use`, which calls is_here. False when there was none.
bool take_arrivals(oshen_plan& plan, void (*use)(oshen_plan&, incoming&));
void unpack_slot(oshen_plan& plan, incoming& p);  // a `use`

// ---- the word of a sender: "send", or "I have begun this run", as the strategy means it

void tell_sender(const oshen_plan& plan, const incoming& p);
void want_ready(oshen_plan& plan, std::uint64_t run);
// For each parcel that may be sent: `how`. False when there was none.
bool send_ready(oshen_plan& plan, void (*how)(oshen_plan&, outgoing&));

// A `use`: unpack_slot, and the sender is told that the slot may be written again.
void unpack_and_free(oshen_plan& plan, incoming& p);

// With two slots: parcels of run n + 2 must not meet those of run n. Who gets a parcel of run n + 1
// from the receiver knows that it is through with run n. Who gets none is greeted instead.
void greet(oshen_plan& plan);
bool take_greetings(oshen_plan& plan);
bool greeted(const oshen_plan& plan);

// ---- the barrier of the plan (plan_barrier.hpp)

// `advance` of strategies that end a run with it: nobody puts into a slot that has not been
// unpacked.
bool unpack_then_gather(oshen_plan& plan);
bool gathered(const oshen_plan& plan);  // their `over`

// Whether the run is over: nothing is left but the release.
bool done(const oshen_plan& plan);

// ---- addresses told by a peer, for each field: where, as offsets in our arena

inline std::size_t offer_of(const oshen_plan& plan, const incoming& p) {
  return plan.offers + p.word * plan.n_fields * sizeof(std::uint64_t);
}
inline std::size_t invitation_of(const oshen_plan& plan, const outgoing& p) {
  return plan.invitations + (p.word - plan.receives.size()) * plan.n_fields * sizeof(std::uint64_t);
}

// ---- time

class stopwatch {
 public:
  explicit stopwatch(double& seconds) : seconds_(seconds), start_(now()) {}
  ~stopwatch() { seconds_ += now() - start_; }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  static double now();

 private:
  double& seconds_;
  double start_;
};

}  // namespace oshen::exchange
