// Writes the timeline: one process for each PE, with a track for arrivals and one for each of its contexts (and
// threads).
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <set>

#include "record.hpp"
#include "shared/chrome.hpp"
#include "wait_causes.hpp"

namespace oshtrace {
namespace {

constexpr int arrivals = 0;  // the track of arriving data
constexpr int races = 1 << 24;

bool is_race(const record& r) { return r.call_kind() == oshtrace_race; }

int track_of(const record& r) { return is_race(r) ? races : 1 + static_cast<int>(r.context) * 256 + r.thread % 256; }

// Colours of chrome://tracing.
constexpr const char* colours[] = {"thread_state_running",
                                   "rail_response",
                                   "thread_state_iowait",
                                   "rail_animation",
                                   "good",
                                   "bad",
                                   "terrible",
                                   "yellow",
                                   "olive",
                                   "startup"};
const char* colour_of(int pe) { return colours[static_cast<std::size_t>(pe) % (sizeof colours / sizeof *colours)]; }

std::string pe_name(int pe) { return lettered("PE", pe); }

using nlohmann::ordered_json;

class timeline_writer {
 public:
  timeline_writer(std::FILE* file, const std::vector<pe_trace>& all)
      : file_(file), events_(file), all_(all), causes_(all) {
    for (const pe_trace& one : all)
      for (const record& r : one.records) zero_ = std::min(zero_, one.aligned(r.began));
  }

  void write() {
    std::uint64_t dropped = 0;
    for (const pe_trace& one : all_) dropped += one.dropped;
    const ordered_json about = {{"pes", all_.size()}, {"dropped", dropped}};
    std::fprintf(file_, R"({"displayTimeUnit": "ns", "otherData": %s, "traceEvents": [)", about.dump().c_str());
    for (int pe = 0; pe < static_cast<int>(all_.size()); ++pe) {
      name_tracks(pe);
      for (std::size_t at = 0; at < of(pe).records.size(); ++at) write_call(pe, at);
    }
    std::fputs("\n]}\n", file_);
  }

 private:
  const pe_trace& of(int pe) const { return all_[static_cast<std::size_t>(pe)]; }

  void name_tracks(int pe) {
    events_.name_process(pe, "PE " + std::to_string(pe) + " on " + of(pe).host);
    events_.name_track(pe, arrivals, "arrivals");
    std::set<int> seen;
    for (const pe_trace& one : all_)
      for (const record& r : one.records)
        if (is_race(r) && (&one == &of(pe) || r.pe == pe)) seen.insert(races);
    if (!seen.empty()) events_.name_track(pe, races, "races");
    for (const record& r : of(pe).records) {
      if (!seen.insert(track_of(r)).second) continue;
      const std::string context = r.context == 0 ? "default context" : "context " + std::to_string(r.context);
      events_.name_track(pe, track_of(r), context + (r.thread == 0 ? "" : ", thread " + std::to_string(r.thread)));
    }
  }

  slice slice_of(int pe, const record& r) const {
    return {pe, track_of(r), of(pe).aligned(r.began) - zero_, of(pe).aligned(r.ended) - zero_};
  }
  std::string name_of(int pe, const record& r) const {
    const std::string& full = of(pe).names[r.name];
    return full.starts_with("shmem_") ? full.substr(6) : full;
  }

  // The PE that this call waited for; -1 if none or unknown.
  int waits_for(int pe, std::size_t at, const record& r) {
    switch (r.call_kind()) {
      case oshtrace_wait:
      case oshtrace_lock: return causes_.ended_by(pe, r).pe;
      case oshtrace_get: return r.pe;
      case oshtrace_rooted: return r.pe != pe ? r.pe : -1;
      case oshtrace_order: return causes_.targets_before(pe, at).empty() ? -1 : causes_.targets_before(pe, at).front();
      case oshtrace_collective: return causes_.last_of(pe, at) != pe ? causes_.last_of(pe, at) : -1;
      default: return -1;
    }
  }

