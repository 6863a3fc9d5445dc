// Writes timelines for ui.perfetto.dev and chrome://tracing: bars on the tracks of processes and arrows between them,
// in Chrome's trace event format, as JSON with one event per line.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

namespace oshtrace {

// The position of a call: a process, one of its tracks, start and end in nanoseconds.
struct slice {
  int process, track;
  std::int64_t began, ended;
};

// An end of an arrow. It must lie within a slice of its track.
struct arrow_end {
  int process, track;
  std::int64_t time;
};

// "PE 3 (d)": Perfetto chooses colours by name and ignores numbers, hence the letters.
std::string lettered(const char* what, int number);

class chrome_events {
 public:
  explicit chrome_events(std::FILE* file) : file_(file) {}

  // Names a process, which is shown in the order of the numbers, and its tracks.
  void name_process(int process, const std::string& text);
  void name_track(int process, int track, const std::string& text);

  // `colour` is a colour of chrome://tracing, or null. `arguments` is an object, shown after a click.
  void bar(const slice& s, const char* category, const std::string& name, const char* colour,
           const nlohmann::ordered_json& arguments);

  // Start and end of an arrow, with the same `id`.
  void arrow_begins(std::uint64_t id, const char* text, const arrow_end& from);
  void arrow_arrives(std::uint64_t id, const char* text, const arrow_end& to);

 private:
  void event(const nlohmann::ordered_json& members);
  void name(int process, int track, const char* what, const std::string& text);

  std::FILE* file_;
  bool first_ = true;
};

// The last moment within a slice.
inline std::int64_t within(const slice& s) { return s.ended > s.began ? s.ended - 1 : s.ended; }

}  // namespace oshtrace
