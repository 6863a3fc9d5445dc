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
  // Gives the program private variables again, with their present values. False: they still are the slice's.
  bool give_back();

  // From the first variable to the last: holes between segments of the program are in it, but nothing is mapped there.
  os::byte_range range() const { return at_.data.whole(); }

  // The program's variables, and where in the segment's object the first of them lives.
  struct location {
    os::program_parts data;
    int fd = -1;
    std::size_t offset = 0;

    std::size_t offset_of(const os::byte_range& part) const {
      return offset + static_cast<std::size_t>(part.start - data.parts[0].start);
    }
  };

 private:
  location at_;
};

}  // namespace oshen::heap
