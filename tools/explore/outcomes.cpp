// Outcomes of the orders: outputs and failures, the report at the end, and the replay of one order.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "searcher.hpp"
#include "timeline.hpp"

namespace explore {
namespace {

constexpr int bad_bound = 2, bad_file = 2, bad_replay = 3;

}  // namespace

std::vector<std::string> searcher::outputs() const {
  std::vector<std::string> all;
  for (int i = 0; i < asked_.n_pes; ++i) all.push_back(machine_.output(i, false) + machine_.output(i, true));
  return all;
}

account searcher::told(std::vector<stopped_program> stopped) const {
  return {machine_.events().all(),
          machine_.operations(),
          std::move(stopped),
          machine_.end_of_order(),
          outputs(),
          found_.orders};
}

void searcher::note_failure(std::vector<stopped_program> stopped) {
  if (found_.failed++ == 0) first_failure_ = seconds_now();
  account one = told(std::move(stopped));
  // A race says where a failure comes from, and any failure says more than a different output.
  const auto rank = [](const account& of) {
    return std::pair(of.end.kind == race ? 0 : of.end.kind == differing ? 2 : 1, of.length());
  };
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

int searcher::report() {
  progress_.clear();
  found_.n_pes = asked_.n_pes;
  found_.seed = asked_.seed;
  found_.seconds = seconds_now() - started_;
  const auto left = std::find_if(choices_.rbegin(), choices_.rend(), [this](const choice& c) {
    return !c.wanted.empty() && c.at < machine_.events().size();
  });
  if (!found_.is_complete && left != choices_.rend()) found_.deepest_left = machine_.events()[left->at];
  if (!shortest_) {
    report_success(found_, asked_.any_output);
    return found_.orders == 0 ? bad_bound : 0;
  }
  report_failure(found_, *shortest_, asked_.any_output, !asked_.record.empty());
  keep(*shortest_);
  return shortest_->end.status;
}

// False: it cannot be written.
bool searcher::keep(const account& one) const {
  if (asked_.record.empty()) return true;
  const bool is_written = write_recording(asked_.record, one, asked_.n_pes);
  if (is_written)
    std::printf("explore: --record %s: written; oshrun --replay %s repeats this order\n", asked_.record.c_str(),
                asked_.record.c_str());
  else
    std::printf("explore: --record %s: cannot write: %s\n", asked_.record.c_str(), std::strerror(errno));
  return is_written;
}

// The output of the program goes to the terminal, as in a replay.
int searcher::run_one() {
  replay();
  go_on();
  const ending& end = machine_.end_of_order();
  std::vector<stopped_program> stopped;
  if (end.kind == deadlock) stopped = machine_.stopped_programs();
  machine_.end();
  const account one = told(std::move(stopped));
  if (end.how == ending::result::invalid) {
    report_not_modelled(one);
    return end.status;
  }
  report_one(one, *asked_.seed);
  if (!keep(one)) return bad_file;
  return end.how == ending::result::failed ? end.status : 0;
}

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
  std::vector<stopped_program> stopped;
  if (machine_.end_of_order().kind == deadlock) stopped = machine_.stopped_programs();
  machine_.end();
  const account one = told(std::move(stopped));
  report_replay(one, order);
  if (!asked_.trace.empty() && !write_timeline(asked_.trace, one)) {
    std::printf("explore: --trace %s: cannot write: %s\n", asked_.trace.c_str(), std::strerror(errno));
    return bad_file;
  }
  if (machine_.end_of_order().how == ending::result::failed) return machine_.end_of_order().status;
  return order.ending.starts_with(differing) ? 1 : 0;
}

}  // namespace explore
