#include "search.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "machine.hpp"
#include "recording.hpp"
#include "report.hpp"

namespace explore {
namespace {

constexpr int bad_bound = 2, bad_replay = 3;

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
  searcher(const processes& all, const request_of_user& asked) : asked_(asked), machine_(all, asked) {
    random_.seed(asked.seed.value_or(0));
    if (asked.seed) return;
    machine_.on_event = [this](std::size_t i, const std::vector<std::size_t>& conflicts, const known& before) {
      note(i, conflicts, before);
    };
  }

  int run();
  int repeat(const recording& order);

 private:
  struct segment {
    actor who;
    std::size_t steps;
  };

  void note(std::size_t i, const std::vector<std::size_t>& conflicts, const known& before);
  void want(std::size_t at, std::size_t i, const known& before, const std::vector<std::size_t>& conflicts);
  bool replay();
  void go_on();
  void follow(std::size_t from);
  bool next_branch();
  choice& choice_at(std::size_t at);
  std::vector<actor> could_go(std::size_t at) const;
  bool visit();
  void note_outcome();
  void note_failure(std::vector<stopped_pe> stopped);
  bool is_bound_met() const;
  std::vector<std::string> outputs() const;
  account told(std::vector<stopped_pe> stopped) const;
  int report();

  const request_of_user& asked_;
  machine machine_;
  std::vector<choice> choices_;
  std::vector<actor> prefix_;    // of the next run, one for each event
  std::vector<sleeper> asleep_;  // before the next event
  std::map<std::size_t, std::vector<actor>> stops_;
  search_result found_;
  std::optional<account> shortest_;  // of the orders that failed
  double started_ = seconds_now(), first_failure_ = 0;
  std::mt19937_64 random_;
  bool is_redundant_ = false;
};

choice& searcher::choice_at(std::size_t at) {
  const auto place = std::ranges::lower_bound(choices_, at, {}, &choice::at);
  if (place != choices_.end() && place->at == at) return *place;
  choice made;
  made.at = at;
  return *choices_.insert(place, made);
}

// The actors that could have gone in the place of event `at`.
std::vector<actor> searcher::could_go(std::size_t at) const {
  const history& events = machine_.events();
  std::vector<actor> found = stops_.at(events[at].stop);
  if (events[at].stop == at) return found;
  if (std::ranges::find(found, events[at].who) == found.end()) found.push_back(events[at].who);
  for (const operation& o : machine_.operations())
    if (o.started >= events[at].stop && o.started < at && o.after == event::none && o.epoch == 0)
      found.push_back(o.who);
  return found;
}

void searcher::want(std::size_t at, std::size_t i, const known& before, const std::vector<std::size_t>& conflicts) {
  const history& events = machine_.events();
  // The events after `at` that do not follow from it, then event i.
  std::vector<actor> initials;
  std::vector<std::size_t> between;
  for (std::size_t k = at + 1; k <= i; ++k) {
    if (k < i && happens_before(events[at], events[k])) continue;
    event last = events[k];
    if (k == i) {
      auto all = std::make_shared<knowledge>(*before);
      for (const std::size_t c : conflicts)
        if (c != at && !happens_before(events[at], events[c])) join(*all, events[c]);
      last.before = all;
    }
    if (std::ranges::none_of(between, [&](std::size_t m) { return happens_before(events[m], last); }))
      initials.push_back(events[k].who);
    between.push_back(k);
  }
  choice& here = choice_at(at);
  const actor chosen = events[at].who;
  for (const actor& a : initials)
    if (a == chosen || here.has(a)) return;
  const std::vector<actor> possible = could_go(at);
  const auto can = [&](const actor& a) { return std::ranges::find(possible, a) != possible.end() && here.can_add(a); };
  if (std::ranges::find(initials, events[i].who) != initials.end() && can(events[i].who)) {
    here.wanted.push_back(events[i].who);
    return;
  }
  for (const actor& a : initials)
    if (can(a)) {
      here.wanted.push_back(a);
      return;
    }
  for (const actor& a : possible)
    if (a != chosen && here.can_add(a)) here.wanted.push_back(a);
}

// Event i: which earlier events could come after it?
void searcher::note(std::size_t i, const std::vector<std::size_t>& conflicts, const known& before) {
  const history& events = machine_.events();
  std::erase_if(asleep_, [&](const sleeper& s) { return s.who == events[i].who || conflict(s.uses, events[i].uses); });
  event alone = events[i];
  alone.before = before;
  // Only the call at which the program was stopped may have waited for an earlier event.
  const bool may_wait = events[i].who.is_program() && is_blocking(events[i].said.what);
  // A lock cannot be taken before its release, but before it was taken by another PE.
  const auto enables = [&](std::size_t k) {
    return (may_wait && machine_.blocked_since(events[i].who.pe, k)) ||
           (events[i].said.what == step::set_lock && events[k].said.what == step::clear_lock);
  };
  for (const std::size_t at : conflicts) {
    if (happens_before(events[at], alone)) continue;
    if (enables(at)) continue;
    const bool is_covered = std::ranges::any_of(
        conflicts, [&](std::size_t k) { return k != at && happens_before(events[at], events[k]) && !enables(k); });
    if (!is_covered) want(at, i, before, conflicts);
  }
  // Steps that use no memory need no alternatives.
  if (asked_.every_order && !events[i].uses.empty())
    for (const actor& a : could_go(i))
      if (a != events[i].who) {
        choice& here = choice_at(i);
        if (here.can_add(a)) here.wanted.push_back(a);
      }
}

// Sleeping actors at the choices of the prefix.
void searcher::follow(std::size_t at) {
  if (asked_.every_order) return;
  const auto place = std::ranges::lower_bound(choices_, at, {}, &choice::at);
  if (place == choices_.end() || place->at != at) return;
  for (const sleeper& s : place->tried) asleep_.push_back(s);
}

// False: the prefix cannot be followed.
bool searcher::replay() {
  machine_.begin();
  asleep_.clear();
  stops_.clear();
  const history& events = machine_.events();
  while (events.size() < prefix_.size() && machine_.end_of_order().how == ending::result::none) {
    const std::size_t at = events.size();
    const actor next = prefix_[at];
    std::size_t steps = 1;
    follow(at);
    const auto has_choice = [&](std::size_t i) {
      const auto place = std::ranges::lower_bound(choices_, i, {}, &choice::at);
      return place != choices_.end() && place->at == i;
    };
    if (next.is_program())
      while (at + steps < prefix_.size() && prefix_[at + steps] == next && !has_choice(at + steps)) ++steps;
    stops_[at] = machine_.enabled();
    if (!machine_.is_enabled(next) && !machine_.release()) return false;
    if (!machine_.is_enabled(next)) return false;
    machine_.go(next, steps);
    // A program also stops at each call that the scheduler carries out.
    if (events.size() > at + steps || events.size() == at) return false;
  }
  return true;
}

void searcher::go_on() {
  while (machine_.end_of_order().how == ending::result::none) {
    if (machine_.cut_if_late()) return;
    const std::vector<actor> possible = machine_.enabled();
    stops_[machine_.events().size()] = possible;
    bool all_ended = true;
    for (int i = 0; i < asked_.n_pes; ++i) all_ended = all_ended && machine_.stopped_at(i) == nullptr;
    if (all_ended) return;
    if (possible.empty()) {
      if (machine_.finish()) return;
      if (machine_.release()) continue;
      machine_.fail(deadlock, "no PE can go on, and nothing is in flight");
      return;
    }
    if (asked_.seed) {
      machine_.go(possible[random_() % possible.size()], 1);
      continue;
    }
    const auto next = std::ranges::find_if(
        possible, [&](const actor& a) { return std::ranges::find(asleep_, a, &sleeper::who) == asleep_.end(); });
    if (next == possible.end()) {
      is_redundant_ = true;
      return;
    }
    machine_.go(*next, ~std::uint64_t{0});
  }
}

// Chooses the prefix of the next order. False: there is none.
bool searcher::next_branch() {
  const history& events = machine_.events();
  while (!choices_.empty()) {
    choice& last = choices_.back();
    if (last.at >= events.size() && prefix_.size() == last.at + 1) last.refused.push_back(prefix_.back());
    if (last.at < events.size())
      if (const event& e = events[last.at]; std::ranges::find(last.tried, e.who, &sleeper::who) == last.tried.end())
        last.tried.push_back({e.who, e.uses});
    if (last.wanted.empty()) {
      choices_.pop_back();
      continue;
    }
    const actor next = last.wanted.back();
    last.wanted.pop_back();
    prefix_.resize(last.at);
    for (std::size_t i = 0; i < last.at; ++i) prefix_[i] = events[i].who;
    prefix_.push_back(next);
    return true;
  }
  return false;
}

std::vector<std::string> searcher::outputs() const {
  std::vector<std::string> all;
  for (int i = 0; i < asked_.n_pes; ++i) all.push_back(machine_.output(i, false) + machine_.output(i, true));
  return all;
}

account searcher::told(std::vector<stopped_pe> stopped) const {
  return {machine_.events().all(),
          machine_.operations(),
          std::move(stopped),
          machine_.end_of_order(),
          outputs(),
          found_.orders};
}

void searcher::note_failure(std::vector<stopped_pe> stopped) {
  if (found_.failed++ == 0) first_failure_ = seconds_now();
  account one = told(std::move(stopped));
  // Any other failure says more than a different output.
  const auto rank = [](const account& of) { return std::pair(of.end.kind == differing, of.length()); };
  if (!shortest_ || rank(one) < rank(*shortest_)) shortest_ = std::move(one);
}

// An order that came to its end.
void searcher::note_outcome() {
  found_output& here = found_.outputs[outputs()];
  if (here.orders++ == 0) here.first = found_.orders;
  if (asked_.any_output || here.first == 1) return;
  machine_.fail(differing, "the output is not that of order 1");
  note_failure({});
}

// Runs one order. False: the search cannot go on.
bool searcher::visit() {
  is_redundant_ = false;
  const bool followed = replay();
  if (followed) go_on();
  const ending::result how = machine_.end_of_order().how;
  std::vector<stopped_pe> stopped;
  if (how == ending::result::failed && machine_.end_of_order().kind == deadlock) stopped = machine_.stopped_pes();
  machine_.end();
  found_.loops.insert(machine_.released().begin(), machine_.released().end());
  if (how == ending::result::invalid) return false;
  if (how == ending::result::cut) return true;
  if (how != ending::result::failed && (!followed || is_redundant_)) return true;
  ++found_.orders;
  if (how == ending::result::failed)
    note_failure(std::move(stopped));
  else
    note_outcome();
  return true;
}

// After a failure the search goes on for a while, in order to find a shorter one.
bool searcher::is_bound_met() const {
  const double now = seconds_now();
  if (asked_.most_orders != 0 && found_.orders >= asked_.most_orders) return true;
  if (asked_.most_seconds > 0 && now - started_ >= asked_.most_seconds) return true;
  return shortest_ && now - first_failure_ > std::clamp(first_failure_ - started_, 1.0, 10.0);
}

int searcher::report() {
  found_.n_pes = asked_.n_pes;
  found_.seed = asked_.seed;
  found_.seconds = seconds_now() - started_;
  const auto left = std::find_if(choices_.rbegin(), choices_.rend(), [](const choice& c) { return !c.wanted.empty(); });
  if (!found_.is_complete && left != choices_.rend()) found_.deepest_left = machine_.events()[left->at];
  if (!shortest_) {
    report_success(found_, asked_.any_output);
    return found_.orders == 0 ? bad_bound : 0;
  }
  const bool is_recorded = !asked_.record.empty();
  report_failure(found_, *shortest_, is_recorded);
  if (is_recorded && !write_recording(asked_.record, *shortest_, asked_.n_pes))
    std::printf("explore: --record %s: cannot write: %s\n", asked_.record.c_str(), std::strerror(errno));
  else if (is_recorded)
    std::printf("explore: --record %s: written; oshrun --replay %s repeats this order\n", asked_.record.c_str(),
                asked_.record.c_str());
  return shortest_->end.status;
}

int searcher::run() {
  do {
    if (!visit()) {
      report_not_modelled(told({}));
      return machine_.end_of_order().status;
    }
    if (is_bound_met()) return report();
  } while (asked_.seed || next_branch());
  found_.is_complete = true;
  return report();
}

// The steps of a recording, one after the other. The output of the program goes to the terminal.
int searcher::repeat(const recording& order) {
  for (const recorded_step& one : order.steps) prefix_.push_back(one.who);
  const bool followed = replay();
  const history& events = machine_.events();
  for (std::size_t i = 0; i < order.steps.size(); ++i) {
    const recorded_step& then = order.steps[i];
    const bool is_same =
        i < events.size() && events[i].who == then.who && place_in_file(events[i].said.call.place) == then.place;
    if (is_same) continue;
    machine_.end();
    std::vector<event> until(events.all().begin(),
                             events.all().begin() + static_cast<std::ptrdiff_t>(std::min(i + 1, events.size())));
    report_difference(i, then, {until, machine_.operations(), {}, {}, {}, 0});
    return bad_replay;
  }
  if (followed) go_on();
  std::vector<stopped_pe> stopped;
  if (machine_.end_of_order().kind == deadlock) stopped = machine_.stopped_pes();
  machine_.end();
  report_replay(told(std::move(stopped)), order);
  if (machine_.end_of_order().how == ending::result::failed) return machine_.end_of_order().status;
  return order.ending.starts_with(differing) ? 1 : 0;
}

}  // namespace

int search(const processes& all, const request_of_user& asked, const recording* order) {
  searcher one(all, asked);
  const int status = order != nullptr ? one.repeat(*order) : one.run();
  std::fflush(stdout);
  return status;
}

}  // namespace explore
