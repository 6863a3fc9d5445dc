// Makes static data symmetric: the executable's variables are moved to this PE's slice of the node segment.
//
// `adopt` copies them into the slice and maps the slice over them. Their addresses stay the same, and peers access them
// like the heap. A child made by fork() gets a private copy before it runs any user code, so that it cannot write to
// its parent's variables (design/node-segment.md).
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

  // Moves this process's static data to slice `slice` of `home`. A process can do this for one segment at a time.
  status adopt(const segment& home, int slice);
  // Makes the variables private again, with their present values. False if they remain in the slice.
  bool give_back();

  // The range from the first variable to the last. It includes the unmapped holes between segments of the program.
  os::memory_range range() const { return at_.program.whole(); }

  // The program's variables, and the offset of the first of them in the segment's object.
  struct location {
    os::program_parts program;
    int fd = -1;
    std::size_t offset = 0;

    std::size_t offset_of(const os::memory_range& part) const {
      return offset + static_cast<std::size_t>(part.start - program.parts[0].start);
    }
  };

 private:
  location at_;
};

}  // namespace oshen::heap
