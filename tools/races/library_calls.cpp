// Functions of the C library, and of gfortran's run-time library, that read or write the memory of the program. The
// linker leads the calls of the program to __wrap_NAME (tools/oshcc.in has the list); those of libraries go where they
// went. Functions whose names a program may define itself stand before those of the C library instead.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "interpose.hpp"
#include "plain.hpp"

namespace {

using races::plain_routine;

// One call of the program. Lengths of strings are looked up only if the string is watched.
struct use {
  plain_routine routine;
  const void* caller;

  void read(const void* a, std::size_t n) const { races::touch_block(a, n, false, routine, caller); }
  void write(const void* a, std::size_t n) const { races::touch_block(a, n, true, routine, caller); }
  void read_string(const char* s) const {
    if (races::watched.contain(s)) read(s, std::strlen(s) + 1);
  }
  void read_string(const char* s, std::size_t most) const {
    if (races::watched.contain(s)) read(s, std::min(most, strnlen(s, most) + 1));
  }
  void write_string(const char* s) const {
    if (races::watched.contain(s)) write(s, std::strlen(s) + 1);
  }
  // Up to the first byte in which `compare` finds a difference.
  void compare(const char* a, const char* b, std::size_t most, bool strings) const {
    if (!races::watched.contain(a) && !races::watched.contain(b)) return;
    std::size_t n = 0;
    while (n < most && a[n] == b[n] && (!strings || a[n] != 0)) ++n;
    read(a, std::min(most, n + 1));
    read(b, std::min(most, n + 1));
  }
  void copy_string(char* to, const char* from) const {
    if (!races::watched.contain(to) && !races::watched.contain(from)) return;
    const std::size_t n = std::strlen(from) + 1;
    read(from, n);
    write(to, n);
  }
  void append_string(char* to, const char* from, std::size_t most) const {
    if (!races::watched.contain(to) && !races::watched.contain(from)) return;
    const std::size_t there = std::strlen(to), n = strnlen(from, most);
    read(from, std::min(most, n + 1));
    read(to, there + 1);
    write(to + there, n + 1);
  }
  void copy(void* to, const void* from, std::size_t n) const {
    read(from, n);
    write(to, n);
  }
};

constexpr std::size_t no_limit = ~std::size_t{0};

}  // namespace

