#include "chrome.hpp"

#include <cstdarg>

namespace oshtrace {
namespace {

// Microseconds, with nanosecond resolution.
double us(std::int64_t ns) { return 1e-3 * static_cast<double>(ns); }

unsigned long long number(std::uint64_t n) { return n; }

}  // namespace

std::string lettered(const char* what, int number) {
  std::string letters;
  for (int rest = number; rest >= 0; rest = rest / 26 - 1)
    letters.insert(letters.begin(), static_cast<char>('a' + rest % 26));
  return std::string(what) + " " + std::to_string(number) + " (" + letters + ")";
}

std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return safe;
}

void chrome_events::event(const char* format, ...) {
  std::fputs(first_ ? "\n{" : ",\n{", file_);
  first_ = false;
  va_list words;
  va_start(words, format);
  std::vfprintf(file_, format, words);
  va_end(words);
  std::fputc('}', file_);
}

void chrome_events::name(int process, int track, const char* what, const std::string& text) {
  event(R"J("ph": "M", "pid": %d, "tid": %d, "name": "%s", "args": {"name": "%s"})J", process, track, what,
        quoted(text).c_str());
}

void chrome_events::name_process(int process, const std::string& text) {
  name(process, 0, "process_name", text);
  event(R"J("ph": "M", "pid": %d, "name": "process_sort_index", "args": {"sort_index": %d})J", process, process);
}

void chrome_events::name_track(int process, int track, const std::string& text) {
  name(process, track, "thread_name", text);
}

void chrome_events::bar(const slice& s, const char* category, const std::string& name, const char* colour,
                        const std::string& arguments) {
  const std::string coloured = colour == nullptr ? "" : std::string(R"("cname": ")") + colour + "\", ";
  event(R"J("ph": "X", "pid": %d, "tid": %d, "ts": %.3f, "dur": %.3f, "cat": "%s", "name": "%s", %s"args": {%s})J",
        s.process, s.track, us(s.began), us(s.ended - s.began), category, quoted(name).c_str(), coloured.c_str(),
        arguments.c_str());
}

void chrome_events::arrow_begins(std::uint64_t id, const char* text, const arrow_end& from) {
  event(R"J("ph": "s", "id": %llu, "pid": %d, "tid": %d, "ts": %.3f, "cat": "%s", "name": "%s")J", number(id),
        from.process, from.track, us(from.time), text, text);
}

void chrome_events::arrow_arrives(std::uint64_t id, const char* text, const arrow_end& to) {
  event(R"J("ph": "f", "bp": "e", "id": %llu, "pid": %d, "tid": %d, "ts": %.3f, "cat": "%s", "name": "%s")J",
        number(id), to.process, to.track, us(to.time), text, text);
}

}  // namespace oshtrace
