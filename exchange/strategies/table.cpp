#include "exchange/strategies/table.hpp"

#include <cstring>

#include "trials/sized_struct.hpp"

namespace oshen::exchange {
namespace {

constexpr int capacity = 32;
// In order of preference. The first is the default of a plan.
const strategy* table[capacity] = {
    &pipeline, &put_signal, &bulk_barrier, &hybrid_barrier,    &nopack, &nopack_nbi,
    &chkbuff,  &advchkbuff, &get,          &advchkbuff_nopack, &direct, &direct_get,
};

}  // namespace

const strategy* strategy_at(int index) { return index >= 0 && index < capacity ? table[index] : nullptr; }

const strategy* find_strategy(const char* name) {
  if (name == nullptr) return table[0];
  for (const strategy* entry : table) {
    if (entry != nullptr && std::strcmp(entry->name, name) == 0) return entry;
  }
  return nullptr;
}

int strategy_index(const strategy& entry) {
  int index = 0;
  while (table[index] != &entry) index++;
  return index;
}

bool add_strategy(const strategy& entry) {
  int end = 0;
  while (end < capacity && table[end] != nullptr) end++;
  if (end == capacity || find_strategy(entry.name) != nullptr) return false;
  table[end] = &entry;
  return true;
}

}  // namespace oshen::exchange

int oshen_strategy_at(int index, oshen_strategy_info_t* info, std::size_t size) {
  const auto* entry = oshen::exchange::strategy_at(index);
  if (entry == nullptr) return 0;
  oshen::fill_struct(info, size, oshen_strategy_info_t{entry->name, entry->about});
  return 1;
}
