// The search: which orders it has visited, where others begin, and what it has found.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "machine.hpp"
#include "progress.hpp"
#include "recording.hpp"
#include "report.hpp"

namespace explore {

struct sleeper {
  actor who;
  footprint uses;
};

// A place in the current order at which another actor can go.
struct choice {
  std::size_t at = 0;  // index of the event
  std::vector<sleeper> tried;
  std::vector<actor> wanted, refused;  // refused: it cannot go here after all
  bool has(const actor& a) const {
    return std::ranges::find(wanted, a) != wanted.end() || std::ranges::find(tried, a, &sleeper::who) != tried.end();
  }
  bool can_add(const actor& a) const { return !has(a) && std::ranges::find(refused, a) == refused.end(); }
};

class searcher {
 public:
  searcher(const processes& all, const request_of_user& asked);

  int run();                           // Visits all orders, within the bounds.
  int run_one();                       // Runs one order at random, and records it.
  int repeat(const recording& order);  // Takes the steps of a recording, one after the other.

 private:
  struct segment {
    actor who;
    std::size_t steps;
  };

  void note(std::size_t i, const std::vector<std::size_t>& conflicts, const known& before);
  void note_pending();
  void reverse(const event& late, std::size_t end, const std::vector<std::size_t>& conflicts);
  bool is_needed(std::size_t k, const event& late, std::size_t end, const std::vector<std::size_t>& conflicts);
  void want(std::size_t at, const event& late, std::size_t end, const std::vector<std::size_t>& conflicts);
  void choose(std::size_t at, const std::vector<actor>& initials, const actor& preferred);
  void want_others();
  bool is_asleep(const actor& a) const;
  bool replay();
  void check_prefix();
  void check_first_order();
  void keep_prefix(std::size_t n);
  void go_on();
  void follow(std::size_t from);
  bool next_branch();
  choice& choice_at(std::size_t at);
  double done_of_known() const;
  std::vector<actor> could_go(std::size_t at) const;
  bool visit();
  void note_outcome();
  void note_failure(std::vector<stopped_program> stopped);
  std::string limit_met() const;
  std::vector<std::string> outputs() const;
  account told(std::vector<stopped_program> stopped) const;
  bool keep(const account& one) const;
  int report();

  const request_of_user& asked_;
  machine machine_;
  std::vector<choice> choices_;
  std::vector<actor> prefix_;  // of the next run, one for each event
  struct mark {
    step what;
    const void* place;
  };
  std::vector<mark> marks_;      // of the events of the prefix that an order has had already
  std::vector<sleeper> asleep_;  // before the next event
  std::map<std::size_t, std::vector<actor>> stops_;
  search_result found_;
  std::optional<account> shortest_;  // of the orders that failed
  double started_ = seconds_now(), first_failure_ = 0;
  std::mt19937_64 random_;
  bool is_redundant_ = false, is_repeated_ = false;
  progress progress_;
};

}  // namespace explore
