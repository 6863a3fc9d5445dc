// Programs of this folder report errors of the library by CHECK(condition, "the wrong result", ...).
//
// A failing check names the line and the PE, and ends the whole job with status 1, so that no PE waits for one that has
// ended.
#pragma once

#include <shmem.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC_AT_LEAST(major, minor) \
  (SHMEM_MAJOR_VERSION > (major) || (SHMEM_MAJOR_VERSION == (major) && SHMEM_MINOR_VERSION >= (minor)))

#define CHECK(condition, ...)                                                    \
  do {                                                                           \
    if (!(condition)) check_failed(__FILE__, __LINE__, #condition, __VA_ARGS__); \
  } while (0)

static inline int check_inside_library(void) {
  int initialized = 1;
#if SPEC_AT_LEAST(1, 6)
  shmem_query_initialized(&initialized);
#endif
  return initialized;
}

__attribute__((format(printf, 4, 5), noreturn)) static inline void check_failed(const char* file, int line,
                                                                                const char* condition,
                                                                                const char* format, ...) {
  const int inside = check_inside_library();
  char detail[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s:%d: PE %d of %d: not true: %s: %s\n", file, line, inside ? shmem_my_pe() : -1,
          inside ? shmem_n_pes() : -1, condition, detail);
  fflush(NULL);
  if (inside) shmem_global_exit(1);
  _Exit(1);
}

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
