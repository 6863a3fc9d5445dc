// A strategy: how the PEs of a plan come to know that data has arrived and that memory may be used
// again. One file per strategy, one row in the table (strategies.cpp).
#pragma once

struct oshen_plan;

namespace oshen::exchange {

struct strategy {
  const char* name;
  const char* about;
  void (*run)(oshen_plan& plan, const void* in, void* out);
};

extern const strategy bulk_barrier;

// The row with this name (NULL: the first), or null; and a row by its number, or null.
const strategy* find_strategy(const char* name);
const strategy* strategy_at(int index);
int strategy_index(const strategy& row);

}  // namespace oshen::exchange