// `name` is called with `arguments` after `uses`, which says through `of` what it accesses.
#define WRAP_AS(result, symbol, name, parameters, arguments, ...) \
  EXPORT result __wrap_##symbol parameters {                      \
    const use of{races::library_call(#name), CALLER};             \
    __VA_ARGS__;                                                  \
    return name arguments;                                        \
  }
#define WRAP(result, name, parameters, arguments, ...) WRAP_AS(result, name, name, parameters, arguments, __VA_ARGS__)
// The same for a call whose result says how much it has accessed.
#define WRAP_AFTER_AS(result, symbol, name, parameters, arguments, ...) \
  EXPORT result __wrap_##symbol parameters {                            \
    const use of{races::library_call(#name), CALLER};                   \
    const auto outcome = name arguments;                                \
    __VA_ARGS__;                                                        \
    return outcome;                                                     \
  }
#define WRAP_AFTER(result, name, parameters, arguments, ...) \
  WRAP_AFTER_AS(result, name, name, parameters, arguments, __VA_ARGS__)

// Calls of liboshen and of this library are none of the program. Before its start there is no program.
#define STANDS_BEFORE(result, name, parameters, arguments, ...)    \
  EXPORT result name parameters {                                  \
    static std::atomic<result(*) parameters> next;                 \
    if (races::of_this_pe.active() && races::is_program(CALLER)) { \
      const use of{races::library_call(#name), CALLER};            \
      __VA_ARGS__;                                                 \
    }                                                              \
    return races::next_function(next, #name) arguments;            \
  }
#define STANDS_BEFORE_AFTER(result, name, parameters, arguments, ...) \
  EXPORT result name parameters {                                     \
    static std::atomic<result(*) parameters> next;                    \
    const auto outcome = races::next_function(next, #name) arguments; \
    if (races::of_this_pe.active() && races::is_program(CALLER)) {    \
      const use of{races::library_call(#name), CALLER};               \
      __VA_ARGS__;                                                    \
    }                                                                 \
    return outcome;                                                   \
  }

using size = std::size_t;
using order = int (*)(const void*, const void*);
using order_with = int (*)(const void*, const void*, void*);

// ---- blocks. The checks of __NAME_chk are left out: the sizes are those of the compiler.

#define COPIES(symbol, function, ...)                                            \
  EXPORT void* __wrap_##symbol(void* to, const void* from, size n __VA_ARGS__) { \
    races::touch_block(from, n, false, races::a_copy_from, CALLER);              \
    races::touch_block(to, n, true, races::a_copy_to, CALLER);                   \
    return std::function(to, from, n);                                           \
  }
#define FILLS(symbol, ...)                                            \
  EXPORT void* __wrap_##symbol(void* to, int c, size n __VA_ARGS__) { \
    races::touch_block(to, n, true, races::a_fill, CALLER);           \
    return std::memset(to, c, n);                                     \
  }
COPIES(memcpy, memcpy, )
COPIES(memmove, memmove, )
COPIES(__memcpy_chk, memcpy, , size)
COPIES(__memmove_chk, memmove, , size)
FILLS(memset, )
FILLS(__memset_chk, , size)
WRAP(void*, mempcpy, (void* to, const void* from, size n), (to, from, n), of.copy(to, from, n))
WRAP_AS(void*, __mempcpy_chk, mempcpy, (void* to, const void* from, size n, size), (to, from, n), of.copy(to, from, n))
STANDS_BEFORE(void, bcopy, (const void* from, void* to, size n) noexcept, (from, to, n), of.copy(to, from, n))
STANDS_BEFORE(void, bzero, (void* to, size n) noexcept, (to, n), of.write(to, n))
STANDS_BEFORE(int, bcmp, (const void* a, const void* b, size n) noexcept, (a, b, n),
              of.compare(static_cast<const char*>(a), static_cast<const char*>(b), n, false))
WRAP_AFTER(const void*, memchr, (const void* a, int c, size n), (a, c, n),
           of.read(a, outcome == nullptr
                          ? n
                          : static_cast<size>(static_cast<const char*>(outcome) - static_cast<const char*>(a)) + 1))

// ---- strings

WRAP(char*, strcpy, (char* to, const char* from), (to, from), of.copy_string(to, from))
WRAP(char*, stpcpy, (char* to, const char* from), (to, from), of.copy_string(to, from))
WRAP_AS(char*, __strcpy_chk, strcpy, (char* to, const char* from, size), (to, from), of.copy_string(to, from))
WRAP_AS(char*, __stpcpy_chk, stpcpy, (char* to, const char* from, size), (to, from), of.copy_string(to, from))
#define BOUNDED(symbol, name, ...)                                                              \
  WRAP_AS(char*, symbol, name, (char* to, const char* from, size n __VA_ARGS__), (to, from, n), \
          of.read_string(from, n), of.write(to, n))
BOUNDED(strncpy, strncpy, )
BOUNDED(stpncpy, stpncpy, )
BOUNDED(__strncpy_chk, strncpy, , size)
BOUNDED(__stpncpy_chk, stpncpy, , size)
WRAP(char*, strcat, (char* to, const char* from), (to, from), of.append_string(to, from, no_limit))
WRAP(char*, strncat, (char* to, const char* from, size n), (to, from, n), of.append_string(to, from, n))
WRAP_AS(char*, __strcat_chk, strcat, (char* to, const char* from, size), (to, from),
        of.append_string(to, from, no_limit))
WRAP_AS(char*, __strncat_chk, strncat, (char* to, const char* from, size n, size), (to, from, n),
        of.append_string(to, from, n))

// ---- what only reads

#include "shared/library_reads.def"

// ---- arrays

WRAP(void, qsort, (void* a, size n, size width, order compare), (a, n, width, compare), of.write(a, n* width))
STANDS_BEFORE(void, qsort_r, (void* a, size n, size width, order_with compare, void* with),
              (a, n, width, compare, with), of.write(a, n* width))
// It reads the elements that it compares: the callback is code of the program.
WRAP(void*, bsearch, (const void* key, const void* a, size n, size width, order compare), (key, a, n, width, compare),
     of.read(key, 1))

// ---- input and output

WRAP_AFTER(size, fread, (void* a, size width, size n, FILE* from), (a, width, n, from), of.write(a, width* outcome))
WRAP_AFTER_AS(size, __fread_chk, fread, (void* a, size, size width, size n, FILE* from), (a, width, n, from),
              of.write(a, width* outcome))
WRAP_AFTER(char*, fgets, (char* a, int n, FILE* from), (a, n, from), if (outcome != nullptr) of.write_string(a))
WRAP_AFTER_AS(char*, __fgets_chk, fgets, (char* a, size, int n, FILE* from), (a, n, from),
              if (outcome != nullptr) of.write_string(a))
#define MOVED(access, a) \
  if (outcome > 0) of.access(a, static_cast<size>(outcome))
STANDS_BEFORE_AFTER(ssize_t, read, (int file, void* a, size n), (file, a, n), MOVED(write, a))
WRAP_AFTER_AS(ssize_t, __read_chk, read, (int file, void* a, size n, size), (file, a, n), MOVED(write, a))
STANDS_BEFORE_AFTER(ssize_t, pread, (int file, void* a, size n, off_t at), (file, a, n, at), MOVED(write, a))
WRAP_AFTER_AS(ssize_t, __pread_chk, pread, (int file, void* a, size n, off_t at, size), (file, a, n, at),
              MOVED(write, a))
STANDS_BEFORE_AFTER(ssize_t, recv, (int socket, void* a, size n, int flags), (socket, a, n, flags), MOVED(write, a))
WRAP_AFTER_AS(ssize_t, __recv_chk, recv, (int socket, void* a, size n, size, int flags), (socket, a, n, flags),
              MOVED(write, a))
STANDS_BEFORE(ssize_t, write, (int file, const void* a, size n), (file, a, n), of.read(a, n))
STANDS_BEFORE(ssize_t, pwrite, (int file, const void* a, size n, off_t at), (file, a, n, at), of.read(a, n))
STANDS_BEFORE(ssize_t, send, (int socket, const void* a, size n, int flags), (socket, a, n, flags), of.read(a, n))
STANDS_BEFORE(ssize_t, writev, (int file, const iovec* parts, int n), (file, parts, n),
              for (int i = 0; i < n; ++i) of.read(parts[i].iov_base, parts[i].iov_len))
STANDS_BEFORE_AFTER(
    ssize_t, readv, (int file, const iovec* parts, int n), (file, parts, n),
    size left = outcome > 0 ? static_cast<size>(outcome) : 0;
    for (int i = 0; i < n && left != 0; ++i) {
      const size here = std::min(left, parts[i].iov_len);
      of.write(parts[i].iov_base, here);
      left -= here;
    })

// The text that is written. What the format reads is not followed.
#define PRINTS(symbol, name, next, parameters, arguments) \
  EXPORT int __wrap_##symbol parameters {                 \
    const use of{races::library_call(#name), CALLER};     \
    std::va_list words;                                   \
    va_start(words, format);                              \
    const int outcome = next arguments;                   \
    va_end(words);                                        \
    if (outcome >= 0 && limit != 0) of.write_string(to);  \
    return outcome;                                       \
  }
#define PRINTS_WORDS(symbol, name, parameters, arguments) \
  EXPORT int __wrap_##symbol parameters {                 \
    const use of{races::library_call(#name), CALLER};     \
    const int outcome = name arguments;                   \
    if (outcome >= 0 && limit != 0) of.write_string(to);  \
    return outcome;                                       \
  }
namespace {
constexpr size limit = 1;  // of the functions that have none
}
PRINTS(sprintf, sprintf, vsprintf, (char* to, const char* format, ...), (to, format, words))
PRINTS(snprintf, snprintf, vsnprintf, (char* to, size limit, const char* format, ...), (to, limit, format, words))
PRINTS(__sprintf_chk, sprintf, vsprintf, (char* to, int, size, const char* format, ...), (to, format, words))
PRINTS(__snprintf_chk, snprintf, vsnprintf, (char* to, size limit, int, size, const char* format, ...),
       (to, limit, format, words))
PRINTS_WORDS(vsprintf, vsprintf, (char* to, const char* format, std::va_list words), (to, format, words))
PRINTS_WORDS(vsnprintf, vsnprintf, (char* to, size limit, const char* format, std::va_list words),
             (to, limit, format, words))

// ---- statements of Fortran

namespace {

// The start of gfortran's array descriptor.
struct fortran_array {
  char* base;
  size offset;
  size element;
  int version;
  signed char rank, type;
  short attribute;
  std::ptrdiff_t span;
  struct {
    std::ptrdiff_t stride, lower, upper;
  } dimensions[];
};

// The elements of the first dimension, or all of them if they are adjacent; then those of the others.
void touch_array(const fortran_array& a, int dimension, char* at, bool writes, const use& of) {
  const std::ptrdiff_t span = a.span != 0 ? a.span : static_cast<std::ptrdiff_t>(a.element);
  if (dimension < 0) return writes ? of.write(at, a.element) : of.read(at, a.element);
  const auto& d = a.dimensions[dimension];
  const std::ptrdiff_t n = d.upper - d.lower + 1;
  if (n <= 0) return;
  if (dimension == 0 && d.stride == 1) {
    const size bytes = static_cast<size>(n) * a.element;
    return writes ? of.write(at, bytes) : of.read(at, bytes);
  }
  for (std::ptrdiff_t i = 0; i < n; ++i) touch_array(a, dimension - 1, at + i * d.stride * span, writes, of);
}

}  // namespace

// `_write`: the statement is a write, which reads its objects.
#define TRANSFERS(type, parameters, arguments, n)                               \
  EXPORT void __wrap__gfortran_transfer_##type parameters {                     \
    static std::atomic<void(*) parameters> next;                                \
    const use of{races::library_call("read statement"), CALLER};                \
    of.write(object, n);                                                        \
    races::next_function(next, "_gfortran_transfer_" #type) arguments;          \
  }                                                                             \
  EXPORT void __wrap__gfortran_transfer_##type##_write parameters {             \
    static std::atomic<void(*) parameters> next;                                \
    const use of{races::library_call("write statement"), CALLER};               \
    of.read(object, n);                                                         \
    races::next_function(next, "_gfortran_transfer_" #type "_write") arguments; \
  }
TRANSFERS(integer, (void* statement, void* object, int bytes), (statement, object, bytes), static_cast<size>(bytes))
TRANSFERS(real, (void* statement, void* object, int bytes), (statement, object, bytes), static_cast<size>(bytes))
TRANSFERS(logical, (void* statement, void* object, int bytes), (statement, object, bytes), static_cast<size>(bytes))
TRANSFERS(complex, (void* statement, void* object, int bytes), (statement, object, bytes), 2 * static_cast<size>(bytes))
TRANSFERS(character, (void* statement, void* object, size bytes), (statement, object, bytes), bytes)

#define TRANSFERS_ARRAY(symbol, statement_name, writes)                                       \
  EXPORT void __wrap_##symbol(void* statement, fortran_array* array, int kind, size length) { \
    static std::atomic<void (*)(void*, fortran_array*, int, size)> next;                      \
    const use of{races::library_call(statement_name), CALLER};                                \
    touch_array(*array, array->rank - 1, array->base, writes, of);                            \
    races::next_function(next, #symbol)(statement, array, kind, length);                      \
  }
TRANSFERS_ARRAY(_gfortran_transfer_array, "read statement", true)
TRANSFERS_ARRAY(_gfortran_transfer_array_write, "write statement", false)
