// Places of the program in its source, and names of its variables. For reports only: it starts addr2line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace explore {

// The place of a return address in its file, the same in every run: "a.out+0x1234".
std::string place_in_file(const void* address);

class places {
 public:
  // Starts addr2line once for each file.
  explicit places(const std::vector<const void*>& addresses);
  std::string text(const void* address) const;  // "ring.c:12", or the place in the file without debug information

 private:
  void resolve(const std::string& path, std::uint64_t base, const std::vector<const void*>& addresses);
  std::map<const void*, std::string> lines_;
};

// The static variables of the executable, and the symmetric heap.
class variables {
 public:
  variables();
  // "flag", "x[3]" of elements of `bytes` bytes, "x+100", "heap+0x40" or "a private buffer".
  std::string name(std::uint64_t address, std::size_t bytes) const;

 private:
  struct variable {
    std::uint64_t begin, bytes;
    std::string name;
  };
  void read(std::string_view file, std::uint64_t base);
  std::vector<variable> all_;  // by address
};

}  // namespace explore
