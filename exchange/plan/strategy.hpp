// A strategy defines how the PEs of a plan move their parcels, how a receiver learns that data has arrived, and when
// memory may be reused. It names a function that sends a parcel and the flag that reports it; run.cpp does the waiting
// and keeps the states. strategies/ defines them; its table.cpp lists them.
#pragma once

#include "oshen/exchange.h"

namespace oshen::exchange {

struct outgoing;
struct incoming;

// Properties that a plan must have for a strategy to work; a set of bits.
enum requirement : unsigned {
  need_boxes = 1,         // the strategy reads and writes the user's buffers itself: no callbacks
  need_in_symmetric = 2,  // promises about the buffers
  need_out_symmetric = 4,
  need_apart = 8,
  need_same_shapes = 16,     // the boxes of sender and receiver correspond element by element
  need_receive_staging = 32  // private memory for incoming parcels
};

// When a parcel may be sent.
enum class send_condition {
  immediate,      // at the start of the run
  slot_free,      // the receiver has reported that the slot of the previous run is free
  receiver_ready  // the receiver has reported that it is ready in this run
};
// How a receiver learns that a parcel has arrived.
enum class notification {
  flag_each,          // `send` raises the flag of the parcel
  flags_after_quiet,  // the sender raises all flags after one quiet
  barrier             // all senders enter the barrier of the plan
};
// The event that a run waits for after its parcels.
enum class completion {
  parcels,     // none
  barrier,     // the barrier of the plan
  ready_flags  // the ready flags of receivers that send no parcel back (two_slots.cpp)
};

struct strategy {
  const char* name;
  const char* about;
  int slots = 0;              // slots for each parcel in the receiver's symmetric memory.
  int packs = 0;              // slots for each parcel in the sender's symmetric memory.
  unsigned needs = 0;         // bits of enum requirement.
  bool sender_order = false;  // elements travel in memory order of the sender, so that contiguous blocks are long.

  // How a parcel moves.
  send_condition sends_when = send_condition::immediate;
  notification notifies_by = notification::flag_each;
  completion completes_with = completion::parcels;
  bool sends_first = false;                       // receives nothing before everything is sent
  bool acknowledges = false;                      // raises the sender's flag when a parcel has been received
  void (*prepare)(oshen_plan_t& plan) = nullptr;  // called before the first parcel is sent
  // Moves a parcel and (notification::flag_each) raises its flag. Null: the receiver fetches the parcel.
  void (*send)(oshen_plan_t& plan, outgoing& p) = nullptr;
  // Moves a parcel that has arrived to `out`. Null: it is already there.
  void (*receive)(oshen_plan_t& plan, incoming& p) = nullptr;

  // Strategies that do not move whole parcels by flags (pipeline, exchange/mpi) define these instead.
  // Sends as much as possible without waiting for a peer. Must not write to `out`.
  void (*start)(oshen_plan_t& plan) = nullptr;
  // Advances without waiting. Returns false when there was nothing to do.
  bool (*advance)(oshen_plan_t& plan) = nullptr;
  // Whether the run is over once all parcels are sent and received. Null: it is.
  bool (*finished)(const oshen_plan_t& plan) = nullptr;

  // State that a strategy keeps in a plan, or null. `open` is collective, `close` is local.
  oshen_status_t (*open)(oshen_plan_t& plan) = nullptr;
  void (*close)(oshen_plan_t& plan) = nullptr;
  // Waits for an event that is not a flag of the plan (exchange/mpi), or null.
  void (*wait)(oshen_plan_t& plan) = nullptr;
};

}  // namespace oshen::exchange
