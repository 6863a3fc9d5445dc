// Reports of races: one line for each pair of places.
#pragma once

#include <cstdint>

#include "detector.hpp"

namespace races {

// `now` of this PE races with `before`. Their memory is none for a private buffer.
void report_race(const detector& of, const race& found);
// The number of pairs of places that race, on all PEs.
std::uint32_t reports(const detector& of);
// Empties the file OSHEN_RACES_REPORT. Returns false if that cannot be written.
bool begin_report_file();
// The line at the end of the job, which PE 0 prints if there were races.
void report_end(const detector& of);

}  // namespace races
