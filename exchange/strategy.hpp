// A strategy: how the PEs of a plan move their parcels, come to know that data has arrived, and that memory may be
// used again. A row says by what each parcel is moved and on which word it waits; run.cpp does the waiting and keeps
// the books. Rows stand in strategies/, the table of them in strategies.cpp.
#pragma once

#include "oshen/exchange.h"

namespace oshen::exchange {

struct outgoing;
struct incoming;

// What a plan must have for a strategy to work; bits.
enum need : unsigned {
  need_boxes = 1,         // it reads and writes the user's buffers itself: no callbacks
  need_in_symmetric = 2,  // promises of the plan
  need_out_symmetric = 4,
  need_apart = 8,
  need_same_shapes = 16,     // sender's and receiver's boxes correspond element by element
  need_receive_staging = 32  // private memory for what arrives
};

// When a parcel may leave: at the start of the run; when its receiver has said that the slot of the run before is
// free; when its receiver has said so in this run.
enum class leaving { at_once, slot_is_free, told };
// How a receiver learns that a parcel has come: from its word, which `send` raises; the same, but all are raised after
// one quiet; from the barrier that its senders enter when all is there.
enum class announcing { each, together, barrier };
// What a run waits for besides its parcels: nothing; the barrier of the plan; words of those who send nothing back
// (put_signal.cpp).
enum class ending { parcels, barrier, greetings };

struct strategy {
  const char* name;
  const char* about;
  int slots = 0;                 // places for each parcel in the receiver's symmetric memory
  int packs = 0;                 // and in the sender's
  unsigned needs = 0;            // of enum need
  bool order_of_sender = false;  // on the wire: in memory order of the sender, for long runs

  // The way of a parcel.
  leaving leaves = leaving::at_once;
  announcing announces = announcing::each;
  ending ends = ending::parcels;
  bool sends_first = false;  // takes nothing before all is sent
  bool answers = false;      // tells the sender of each parcel that it has been taken
  void (*prepare)(oshen_plan_t& plan) = nullptr;  // before the first parcel leaves
  // Moves a parcel and (announcing::each) raises its word. Null: the receiver fetches it.
  void (*send)(oshen_plan_t& plan, outgoing& p) = nullptr;
  // Brings a parcel that has come to `out`. Null: it is there.
  void (*take)(oshen_plan_t& plan, incoming& p) = nullptr;

  // Instead of that, for who does not move whole parcels by words (pipeline, exchange/mpi): sends what it can without
  // waiting for a peer, never writing to `out`; goes on without waiting, false when nothing could be done; null, or
  // whether the run is over when all parcels are.
  void (*start)(oshen_plan_t& plan) = nullptr;
  bool (*advance)(oshen_plan_t& plan) = nullptr;
  bool (*over)(const oshen_plan_t& plan) = nullptr;

  // Null, or what a strategy has of its own in a plan; `wait` where that is not words of the plan (exchange/mpi).
  oshen_status_t (*open)(oshen_plan_t& plan) = nullptr;  // collective
  void (*close)(oshen_plan_t& plan) = nullptr;           // local
  void (*wait)(oshen_plan_t& plan) = nullptr;
};

extern const strategy bulk_barrier, hybrid_barrier, nopack, nopack_nbi, chkbuff, advchkbuff, advchkbuff_nopack,
    put_signal, pipeline, direct, direct_get, get;

// Adds a row at the end of the table. Same rows in the same order on all PEs. False: table full, or
// the name is taken.
bool add_strategy(const strategy& row);

// The row with this name (NULL: the first), or null; and a row by its number, or null.
const strategy* find_strategy(const char* name);
const strategy* strategy_at(int index);
int strategy_index(const strategy& row);

}  // namespace oshen::exchange
