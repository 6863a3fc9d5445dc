// An order of the steps after its processes have ended, in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "places.hpp"

namespace explore {

struct account {
  std::vector<event> events;
  std::vector<operation> operations;
  std::vector<stopped_program> stopped;
  ending end;
  std::vector<std::string> output;  // of each PE
  std::uint64_t order = 0;          // its number in the search

  // The steps, and once more each change of the actor.
  std::size_t length() const;
};

class narrator {
 public:
  explicit narrator(const account& told);

  std::string steps() const;      // a line for each
  std::string in_flight() const;  // a line for each operation that has not arrived
  std::string stopped() const;    // a line for each thread that cannot go on
  std::string stop(const stopped_program& one) const;
  std::string step(std::size_t i) const;  // without its place
  std::vector<bool> shown() const;        // the steps that say something
  std::string place(const void* address) const { return places_.text(address); }
  // A stopped thread waits for a value that was overwritten before it looked, or for a signal that came before it
  // slept.
  std::optional<std::string> lost_value() const;

 private:
  std::string of_operation(const operation& o, const std::string& value) const;
  std::string of_program(const event& e) const;
  std::string of_thread(const event& e) const;
  std::string object(std::uint64_t address, std::size_t bytes, int pe) const;
  std::optional<std::size_t> unheard(const stopped_program& sleeper) const;
  std::optional<std::pair<std::size_t, std::size_t>> overwritten(const stopped_program& waiter) const;

  const account& told_;
  places places_;
  variables variables_;
};

std::string routine_name(const explore_call& call);
std::string end_text(const ending& end);  // "kind: text", or "no error"
std::string value_text(const event& e);   // " = 1", or "" if it is long or unknown

}  // namespace explore
