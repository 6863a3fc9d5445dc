// The timeline: one process for each PE, with a track for what comes to it and one for each of its contexts (and
// threads). Written for ui.perfetto.dev and chrome://tracing: the trace event format of Chrome, as JSON.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <set>

#include "peers.hpp"
#include "record.hpp"

namespace oshtrace {
namespace {

constexpr int arrivals = 0;  // the track of what comes

int track_of(const record& r) { return 1 + static_cast<int>(r.context) * 256 + r.thread % 256; }

// Colours of chrome://tracing. Perfetto colours by name, and leaves numbers out: so PEs have letters too.
constexpr const char* colours[] = {"thread_state_running", "rail_response", "thread_state_iowait", "rail_animation",
                                   "good",                 "bad",           "terrible",            "yellow",
                                   "olive",                "startup"};
const char* colour_of(int pe) { return colours[static_cast<std::size_t>(pe) % (sizeof colours / sizeof *colours)]; }

std::string called(int pe) {
  std::string letters;
  for (int rest = pe; rest >= 0; rest = rest / 26 - 1)
    letters.insert(letters.begin(), static_cast<char>('a' + rest % 26));
  return "PE " + std::to_string(pe) + " (" + letters + ")";
}

unsigned long long number(std::uint64_t n) { return n; }

// A call on its track.
struct slice {
  int pe, track;
  std::int64_t began, ended;  // from the beginning of the trace
};

class story {
 public:
  story(std::FILE* file, const std::vector<pe_trace>& all) : file_(file), all_(all), known_(all) {
    for (const pe_trace& one : all)
      for (const record& r : one.records) zero_ = std::min(zero_, one.aligned(r.began));
  }

  void tell() {
    std::uint64_t dropped = 0;
    for (const pe_trace& one : all_) dropped += one.dropped;
    std::fprintf(file_, "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"pes\": %zu, \"dropped\": %llu}, "
                 "\"traceEvents\": [", all_.size(), number(dropped));
    for (int pe = 0; pe < static_cast<int>(all_.size()); ++pe) {
      name_tracks(pe);
      for (std::size_t at = 0; at < of(pe).records.size(); ++at) tell_call(pe, at);
    }
    std::fputs("\n]}\n", file_);
  }

 private:
  const pe_trace& of(int pe) const { return all_[static_cast<std::size_t>(pe)]; }

  [[gnu::format(printf, 2, 3)]] void event(const char* format, ...) {
    std::fputs(first_ ? "\n{" : ",\n{", file_);
    first_ = false;
    va_list words;
    va_start(words, format);
    std::vfprintf(file_, format, words);
    va_end(words);
    std::fputc('}', file_);
  }
  // Microseconds, to the nanosecond.
  static double us(std::int64_t ns) { return 1e-3 * static_cast<double>(ns); }

  void name(int pe, int track, const char* what, const std::string& text) {
    event(R"J("ph": "M", "pid": %d, "tid": %d, "name": "%s", "args": {"name": "%s"})J", pe, track, what, text.c_str());
  }
  void name_tracks(int pe) {
    name(pe, arrivals, "process_name", "PE " + std::to_string(pe) + " on " + of(pe).host);
    event(R"J("ph": "M", "pid": %d, "name": "process_sort_index", "args": {"sort_index": %d})J", pe, pe);
    name(pe, arrivals, "thread_name", "arrivals");
    std::set<int> seen;
    for (const record& r : of(pe).records) {
      if (!seen.insert(track_of(r)).second) continue;
      const std::string context = r.context == 0 ? "default context" : "context " + std::to_string(r.context);
      name(pe, track_of(r), "thread_name", context + (r.thread == 0 ? "" : ", thread " + std::to_string(r.thread)));
    }
  }

  // A bar on a track; `beside` the arguments stands what viewers know.
  void bar(const slice& s, const char* category, const std::string& text, const std::string& beside,
           const std::string& arguments, std::uint64_t bytes) {
    event(R"J("ph": "X", "pid": %d, "tid": %d, "ts": %.3f, "dur": %.3f, "cat": "%s", "name": "%s", )J"
          R"J(%s"args": {%s, "bytes": %llu})J",
          s.pe, s.track, us(s.began), us(s.ended - s.began), category, text.c_str(), beside.c_str(), arguments.c_str(),
          number(bytes));
  }

