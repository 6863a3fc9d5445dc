#include "search.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "searcher.hpp"

namespace explore {
namespace {

// Steps of which the second one could not go before the first one.
bool always_enables(step first, step second) {
  return second == step::set_lock && (first == step::clear_lock || first == step::sleep);
}

bool use_same_memory(const event& a, const event& b) {
  return std::ranges::any_of(a.uses, [&](const memory_use& x) {
    return std::ranges::any_of(b.uses,
                               [&](const memory_use& y) { return x.pe == y.pe && x.begin < y.end && x.end > y.begin; });
  });
}

// Whether `other` may have let `late` go, which had waited for event `first` as well.
bool may_replace(const event& first, const event& other, const event& late) {
  const bool waits_for_all = late.said.what == step::wait && late.said.condition.which == explore_all;
  return !waits_for_all || use_same_memory(first, other);
}

}  // namespace

searcher::searcher(const processes& all, const request_of_user& asked) : asked_(asked), machine_(all, asked) {
  random_.seed(asked.seed.value_or(0));
  if (asked.seed) return;
  machine_.on_event = [this](std::size_t i, const std::vector<std::size_t>& conflicts, const known& before) {
    note(i, conflicts, before);
  };
}

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
    if (o.started >= events[at].stop && o.started < at && machine_.could_arrive(o, at)) found.push_back(o.who);
  return found;
}

// `late` comes after the first `end` events, and could come before event `at`.
void searcher::want(std::size_t at, const event& late, std::size_t end, const std::vector<std::size_t>& conflicts) {
  const history& events = machine_.events();
  event last = late;
  auto all = std::make_shared<knowledge>(*late.before);
  for (const std::size_t c : conflicts)
    if (c != at && !happens_before(events[at], events[c])) join(*all, events[c]);
  last.before = all;
  // The events after `at` that do not follow from it, then `late`.
  std::vector<actor> initials;
  std::vector<std::size_t> between;
  const auto visit = [&](const event& e) {
    if (std::ranges::none_of(between, [&](std::size_t m) { return happens_before(events[m], e); }))
      initials.push_back(e.who);
  };
  for (std::size_t k = at + 1; k < end; ++k) {
    if (happens_before(events[at], events[k])) continue;
    visit(events[k]);
    between.push_back(k);
  }
  visit(last);
  choose(at, initials, late.who);
}

// One of the initials has to go in the place of event `at`.
void searcher::choose(std::size_t at, const std::vector<actor>& initials, const actor& preferred) {
  choice& here = choice_at(at);
  const actor chosen = machine_.events()[at].who;
  for (const actor& a : initials)
    if (a == chosen || here.has(a)) return;
  const std::vector<actor> possible = could_go(at);
  const auto can = [&](const actor& a) { return std::ranges::find(possible, a) != possible.end() && here.can_add(a); };
  if (std::ranges::find(initials, preferred) != initials.end() && can(preferred)) {
    here.wanted.push_back(preferred);
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
  reverse(alone, i, conflicts);
  // Steps that use no memory need no alternatives.
  if (asked_.every_order && !events[i].uses.empty())
    for (const actor& a : could_go(i))
      if (a != events[i].who) {
        choice& here = choice_at(i);
        if (here.can_add(a)) here.wanted.push_back(a);
      }
}

// An order that ends while programs wait: which earlier events could come after the steps that wait?
void searcher::note_pending() {
  if (asked_.seed || asked_.every_order) return;
  for (const event& e : machine_.pending()) reverse(e, machine_.events().size(), machine_.events().in_conflict(e.uses));
}

// Whether `late` could not go without event k.
bool searcher::is_needed(std::size_t k, const event& late, std::size_t end, const std::vector<std::size_t>& conflicts) {
  const history& events = machine_.events();
  // A lock cannot be taken before its release, but before it was taken by another program.
  if (always_enables(events[k].said.what, late.said.what)) return true;
  // Only the call at which the program was stopped may have waited for an earlier event. A quiet waits for none that it
  // is in conflict with.
  if (!late.who.is_program() || !is_blocking(late.said.what) || late.said.what == step::quiet) return false;
  if (!machine_.blocked_since(late.who, k)) return false;
  // It may have waited for something else that does not follow from event k: another event in conflict, or what a fence
  // puts before it.
  for (const std::size_t other : conflicts)
    if (other > k && !happens_before(events[k], events[other]) && may_replace(events[k], events[other], late))
      return false;
  for (std::size_t other = k + 1; other < end; ++other)
    if (happens_before(events[other], late) && !happens_before(events[k], events[other])) return false;
  return true;
}

void searcher::reverse(const event& late, std::size_t end, const std::vector<std::size_t>& conflicts) {
  const history& events = machine_.events();
  const auto enables = [&](std::size_t k) { return is_needed(k, late, end, conflicts); };
  for (const std::size_t at : conflicts) {
    if (happens_before(events[at], late)) continue;
    if (enables(at)) continue;
    const bool is_covered = std::ranges::any_of(
        conflicts, [&](std::size_t k) { return k != at && happens_before(events[at], events[k]) && !enables(k); });
    if (!is_covered) want(at, late, end, conflicts);
  }
}

// A failure ends the order, so the other actors take no more steps whose conflicts could be noted. They do so in orders
// in which they go before the last step.
void searcher::want_others() {
  const history& events = machine_.events();
  if (asked_.seed || events.size() == 0) return;
  const std::size_t last = events.size() - 1;
  const std::vector<actor> possible = could_go(last);
  choice& here = choice_at(last);
  for (const actor& a : possible)
    if (a != events[last].who && here.can_add(a)) here.wanted.push_back(a);
}

// Sleeping actors at the choices of the prefix.
void searcher::follow(std::size_t at) {
  if (asked_.every_order) return;
  const auto place = std::ranges::lower_bound(choices_, at, {}, &choice::at);
  if (place == choices_.end() || place->at != at) return;
  for (const sleeper& s : place->tried) asleep_.push_back(s);
}

bool searcher::is_asleep(const actor& a) const { return std::ranges::find(asleep_, a, &sleeper::who) != asleep_.end(); }

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
    if (is_asleep(next)) return false;  // These orders were visited.
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
    if (machine_.all_ended()) return;
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
    const auto next = std::ranges::find_if(possible, [&](const actor& a) { return !is_asleep(a); });
    if (next == possible.end()) {
      is_redundant_ = true;
      return;
    }
    machine_.go(*next, ~std::uint64_t{0});
  }
}

