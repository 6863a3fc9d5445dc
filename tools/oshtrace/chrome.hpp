// Timelines for ui.perfetto.dev and chrome://tracing: bars on the tracks of processes, and arrows between them, in the
// trace event format of Chrome, as JSON. One event a line.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace oshtrace {

// Where a call stands: a process and one of its tracks, from and to, in nanoseconds.
struct slice {
  int process, track;
  std::int64_t began, ended;
};

// Both ends of an arrow lie in a slice that is under way at their time.
struct arrow_end {
  int process, track;
  std::int64_t time;
};

// "PE 3 (d)": Perfetto colours by name and leaves numbers out, hence the letters.
std::string lettered(const char* what, int number);

// As it may stand between quotes.
std::string quoted(const std::string& text);

class chrome_events {
 public:
  explicit chrome_events(std::FILE* file) : file_(file) {}

  // A process, in the order of the numbers, and its tracks.
  void name_process(int process, const std::string& text);
  void name_track(int process, int track, const std::string& text);

  // `colour` is one of chrome://tracing, or none; `arguments` are JSON, without braces: what a click shows.
  void bar(const slice& s, const char* category, const std::string& name, const char* colour,
           const std::string& arguments);

  // An arrow begins, and ends; `id` belongs to the two.
  void arrow_begins(std::uint64_t id, const char* text, const arrow_end& from);
  void arrow_arrives(std::uint64_t id, const char* text, const arrow_end& to);

 private:
  [[gnu::format(printf, 2, 3)]] void event(const char* format, ...);
  void name(int process, int track, const char* what, const std::string& text);

  std::FILE* file_;
  bool first_ = true;
};

// The last moment within a slice.
inline std::int64_t within(const slice& s) { return s.ended > s.began ? s.ended - 1 : s.ended; }

}  // namespace oshtrace
