// Static data is symmetric: the executable's variables live in this PE's slice of the node segment.
//
// `adopt` copies them into the slice and maps the slice over them; the program notices nothing, and peers
// reach them like the heap. A child made by fork() gets a private copy of its own before it runs any user
// code, so that it cannot write into its parent's variables (design/node-segment.md).
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "heap/segment.hpp"
#include "os/program_data.hpp"

namespace oshen::heap {

class static_data {
 public:
  static_data() = default;
  static_data(const static_data&) = delete;
  static_data& operator=(const static_data&) = delete;

  // Takes over this process's static data as slice `slice` of `home`. One adoption at a time per process.
  status adopt(const segment& home, int slice);
  // Gives the program private variables again, with their present values.
  void give_back();

  os::byte_range range() const { return at_.range; }

  // The program's variables, and where in the segment's object they live.
  struct place {
    os::byte_range range;
    int fd = -1;
    std::size_t offset = 0;
  };

 private:
  place at_;
};

}  // namespace oshen::heap
