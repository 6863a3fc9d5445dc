#include "recording.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "start.hpp"

namespace explore {
namespace {

constexpr const char* first_line = "oshen order 2";

[[noreturn]] void refuse(const std::string& file, const char* expected) {
  std::fprintf(stderr, "explore: --replay %s: expected %s\n", file.c_str(), expected);
  _exit(2);
}

// "0", or "0.1" of a thread that the program has created.
std::string thread_text(const actor& who) {
  return std::to_string(who.pe) + (who.thread == 0 ? "" : '.' + std::to_string(who.thread));
}

bool read_thread(const std::string& text, int n_pes, actor& who) {
  char point = '.';
  std::istringstream words(text);
  const bool has_pe = static_cast<bool>(words >> who.pe);
  const bool has_thread = words.eof() || (words >> point >> who.thread && point == '.');
  return has_pe && has_thread && who.pe >= 0 && who.pe < n_pes && who.thread >= 0 && who.thread < most_threads;
}

}  // namespace

bool write_recording(const std::string& file, const account& told, int n_pes) {
  std::FILE* const out = std::fopen(file.c_str(), "w");
  if (out == nullptr) return false;
  const narrator words(told);
  std::fprintf(out, "%s\npes %d\nclock %lld\nends %s\n", first_line, n_pes, static_cast<long long>(start_of_clocks()),
               end_text(told.end).c_str());
  for (std::size_t i = 0; i < told.events.size(); ++i) {
    const event& e = told.events[i];
    std::fprintf(out, "%s %u %s %s, %s\n", thread_text(e.who).c_str(), e.who.number,
                 place_in_file(e.said.call.place).c_str(), words.step(i).c_str(),
                 words.place(e.said.call.place).c_str());
  }
  const bool written = std::ferror(out) == 0;
  return std::fclose(out) == 0 && written;
}

recording read_recording(const std::string& file) {
  std::ifstream in(file);
  std::string line, word;
  recording read;
  if (!std::getline(in, line) || line != first_line) refuse(file, "a file that --record wrote");
  if (!(in >> word >> read.n_pes) || word != "pes" || read.n_pes < 1 || read.n_pes > most_pes)
    refuse(file, "pes and a number");
  if (!(in >> word >> read.clock) || word != "clock" || read.clock <= 0) refuse(file, "clock and a number");
  std::getline(in, line);
  if (!std::getline(in, line) || !line.starts_with("ends ")) refuse(file, "how the order ends");
  read.ending = line.substr(std::strlen("ends "));
  while (std::getline(in, line)) {
    std::istringstream words(line);
    recorded_step step;
    if (!(words >> word >> step.who.number >> step.place) || !read_thread(word, read.n_pes, step.who))
      refuse(file, "a PE, a number and a place in each line");
    std::getline(words >> std::ws, step.text);
    read.steps.push_back(std::move(step));
  }
  return read;
}

}  // namespace explore
