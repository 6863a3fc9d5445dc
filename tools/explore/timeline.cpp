// A replayed order as a timeline for ui.perfetto.dev, in the form of oshrun --trace. A step takes one microsecond.
#include "timeline.hpp"

#include <cstdint>
#include <cstdio>
#include <map>

#include "shared/chrome.hpp"

namespace explore {
namespace {

constexpr int arrivals = 0;  // the track of each PE for operations that arrive; threads are 1, 2, ...

constexpr std::int64_t step_ns = 1000;

std::int64_t at(std::size_t step) { return static_cast<std::int64_t>(step) * step_ns; }

void name_track(oshtrace::chrome_events& to, int pe, int track, const std::string& name) {
  to.name_process(pe, "PE " + std::to_string(pe));
  to.name_track(pe, track, name);
}

void bar(oshtrace::chrome_events& to, const oshtrace::slice& when, const std::string& name, const std::string& place) {
  to.bar(when, "step", name, nullptr, {{"place", place}});
}

int track_of(const actor& who) { return who.is_program() ? who.thread + 1 : arrivals; }

void write(oshtrace::chrome_events& to, const account& order) {
  const narrator words(order);
  const std::vector<bool> shown = words.shown();
  std::map<actor, std::size_t> free;  // when the last step of each thread ended
  for (std::size_t i = 0; i < order.events.size(); ++i) {
    const event& e = order.events[i];
    const bool arrives = e.operation != event::none;
    const int pe = arrives ? order.operations[e.operation].pe : e.who.pe, track = track_of(e.who);
    // A step for which the scheduler waited begins with the wait.
    const std::size_t begin = arrives || !is_blocking(e.said.what) ? i : free[e.who];
    if (shown[i]) bar(to, {pe, track, at(begin), at(i + 1)}, words.step(i), words.place(e.said.call.place));
    if (!arrives) free[e.who] = i + 1;
    if (!arrives) continue;
    to.arrow_begins(e.operation, "arrival", {e.who.pe, e.who.thread + 1, at(order.operations[e.operation].started)});
    to.arrow_arrives(e.operation, "arrival", {pe, track, at(i)});
  }
  for (const stopped_program& one : order.stopped)
    if (one.call.place != nullptr)
      bar(to, {one.who.pe, track_of(one.who), at(free[one.who]), at(order.events.size() + 1)}, words.stop(one),
          words.place(one.call.place));
  for (const auto& [who, end] : free)
    name_track(to, who.pe, track_of(who), who.thread == 0 ? "program" : "thread " + std::to_string(who.thread));
  for (int pe = 0; pe < static_cast<int>(order.output.size()); ++pe) name_track(to, pe, arrivals, "arrivals");
}

}  // namespace

bool write_timeline(const std::string& file, const account& order) {
  std::FILE* const out = std::fopen(file.c_str(), "w");
  if (out == nullptr) return false;
  std::fputs("{\"traceEvents\": [", out);
  oshtrace::chrome_events events(out);
  write(events, order);
  std::fputs("\n]}\n", out);
  const bool is_written = std::ferror(out) == 0;
  return std::fclose(out) == 0 && is_written;
}

}  // namespace explore
