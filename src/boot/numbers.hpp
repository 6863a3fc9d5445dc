// Numbers in variables of launchers.
#pragma once

#include <stdlib.h>

namespace oshen::boot {

// False, and `value` as it was, when `text` is null or not a whole number.
inline bool whole_number(const char* text, int& value) {
  if (text == nullptr) return false;
  char* end = nullptr;
  const long parsed = strtol(text, &end, 10);
  if (end == text || *end != '\0' || parsed != static_cast<int>(parsed)) return false;
  value = static_cast<int>(parsed);
  return true;
}

}  // namespace oshen::boot
