// How a route is run: in which arrays each stage leaves its results for the next, and which PE
// touches whose. Pure arithmetic.
//
// Pushed results lie where the next stage wants them: it finds all its points in its own array.
// Kept ones lie in the array of the PE that made them, or where they were before: the next stage
// gathers from everybody's arrays. A stage that leaves every point where it found it needs neither
// a second array nor fresh cache lines.
#pragma once

#include <vector>

#include "route.hpp"

namespace oshen::fft {

// What a PE may do with the memory of others in one direction of a transform.
struct peer_access {
  bool direct = true;   // reads and writes their work arrays; else exchange plans move the data
  bool output = false;  // reads and writes the caller's output there: it is symmetric by promise
};

// Which array of a PE holds the data between two stages.
enum class array {
  same,   // that from which the stage read
  other,  // the other work array
  output
};

struct step {
  layout written;  // the boxes of the arrays into which the stage writes, by PE
  layout read;     // of those from which the next one reads: the same unless a plan moves the data
  array where = array::other;
  bool syncs = true;           // PEs wait for one another before the next stage
  bool only_own = false;       // no PE writes into another's array
  bool own_to_output = false;  // what one's own output needs goes there at once

  bool operator==(const step&) const = default;
};

// One for each exchange of the route.
std::vector<step> steps_of(const route& way, const peer_access& may);

// The first stage writes to the caller's output while it still reads the caller's input, in another
// order or size of elements: they must not overlap.
bool needs_input_apart(const route& way, const std::vector<step>& steps);

// Others touch the caller's output.
bool shares_output(const std::vector<step>& steps);

// After the last sync nobody reads another PE's array.
bool ends_at_home(const route& way, const std::vector<step>& steps);

// Whether stage e goes on to the other of the two work arrays. at_home: all routes that use them
// end there; a PE may then fill its own anew.
bool swaps(const std::vector<step>& steps, std::size_t e, bool at_home);

// Points that lie in the array of a PE.
struct piece {
  int pe;
  box part;
  box whole;  // the array
};

// From where stage `s` reads on PE `me`, and to where it writes; the next PE first, oneself last.
std::vector<piece> sources_of(const route& way, const std::vector<step>& steps, std::size_t s,
                              int me);
std::vector<piece> targets_of(const route& way, const std::vector<step>& steps, std::size_t s,
                              int me);

// PEs that touch an array that `me` touches too, its own included: those it has to meet.
std::vector<int> partners_of(const route& way, const std::vector<step>& steps, int me);
// For a way and the way back, which may need others: both sync with all of them, so that syncs are counted together.
std::vector<int> partners_of(const route& way, const std::vector<step>& steps, const route& back,
                             const std::vector<step>& steps_back, int me);

}  // namespace oshen::fft