  void write_call(int pe, std::size_t at) {
    const record& r = of(pe).records[at];
    if (is_race(r)) {
      write_race(pe, r);
      return;
    }
    const slice s = slice_of(pe, r);
    const std::string name = name_of(pe, r), call = "shmem_" + name;
    if (const int peer = waits_for(pe, at, r); peer >= 0)
      events_.bar(s, "wait", name + ": waits for " + pe_name(peer), colour_of(peer),
                  {{"call", call}, {"waits_for", peer}, {"bytes", r.bytes}});
    else
      events_.bar(s, r.writes() ? "put" : "call", name, nullptr,
                  {{"call", call}, {"to", r.writes() ? r.pe : -1}, {"bytes", r.bytes}});
    if (r.pe < 0) {
      if (r.call_kind() == oshtrace_wait) write_wake(pe, s, r);
    } else if (r.writes()) {
      write_arrival(s, r, name);
    } else if (r.call_kind() == oshtrace_get) {
      write_fetch(s, r, name);
    }
  }

  void arrow(const char* text, const arrow_end& from, const arrow_end& to) {
    events_.arrow_begins(++arrows_, text, from);
    events_.arrow_arrives(arrows_, text, to);
  }
  void write_at_target(int target, std::int64_t when, const char* word, int peer, const std::string& name,
                       std::uint64_t bytes) {
    events_.bar({target, arrivals, when, when + 1}, "arrival", word + pe_name(peer) + ": " + name, nullptr,
                {{"peer", peer}, {"bytes", bytes}});
  }
  // On a node the data of a blocking put has arrived when the call returns; otherwise it has been sent.
  void write_arrival(const slice& s, const record& r, const std::string& name) {
    write_at_target(r.pe, s.ended, "from ", s.process, name, r.bytes);
    arrow("put", {s.process, s.track, s.began}, {r.pe, arrivals, s.ended});
  }
  void write_fetch(const slice& s, const record& r, const std::string& name) {
    write_at_target(r.pe, s.began, "to ", s.process, name, r.bytes);
    arrow("get", {r.pe, arrivals, s.began}, {s.process, s.track, within(s)});
  }
  void write_wake(int pe, const slice& s, const record& r) {
    const call_id by = causes_.ended_by(pe, r);
    if (by.pe < 0) return;
    const slice writer = slice_of(by.pe, of(by.pe).records[by.at]);
    arrow("wake", {by.pe, writer.track, writer.began}, {pe, s.track, within(s)});
  }

  // The last call of a PE from this place that began before the moment. A load or store has none, so the race is then
  // marked at the moment itself.
  slice first_of_race(const record& race, std::int64_t met) const {
    slice found{race.pe, races, met, met + 1};
    for (const record& r : of(race.pe).records) {
      const slice s = slice_of(race.pe, r);
      if (r.caller == race.caller && r.caller != 0 && !is_race(r) && s.began <= met)
        found = {race.pe, races, s.began, s.ended};
    }
    return found;
  }
  void write_race(int pe, const record& r) {
    const slice second{pe, races, slice_of(pe, r).began, slice_of(pe, r).began + 1};
    const slice first = first_of_race(r, second.began);
    const auto report = ordered_json::object({{"report", of(pe).names[r.name]}});
    events_.bar(first, "race", "race with " + pe_name(pe), "terrible", report);
    events_.bar(second, "race", "race with " + pe_name(r.pe), "terrible", report);
    arrow("race", {first.process, races, first.began}, {pe, races, second.began});
  }

  std::FILE* file_;
  chrome_events events_;
  const std::vector<pe_trace>& all_;
  wait_causes causes_;
  std::int64_t zero_ = INT64_MAX;
  std::uint64_t arrows_ = 0;
};

}  // namespace

bool write_timeline(const char* path, const std::vector<pe_trace>& all) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return false;
  timeline_writer(file, all).write();
  const bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace oshtrace
