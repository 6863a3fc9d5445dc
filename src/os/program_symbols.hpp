// The variables of the executable by name, from its symbol table. OSHEN_CHECK uses them to find a range that leaves its
// variable. A stripped executable has no such table, and then no variable is found.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::os {

class program_symbols {
 public:
  struct variable {
    std::uintptr_t start = 0;
    std::size_t bytes = 0;  // 0: there is no variable
    const char* name = "";

    bool holds(std::uintptr_t address, std::size_t count) const {
      return address >= start && address - start < bytes && count <= bytes - (address - start);
    }
  };

  program_symbols() = default;
  program_symbols(const program_symbols&) = delete;
  program_symbols& operator=(const program_symbols&) = delete;

  // Reads the table of this process's executable. It stays empty if there is none, or no memory.
  void open();
  void close();

  // The variable that contains `address`.
  variable holding(std::uintptr_t address) const;

 private:
  void collect();
  void remove_nested();

  char* file_ = nullptr;  // the mapped executable; names lie in it
  std::size_t file_bytes_ = 0;
  variable* variables_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace oshen::os
