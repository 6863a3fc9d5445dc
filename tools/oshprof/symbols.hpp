// Finds the function of an address. The full symbol table of the file includes functions that are not exported, which
// dladdr does not know.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace oshprof {

struct function {
  const void* start = nullptr;  // the address itself if no function is known
  std::string name;             // demangled; "" if unknown
  std::string file;
  std::uintptr_t offset = 0;  // of the address in the file, for the debug file
};

class symbols {
 public:
  function find(const void* address);

 private:
  struct symbol {
    std::uintptr_t start, size;  // in the file
    std::string name;
  };
  const std::vector<symbol>& table_of(const char* file);

  std::map<std::string, std::vector<symbol>> tables_;  // sorted by start
};

}  // namespace oshprof