// The next order begins with the first n events of this one.
void searcher::keep_prefix(std::size_t n) {
  const history& events = machine_.events();
  prefix_.clear();
  marks_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    prefix_.push_back(events[i].who);
    marks_.push_back({events[i].said.what, events[i].said.call.place});
  }
}

// The same beginning must have the same steps. Otherwise orders would be left out.
void searcher::check_prefix() {
  const history& events = machine_.events();
  for (std::size_t i = 0; i < std::min(events.size(), marks_.size()); ++i) {
    const event& e = events[i];
    if (e.who == prefix_[i] && e.said.what == marks_[i].what && e.said.call.place == marks_[i].place) continue;
    return machine_.stop_as_invalid(name_of(e.who) +
                                        " takes other steps in the same order: expected a program that does not "
                                        "depend on random numbers, process numbers or files that it changes",
                                    e.said.call.place);
  }
}

// Runs order 1 once more: its steps and outputs must be the same.
void searcher::check_first_order() {
  const std::vector<std::string> before = outputs();
  const std::size_t n = machine_.events().size();
  keep_prefix(n);
  const bool followed = replay();
  if (followed) go_on();
  machine_.end();
  if (machine_.end_of_order().how == ending::result::cut) return;
  check_prefix();
  prefix_.clear();
  marks_.clear();
  const std::vector<std::string> now = outputs();
  if (machine_.end_of_order().how == ending::result::invalid || asked_.any_output || now == before) return;
  const auto pe = std::ranges::mismatch(before, now).in1 - before.begin();
  machine_.stop_as_invalid(
      "PE " + std::to_string(pe) +
      " prints something else in the same order: expected an output that does not depend on random numbers, "
      "process numbers or files that it changes; or use --any-output");
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
    keep_prefix(last.at);
    prefix_.push_back(next);
    return true;
  }
  return false;
}

// Runs one order. False: the search cannot go on.
bool searcher::visit() {
  is_redundant_ = false;
  const bool followed = replay();
  check_prefix();
  if (followed) go_on();
  const ending::result how = machine_.end_of_order().how;
  std::vector<stopped_program> stopped;
  const bool is_deadlock = how == ending::result::failed && machine_.end_of_order().kind == deadlock;
  if (is_deadlock) stopped = machine_.stopped_programs();
  if (how == ending::result::failed && !is_deadlock) want_others();
  if (how == ending::result::none || is_deadlock) note_pending();
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

namespace {

std::string seconds_text(double seconds) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g s", seconds);
  return text.data();
}

}  // namespace

// Why the search ends here, or "". After a failure it goes on for a while, in order to find a shorter one.
std::string searcher::limit_met() const {
  const double now = seconds_now();
  if (asked_.most_orders != 0 && found_.orders >= asked_.most_orders)
    return "--orders " + std::to_string(asked_.most_orders);
  if (asked_.most_seconds > 0 && now - started_ >= asked_.most_seconds)
    return "--timeout " + seconds_text(asked_.most_seconds);
  if (!shortest_) return "";
  const double more = std::clamp(first_failure_ - started_, 1.0, 10.0);
  return now - first_failure_ > more ? seconds_text(more) + " after the first error" : "";
}

// The part of the search that is done, if no more choices are found: each choice divides the orders equally.
double searcher::done_of_known() const {
  double done = 0, part = 1;
  for (const choice& one : choices_) {
    const auto tried = static_cast<double>(one.tried.size()), all = tried + static_cast<double>(one.wanted.size()) + 1;
    done += part * tried / all;
    part /= all;
  }
  return done + part;
}

int searcher::run() {
  do {
    bool can_go_on = visit();
    if (can_go_on && found_.orders == 1 && !is_repeated_ && !shortest_ && limit_met().empty()) {
      is_repeated_ = true;
      check_first_order();
      can_go_on = machine_.end_of_order().how != ending::result::invalid;
    }
    if (!can_go_on) {
      progress_.clear();
      report_not_modelled(told({}));
      return machine_.end_of_order().status;
    }
    found_.limit = limit_met();
    if (!found_.limit.empty()) return report();
    if (!asked_.seed) progress_.show(found_.orders, done_of_known());
  } while (asked_.seed || next_branch());
  found_.is_complete = true;
  return report();
}

int search(const processes& all, const request_of_user& asked, const recording* order) {
  searcher one(all, asked);
  const int status = order != nullptr ? one.repeat(*order) : asked.only_one ? one.run_one() : one.run();
  std::fflush(stdout);
  return status;
}

}  // namespace explore
