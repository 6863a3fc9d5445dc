// The strategies of a program: those of this folder, and those that a program has added.
#pragma once

#include "exchange/plan/strategy.hpp"

namespace oshen::exchange {

extern const strategy bulk_barrier, hybrid_barrier, nopack, nopack_nbi, chkbuff, advchkbuff, advchkbuff_nopack,
    put_signal, pipeline, direct, direct_get, get;

// Appends a strategy to the table. All PEs must add the same strategies in the same order. Returns false when the table
// is full or the name is taken.
bool add_strategy(const strategy& added);

// The strategy with this name, or null; name == NULL gives the first.
const strategy* find_strategy(const char* name);
// The strategy at this index of the table, or null.
const strategy* strategy_at(int index);
int strategy_index(const strategy& known);

}  // namespace oshen::exchange
