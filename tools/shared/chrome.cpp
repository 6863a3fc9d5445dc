#include "shared/chrome.hpp"

namespace oshtrace {
namespace {

using nlohmann::ordered_json;

// Microseconds, with nanosecond resolution: the quotient nearest to the exact one prints with three decimals.
double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

ordered_json end_of_arrow(const char* kind, std::uint64_t id, const char* text, const arrow_end& at) {
  return {{"ph", kind},        {"id", id},    {"pid", at.process}, {"tid", at.track},
          {"ts", us(at.time)}, {"cat", text}, {"name", text}};
}

}  // namespace

std::string lettered(const char* what, int number) {
  std::string letters;
  for (int rest = number; rest >= 0; rest = rest / 26 - 1)
    letters.insert(letters.begin(), static_cast<char>('a' + rest % 26));
  return std::string(what) + " " + std::to_string(number) + " (" + letters + ")";
}

// Names of files and hosts may have bytes that are not UTF-8.
void chrome_events::event(const ordered_json& members) {
  std::fputs(first_ ? "\n" : ",\n", file_);
  first_ = false;
  std::fputs(members.dump(-1, ' ', false, ordered_json::error_handler_t::replace).c_str(), file_);
}

void chrome_events::name(int process, int track, const char* what, const std::string& text) {
  event({{"ph", "M"}, {"pid", process}, {"tid", track}, {"name", what}, {"args", {{"name", text}}}});
}

void chrome_events::name_process(int process, const std::string& text) {
  name(process, 0, "process_name", text);
  event({{"ph", "M"}, {"pid", process}, {"name", "process_sort_index"}, {"args", {{"sort_index", process}}}});
}

void chrome_events::name_track(int process, int track, const std::string& text) {
  name(process, track, "thread_name", text);
}

void chrome_events::bar(const slice& s, const char* category, const std::string& name, const char* colour,
                        const ordered_json& arguments) {
  ordered_json members = {
      {"ph", "X"},       {"pid", s.process}, {"tid", s.track}, {"ts", us(s.began)}, {"dur", us(s.ended - s.began)},
      {"cat", category}, {"name", name}};
  if (colour != nullptr) members["cname"] = colour;
  members["args"] = arguments;
  event(members);
}

void chrome_events::arrow_begins(std::uint64_t id, const char* text, const arrow_end& from) {
  event(end_of_arrow("s", id, text, from));
}

void chrome_events::arrow_arrives(std::uint64_t id, const char* text, const arrow_end& to) {
  ordered_json members = end_of_arrow("f", id, text, to);
  members["bp"] = "e";  // it ends in the slice that encloses it
  event(members);
}

}  // namespace oshtrace
