// The part of the PMIx standard's binary interface (3.0 and later) that the client needs, so that the build needs
// neither its headers nor its library. A test compares it with pmix.h if that is installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::bootstrap::pmix_abi {

inline constexpr std::uint32_t rank_wildcard = UINT32_MAX - 1;
inline constexpr std::uint16_t type_bool = 1, type_string = 3, type_int = 6, type_uint32 = 14;
inline constexpr int error_timeout = -24;
inline constexpr std::uint8_t scope_global = 3;

struct proc {
  char nspace[256];
  std::uint32_t rank;
};

struct value {
  std::uint16_t type;
  union {
    bool flag;
    char* string;
    int integer;
    std::uint32_t uint32;
    struct {
      char* name;
      char* value;
      char separator;
    } largest;
  };
};

struct info {
  char name[512];
  std::uint32_t directives;
  pmix_abi::value content;
};

struct routines {
  int (*init)(proc*, info*, std::size_t);
  int (*initialized)();
  int (*finalize)(const info*, std::size_t);
  int (*abort)(int, const char*, proc*, std::size_t);
  int (*put)(std::uint8_t, const char*, value*);
  int (*commit)();
  int (*fence)(const proc*, std::size_t, const info*, std::size_t);
  int (*get)(const proc*, const char*, const info*, std::size_t, value**);
  const char* (*error_string)(int);
};

}  // namespace oshen::bootstrap::pmix_abi