  slice slice_of(int pe, const record& r) const {
    return {pe, track_of(r), of(pe).aligned(r.began) - zero_, of(pe).aligned(r.ended) - zero_};
  }
  std::string name_of(int pe, const record& r) const {
    const std::string& full = of(pe).names[r.name];
    return full.starts_with("shmem_") ? full.substr(6) : full;
  }

  // The PE that this call waited for, -1: none, or unknown.
  int waits_for(int pe, std::size_t at, const record& r) {
    switch (r.what()) {
      case oshtrace_wait: case oshtrace_lock: return known_.ended_by(pe, r).pe;
      case oshtrace_get: return r.pe;
      case oshtrace_rooted: return r.pe != pe ? r.pe : -1;
      case oshtrace_order: return known_.under_way(pe, at).empty() ? -1 : known_.under_way(pe, at).front();
      case oshtrace_collective: return known_.last_of(pe, at) != pe ? known_.last_of(pe, at) : -1;
      default: return -1;
    }
  }

  void tell_call(int pe, std::size_t at) {
    const record& r = of(pe).records[at];
    const slice s = slice_of(pe, r);
    const std::string name = name_of(pe, r), call = R"("call": "shmem_)" + name + '"';
    if (const int peer = waits_for(pe, at, r); peer >= 0)
      bar(s, "wait", name + ": waits for " + called(peer), std::string(R"("cname": ")") + colour_of(peer) + "\", ",
          call + R"(, "waits_for": )" + std::to_string(peer), r.bytes);
    else
      bar(s, r.writes() ? "put" : "call", name, "",
          call + R"(, "to": )" + std::to_string(r.writes() ? r.pe : -1), r.bytes);
    if (r.pe < 0) {
      if (r.what() == oshtrace_wait) tell_wake(pe, s, r);
    } else if (r.writes()) {
      tell_arrival(s, r, name);
    } else if (r.what() == oshtrace_get) {
      tell_fetch(s, r, name);
    }
  }

  // Both ends of an arrow. What it ends in must be under way at that time.
  struct end {
    int pe, track;
    std::int64_t time;
  };
  void arrow(const char* text, const end& from, const end& to) {
    const unsigned long long id = ++arrows_;
    event(R"J("ph": "s", "id": %llu, "pid": %d, "tid": %d, "ts": %.3f, "cat": "%s", "name": "%s")J", id, from.pe,
          from.track, us(from.time), text, text);
    event(R"J("ph": "f", "bp": "e", "id": %llu, "pid": %d, "tid": %d, "ts": %.3f, "cat": "%s", "name": "%s")J", id,
          to.pe, to.track, us(to.time), text, text);
  }
  void at_target(int target, std::int64_t when, const char* word, int peer, const std::string& name,
                 std::uint64_t bytes) {
    bar({target, arrivals, when, when + 1}, "arrival", word + called(peer) + ": " + name, "",
        R"("peer": )" + std::to_string(peer), bytes);
  }
  // The bytes of a blocking put have come when it returns, on the node; else they have left.
  void tell_arrival(const slice& s, const record& r, const std::string& name) {
    at_target(r.pe, s.ended, "from ", s.pe, name, r.bytes);
    arrow("put", {s.pe, s.track, s.began}, {r.pe, arrivals, s.ended});
  }
  void tell_fetch(const slice& s, const record& r, const std::string& name) {
    at_target(r.pe, s.began, "to ", s.pe, name, r.bytes);
    arrow("get", {r.pe, arrivals, s.began}, {s.pe, s.track, within(s)});
  }
  void tell_wake(int pe, const slice& s, const record& r) {
    const call_id by = known_.ended_by(pe, r);
    if (by.pe < 0) return;
    const slice writer = slice_of(by.pe, of(by.pe).records[by.at]);
    arrow("wake", {by.pe, writer.track, writer.began}, {pe, s.track, within(s)});
  }
  static std::int64_t within(const slice& s) { return s.ended > s.began ? s.ended - 1 : s.ended; }

  std::FILE* file_;
  const std::vector<pe_trace>& all_;
  peers known_;
  std::int64_t zero_ = INT64_MAX;
  std::uint64_t arrows_ = 0;
  bool first_ = true;
};

}  // namespace

bool write_story(const char* path, const std::vector<pe_trace>& all) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return false;
  story(file, all).tell();
  const bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace oshtrace
