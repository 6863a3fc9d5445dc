// Numbers and bytes as text, in environment variables and in the messages of process managers.
#pragma once

#include <stdlib.h>

#include <cstddef>

namespace oshen::bootstrap {

// Reads a whole number. False, without changing `value`, if `text` is null or not a whole number.
inline bool whole_number(const char* text, int& value) {
  if (text == nullptr) return false;
  char* end = nullptr;
  const long parsed = strtol(text, &end, 10);
  if (end == text || *end != '\0' || parsed != static_cast<int>(parsed)) return false;
  value = static_cast<int>(parsed);
  return true;
}

// Writes bytes as hexadecimal digits; `text` has room for 2 * bytes + 1 characters.
inline void to_hex(const void* from, std::size_t bytes, char* text) {
  const auto* p = static_cast<const unsigned char*>(from);
  for (std::size_t i = 0; i < bytes; ++i) {
    text[2 * i] = "0123456789abcdef"[p[i] >> 4];
    text[2 * i + 1] = "0123456789abcdef"[p[i] & 15];
  }
  text[2 * bytes] = '\0';
}

// The reverse; false unless the text has exactly 2 * bytes digits.
inline bool from_hex(const char* text, void* to, std::size_t bytes) {
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  auto* p = static_cast<unsigned char*>(to);
  for (std::size_t i = 0; i < bytes; ++i, text += 2) {
    const int high = digit(text[0]), low = high < 0 ? -1 : digit(text[1]);
    if (low < 0) return false;
    p[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return *text == '\0';
}

}  // namespace oshen::bootstrap
