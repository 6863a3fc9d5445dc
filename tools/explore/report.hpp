// The report that a search prints at its end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "account.hpp"
#include "recording.hpp"

namespace explore {

struct found_output {
  std::uint64_t first = 0, orders = 0;  // the first order with it, and how many have it
};

struct search_result {
  int n_pes = 0;
  std::uint64_t orders = 0, failed = 0;
  double seconds = 0;
  std::optional<std::uint64_t> seed;                         // of orders that were chosen at random
  bool is_complete = false;                                  // All orders were run.
  std::string limit;                                         // Else why the search ended.
  std::optional<event> deepest_left;                         // Else the deepest place with other orders.
  std::set<const void*> loops;                               // Places of reads that went on without a change.
  std::map<std::vector<std::string>, found_output> outputs;  // of the PEs
};

void report_success(const search_result& found, bool any_output);
void report_failure(const search_result& found, const account& failed, bool any_output, bool is_recorded);
void report_not_modelled(const account& stopped);
void report_one(const account& order, std::uint64_t seed);
// Of a replay: the step that is not as it was recorded, and the last lines of one that is.
void report_difference(std::size_t step, const recorded_step& recorded, const account& replayed);
void report_replay(const account& replayed, const recording& order);

}  // namespace explore
