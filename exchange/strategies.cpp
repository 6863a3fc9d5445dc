#include "strategy.hpp"

#include <cstring>
#include <iterator>

#include "oshen/exchange.h"

namespace oshen::exchange {
namespace {
constexpr const strategy* table[] = {
    &bulk_barrier,
};
}  // namespace

const strategy* strategy_at(int index) {
  return index >= 0 && index < static_cast<int>(std::size(table)) ? table[index] : nullptr;
}

const strategy* find_strategy(const char* name) {
  if (name == nullptr) return table[0];
  for (const strategy* row : table) {
    if (std::strcmp(row->name, name) == 0) return row;
  }
  return nullptr;
}

int strategy_index(const strategy& row) {
  int index = 0;
  while (table[index] != &row) index++;
  return index;
}

}  // namespace oshen::exchange

int oshen_strategy_at(int index, oshen_strategy_info_t* info) {
  const auto* row = oshen::exchange::strategy_at(index);
  if (row == nullptr) return 0;
  *info = {row->name, row->about};
  return 1;
}
