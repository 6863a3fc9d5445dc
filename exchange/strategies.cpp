#include "strategy.hpp"

#include <cstring>

namespace oshen::exchange {
namespace {

constexpr int capacity = 32;
// In order of preference; the first is what a plan gets that names none.
const strategy* table[capacity] = {
    &pipeline, &put_signal, &bulk_barrier, &hybrid_barrier,    &nopack, &nopack_nbi,
    &chkbuff,  &advchkbuff, &get,          &advchkbuff_nopack, &direct, &direct_get,
};

}  // namespace

const strategy* strategy_at(int index) {
  return index >= 0 && index < capacity ? table[index] : nullptr;
}

const strategy* find_strategy(const char* name) {
  if (name == nullptr) return table[0];
  for (const strategy* row : table) {
    if (row != nullptr && std::strcmp(row->name, name) == 0) return row;
  }
  return nullptr;
}

int strategy_index(const strategy& row) {
  int index = 0;
  while (table[index] != &row) index++;
  return index;
}

bool add_strategy(const strategy& row) {
  int end = 0;
  while (end < capacity && table[end] != nullptr) end++;
  if (end == capacity || find_strategy(row.name) != nullptr) return false;
  table[end] = &row;
  return true;
}

}  // namespace oshen::exchange

int oshen_strategy_at(int index, oshen_strategy_info_t* info) {
  const auto* row = oshen::exchange::strategy_at(index);
  if (row == nullptr) return 0;
  *info = {row->name, row->about};
  return 1;
}
