// A strategy: how the PEs of a plan move their parcels, come to know that data has arrived, and
// that memory may be used again. One file per strategy, one row in the table (strategies.cpp).
#pragma once

#include "oshen/exchange.h"

namespace oshen::exchange {

// What a plan must have for a strategy to work; bits.
enum need : unsigned {
  need_boxes = 1,         // it reads and writes the user's buffers itself: no callbacks
  need_in_symmetric = 2,  // promises of the plan
  need_out_symmetric = 4,
  need_apart = 8,
  need_same_shapes = 16,     // sender's and receiver's boxes correspond element by element
  need_receive_staging = 32  // private memory for what arrives
};

struct strategy {
  const char* name;
  const char* about;
  int slots = 0;                 // places for each parcel in the receiver's symmetric memory
  int packs = 0;                 // and in the sender's
  unsigned needs = 0;            // of enum need
  bool order_of_sender = false;  // on the wire: in memory order of the sender, for long runs

  // Sends what it can without waiting for a peer; never writes to `out`.
  void (*start)(oshen_plan_t& plan);
  // Goes on without waiting; false when nothing could be done.
  bool (*advance)(oshen_plan_t& plan);
  // Null, or whether the run is over when all parcels are: what else it has to wait for.
  bool (*over)(const oshen_plan_t& plan) = nullptr;

  // Null, or what a strategy has of its own in a plan; `wait` where that is not words of the plan
  // (exchange/mpi).
  oshen_status_t (*open)(oshen_plan_t& plan) = nullptr;  // collective
  void (*close)(oshen_plan_t& plan) = nullptr;           // local
  void (*wait)(oshen_plan_t& plan) = nullptr;
};

extern const strategy bulk_barrier, hybrid_barrier, nopack, nopack_nbi, chkbuff, advchkbuff,
    advchkbuff_nopack, put_signal, pipeline, direct, direct_get, get;

// Adds a row at the end of the table. Same rows in the same order on all PEs. False: table full, or
// the name is taken.
bool add_strategy(const strategy& row);

// The row with this name (NULL: the first), or null; and a row by its number, or null.
const strategy* find_strategy(const char* name);
const strategy* strategy_at(int index);
int strategy_index(const strategy& row);

}  // namespace oshen::exchange
