#include "search.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine.hpp"

namespace explore {
namespace {

struct sleeper {
  actor who;
  footprint uses;
};

// A place in the current order at which another actor can go.
struct choice {
  std::size_t at = 0;  // index of the event
  std::vector<sleeper> tried;
  std::vector<actor> wanted;
};

class searcher {
 public:
  searcher(const processes& all, const request_of_user& asked) : asked_(asked), machine_(all, asked) {
    machine_.on_event = [this](std::size_t i, const std::vector<std::size_t>& conflicts, const known& before) {
      note(i, conflicts, before);
    };
  }

  int run();

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
  std::string outcome() const;
  int report();

  const request_of_user& asked_;
  machine machine_;
  std::vector<choice> choices_;
  std::vector<actor> prefix_;    // of the next run, one for each event
  std::vector<sleeper> asleep_;  // before the next event
  std::map<std::size_t, std::vector<actor>> stops_;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> outcomes_;  // first order, count
  std::uint64_t orders_ = 0, redundant_ = 0;
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
    if (a == chosen || std::ranges::find(here.wanted, a) != here.wanted.end() ||
        std::ranges::find(here.tried, a, &sleeper::who) != here.tried.end())
      return;
  const std::vector<actor> possible = could_go(at);
  const auto can = [&](const actor& a) { return std::ranges::find(possible, a) != possible.end(); };
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
    if (a != chosen) here.wanted.push_back(a);
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
  if (asked_.every_order)
    for (const actor& a : could_go(i))
      if (a != events[i].who) {
        choice& here = choice_at(i);
        if (std::ranges::find(here.wanted, a) == here.wanted.end() &&
            std::ranges::find(here.tried, a, &sleeper::who) == here.tried.end())
          here.wanted.push_back(a);
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
  while (events.size() < prefix_.size() && machine_.end_of_order().how == ending::kind::none) {
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
  while (machine_.end_of_order().how == ending::kind::none) {
    const std::vector<actor> possible = machine_.enabled();
    stops_[machine_.events().size()] = possible;
    bool all_ended = true;
    for (int i = 0; i < asked_.n_pes; ++i) all_ended = all_ended && machine_.stopped_at(i) == nullptr;
    if (all_ended) return;
    if (possible.empty()) {
      if (machine_.release()) continue;
      machine_.fail("deadlock: no PE can go on, and nothing is in flight");
      return;
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

std::string searcher::outcome() const {
  std::string text;
  for (int i = 0; i < asked_.n_pes; ++i) text += machine_.output(i, false) + machine_.output(i, true);
  return text;
}

int searcher::report() {
  const history& events = machine_.events();
  std::printf("explore: %s\n", machine_.end_of_order().text.c_str());
  for (std::size_t i = 0; i < events.size(); ++i)
    std::printf("  %zu PE %d.%u what %d at %p\n", i, events[i].who.pe, events[i].who.number,
                static_cast<int>(events[i].said.what), events[i].said.call.place);
  std::fputs(outcome().c_str(), stdout);
  return machine_.end_of_order().status;
}

int searcher::run() {
  const double start = seconds_now();
  for (bool more = true; more; more = next_branch()) {
    is_redundant_ = false;
    const bool followed = replay();
    if (followed) go_on();
    const ending::kind how = machine_.end_of_order().how;
    machine_.end();
    if (how == ending::kind::failed || how == ending::kind::invalid) return report();
    if (!followed || is_redundant_) {
      ++redundant_;
    } else {
      ++orders_;
      auto& [first, count] = outcomes_[outcome()];
      if (count++ == 0) first = orders_;
    }
    if (asked_.most_orders != 0 && orders_ >= asked_.most_orders) break;
    if (asked_.most_seconds > 0 && seconds_now() - start >= asked_.most_seconds) break;
  }
  std::printf("explore: %llu orders, %llu redundant, %zu different outputs\n", static_cast<unsigned long long>(orders_),
              static_cast<unsigned long long>(redundant_), outcomes_.size());
  for (const auto& [text, where] : outcomes_)
    std::printf("-- order %llu, %llu orders:\n%s", static_cast<unsigned long long>(where.first),
                static_cast<unsigned long long>(where.second), text.c_str());
  std::fflush(stdout);
  return 0;
}

}  // namespace

int search(const processes& all, const request_of_user& asked) {
  const int status = searcher(all, asked).run();
  std::fflush(stdout);
  return status;
}

}  // namespace explore
