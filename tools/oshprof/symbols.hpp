// Which function an address belongs to. The full symbol table of the file knows functions that are not exported, too;
// dladdr would put the nearest exported name in their place.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace oshprof {

struct function {
  const void* start = nullptr;  // the address itself where no function is known
  std::string name;             // readable; "" where none is known
  std::string file;
  std::uintptr_t offset = 0;    // of the address in the file, for addr2line
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
