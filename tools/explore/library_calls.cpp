// Functions of the C library that read or write the memory of the program. The linker leads the calls of the program to
// __wrap_NAME (tools/oshcc.in has the list). A step is logged before its access, and others may go between the two. So
// the length of a string is looked up again after the step.
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pe.hpp"

#define CALLER __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr std::size_t no_limit = ~std::size_t{0};
constexpr std::size_t no_bound = SIZE_MAX / 2;  // of vsnprintf

// One call of the program.
struct use {
  const void* caller;

  void read(const void* a, std::size_t n) const { explore::pe::here().plain_access(a, n, false, caller); }
  void write(void* a, std::size_t n) const { explore::pe::here().plain_access(a, n, true, caller); }
  // length() bytes at `a`, which may become more while others go.
  template <class Length>
  void read_while(const char* a, Length length) const {
    for (std::size_t known = 0, n = length(); n > known; n = length()) {
      read(a + known, n - known);
      known = n;
    }
  }
  void read_string(const char* s, std::size_t most = no_limit) const {
    read_while(s, [=] { return bytes_of(s, most); });
  }
  static std::size_t bytes_of(const char* s, std::size_t most) {
    if (most == no_limit) return std::strlen(s) + 1;
    return std::min(most, strnlen(s, most) + 1);
  }
  // Up to the first byte in which they differ.
  void compare(const char* a, const char* b, std::size_t most, bool strings) const {
    const auto length = [=] {
      std::size_t n = 0;
      while (n < most && a[n] == b[n] && (!strings || a[n] != 0)) ++n;
      return std::min(most, n + 1);
    };
    read_while(a, length);
    read_while(b, length);
  }
  void copy(void* to, const void* from, std::size_t n) const { read(from, n), write(to, n); }
  void copy_string(char* to, const char* from, std::size_t most = no_limit) const {
    read_string(from, most);
    write(to, bytes_of(from, most));
  }
  void append_string(char* to, const char* from, std::size_t most = no_limit) const {
    read_string(to);
    read_string(from, most);
    write(to + std::strlen(to), strnlen(from, most) + 1);
  }
};

// The strings that a format reads.
void read_words(const use& of, const char* format, std::va_list words) {
  std::va_list rest;
  va_copy(rest, words);
  for (const char* at = std::strchr(format, '%'); at != nullptr; at = std::strchr(at, '%')) {
    int longs = 0, precision = -1;
    bool is_long_double = false;
    for (++at; std::strchr("-+ #0123456789.*'hljztLq", *at) != nullptr && *at != '\0'; ++at) {
      if (*at == '*') {
        const int n = va_arg(rest, int);
        if (at[-1] == '.') precision = n;
      } else if (*at == '.') {
        precision = std::atoi(at + 1);
      } else if (std::strchr("ljztq", *at) != nullptr) {
        ++longs;
      } else if (*at == 'L') {
        is_long_double = true;
      }
    }
    if (*at == '\0') break;
    const char kind = *at++;
    if (kind == '%' || kind == 'm') continue;
    if (std::strchr("aAeEfFgG", kind) != nullptr) {
      if (is_long_double)
        va_arg(rest, long double);
      else
        va_arg(rest, double);
    } else if (kind == 's' && longs == 0) {
      const char* const text = va_arg(rest, const char*);
      if (text != nullptr) of.read_string(text, precision >= 0 ? static_cast<std::size_t>(precision) : no_limit);
    } else if (std::strchr("spn", kind) != nullptr) {
      va_arg(rest, const void*);
    } else if (longs > 0) {
      va_arg(rest, long);
    } else {
      va_arg(rest, int);
    }
  }
  va_end(rest);
}

int write_words(const use& of, char* to, std::size_t most, const char* format, std::va_list words) {
  read_words(of, format, words);
  std::va_list again;
  va_copy(again, words);
  const int n = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (n >= 0 && most > 0) of.write(to, std::min(most, static_cast<std::size_t>(n) + 1));
  return std::vsnprintf(to, most, format, words);
}

int print_words(const use& of, std::FILE* to, const char* format, std::va_list words) {
  read_words(of, format, words);
  return std::vfprintf(to, format, words);
}

}  // namespace

// `name` is called with `arguments` after `uses`, which says through `of` what it accesses.
#define WRAP_AS(result, symbol, name, parameters, arguments, ...) \
  EXPORT result __wrap_##symbol parameters {                      \
    const use of{CALLER};                                         \
    __VA_ARGS__;                                                  \
    return name arguments;                                        \
  }
