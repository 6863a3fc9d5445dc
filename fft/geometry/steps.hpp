// The steps of a route: in which arrays each stage leaves its results for the next, and which PE accesses which
// arrays. Arithmetic only.
//
// Pushed results lie in the layout of the next stage, which finds all its points in its own array. Kept results lie in
// the array of the PE that made them, or where they were read; the next stage gathers them from the arrays of all
// partners. A stage that leaves every point where it was read needs neither a second array nor fresh cache lines.
#pragma once

#include <vector>

#include "fft/geometry/route.hpp"

namespace oshen::fft {

// The memory of other PEs that a PE may access in one direction of a transform.
struct peer_access {
  bool direct = true;   // their work arrays; otherwise exchange plans move the data
  bool output = false;  // the caller's output, which is symmetric by promise
};

// The array of a PE that holds the data between two stages.
enum class array {
  same,   // the array from which the stage read
  other,  // the other work array
  output
};

struct step {
  layout written;  // boxes of the arrays into which the stage writes, by PE
  layout read;     // boxes of the arrays from which the next stage reads: the same unless a plan moves the data
  array where = array::other;
  bool syncs = true;           // PEs sync before the next stage
  bool only_own = false;       // no PE writes into another PE's array
  bool own_to_output = false;  // a PE writes the results for its own output there directly

  bool operator==(const step&) const = default;
};

// One step for each exchange of the route.
std::vector<step> steps_of(const route& chain, const peer_access& may);

// Whether the first stage writes to the caller's output while it still reads the caller's input, in another order or
// element size. Then the two must not overlap.
bool needs_input_apart(const route& chain, const std::vector<step>& steps);

// Whether other PEs access the caller's output.
bool shares_output(const std::vector<step>& steps);

// Whether no PE reads another PE's array after the last sync.
bool ends_local(const route& chain, const std::vector<step>& steps);

// Whether stage e writes to the other one of the two work arrays. ends_local: all routes that use them end local, so a
// PE may fill its own array anew.
bool swaps(const std::vector<step>& steps, std::size_t e, bool ends_local);

// Points that lie in one PE's array.
struct chunk {
  int pe;
  box points;
  box array_box;
};

// The chunks that stage `s` reads on PE `me`, and those that it writes. The next PE comes first, this PE last.
std::vector<chunk> sources_of(const route& chain, const std::vector<step>& steps, std::size_t s, int me);
std::vector<chunk> targets_of(const route& chain, const std::vector<step>& steps, std::size_t s, int me);

// The PEs that access an array which `me` accesses too, including its own: those with which it syncs.
std::vector<int> partners_of(const route& chain, const std::vector<step>& steps, int me);
// The same for a route and its reverse. Both sync with all of these PEs, so that syncs are counted together.
std::vector<int> partners_of(const route& chain, const std::vector<step>& steps, const route& back,
                             const std::vector<step>& steps_back, int me);

}  // namespace oshen::fft
