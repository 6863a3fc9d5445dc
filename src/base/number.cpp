#include "base/number.hpp"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>

namespace oshen {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

// The tests before the call exclude signs, spaces, hexadecimal numbers, inf and nan, which strtod accepts.
bool read_decimal(const char* text, const char*& end, double& value) {
  if (!is_digit(text[0]) && !(text[0] == '.' && is_digit(text[1]))) return false;
  if (text[0] == '0' && (text[1] | 0x20) == 'x') return false;
  const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);  // a static object of libc: this cannot fail
  char* stop = nullptr;
  value = strtod_l(text, &stop, plain);
  freelocale(plain);
  end = stop;
  return true;
}

bool read_whole(const char* text, long& value) {
  if (!is_digit(text[0]) && !(text[0] == '-' && is_digit(text[1]))) return false;
  char* stop = nullptr;
  errno = 0;
  value = strtol(text, &stop, 10);
  return *stop == '\0' && errno == 0;
}

}  // namespace oshen