#define WRAP(result, name, parameters, arguments, ...) WRAP_AS(result, name, name, parameters, arguments, __VA_ARGS__)
// The same as __NAME_chk. Its check is left out: the size is that of the compiler.
#define CHECKED(result, name, parameters, arguments, ...) \
  WRAP_AS(result, __##name##_chk, name, parameters, arguments, __VA_ARGS__)

using size = std::size_t;
using order = int (*)(const void*, const void*);

// ---- blocks

WRAP(void*, memcpy, (void* to, const void* from, size n), (to, from, n), of.copy(to, from, n))
CHECKED(void*, memcpy, (void* to, const void* from, size n, size), (to, from, n), of.copy(to, from, n))
WRAP(void*, memmove, (void* to, const void* from, size n), (to, from, n), of.copy(to, from, n))
CHECKED(void*, memmove, (void* to, const void* from, size n, size), (to, from, n), of.copy(to, from, n))
WRAP(void*, mempcpy, (void* to, const void* from, size n), (to, from, n), of.copy(to, from, n))
WRAP(void*, memset, (void* to, int c, size n), (to, c, n), of.write(to, n))
CHECKED(void*, memset, (void* to, int c, size n, size), (to, c, n), of.write(to, n))
WRAP(const void*, memchr, (const void* a, int c, size n), (a, c, n), of.read(a, n))

// ---- strings

WRAP(char*, strcpy, (char* to, const char* from), (to, from), of.copy_string(to, from))
CHECKED(char*, strcpy, (char* to, const char* from, size), (to, from), of.copy_string(to, from))
WRAP(char*, stpcpy, (char* to, const char* from), (to, from), of.copy_string(to, from))
WRAP(char*, strncpy, (char* to, const char* from, size n), (to, from, n), of.read_string(from, n), of.write(to, n))
CHECKED(char*, strncpy, (char* to, const char* from, size n, size), (to, from, n), of.read_string(from, n),
        of.write(to, n))
WRAP(char*, stpncpy, (char* to, const char* from, size n), (to, from, n), of.read_string(from, n), of.write(to, n))
WRAP(char*, strcat, (char* to, const char* from), (to, from), of.append_string(to, from))
CHECKED(char*, strcat, (char* to, const char* from, size), (to, from), of.append_string(to, from))
WRAP(char*, strncat, (char* to, const char* from, size n), (to, from, n), of.append_string(to, from, n))
CHECKED(char*, strncat, (char* to, const char* from, size n, size), (to, from, n), of.append_string(to, from, n))

// ---- what only reads

#include "shared/library_reads.def"

// ---- arrays. The callbacks are code of the program, which reads what it compares.

WRAP(void, qsort, (void* a, size n, size width, order compare), (a, n, width, compare), of.write(a, n* width))

// ---- input and output

WRAP(size, fread, (void* a, size width, size n, std::FILE* from), (a, width, n, from), of.write(a, width* n))
WRAP(char*, fgets, (char* a, int n, std::FILE* from), (a, n, from), of.write(a, static_cast<size>(n)))
WRAP(int, vprintf, (const char* format, std::va_list words), (format, words), read_words(of, format, words))
WRAP(int, vfprintf, (std::FILE * to, const char* format, std::va_list words), (to, format, words),
     read_words(of, format, words))

// With the words after `format`.
#define WRAP_WORDS(name, parameters, next) \
  EXPORT int __wrap_##name parameters {    \
    const use of{CALLER};                  \
    std::va_list words;                    \
    va_start(words, format);               \
    const int outcome = next;              \
    va_end(words);                         \
    return outcome;                        \
  }
WRAP_WORDS(printf, (const char* format, ...), print_words(of, stdout, format, words))
WRAP_WORDS(fprintf, (std::FILE * to, const char* format, ...), print_words(of, to, format, words))
WRAP_WORDS(sprintf, (char* to, const char* format, ...), write_words(of, to, no_bound, format, words))
WRAP_WORDS(__printf_chk, (int, const char* format, ...), print_words(of, stdout, format, words))
WRAP_WORDS(__fprintf_chk, (std::FILE * to, int, const char* format, ...), print_words(of, to, format, words))
WRAP_WORDS(__sprintf_chk, (char* to, int, size, const char* format, ...), write_words(of, to, no_bound, format, words))
WRAP_WORDS(__snprintf_chk, (char* to, size most, int, size, const char* format, ...),
           write_words(of, to, most, format, words))
WRAP_WORDS(snprintf, (char* to, size most, const char* format, ...), write_words(of, to, most, format, words))
EXPORT int __wrap_vsprintf(char* to, const char* format, std::va_list words) {
  return write_words({CALLER}, to, no_bound, format, words);
}
EXPORT int __wrap_vsnprintf(char* to, size most, const char* format, std::va_list words) {
  return write_words({CALLER}, to, most, format, words);
}
