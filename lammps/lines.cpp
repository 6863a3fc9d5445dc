#include "lines.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace oshen::lammps {
namespace {

constexpr std::string_view indent = "    ";
constexpr std::size_t least_columns = 20;  // a narrower terminal is not a terminal for reading

void wrap_line(std::string& out, std::string line, std::size_t columns) {
  while (line.size() > columns) {
    const std::size_t start = line.find_first_not_of(' ');
    std::size_t space = line.rfind(' ', columns);
    if (space == std::string::npos || space <= start) space = line.find(' ', columns);  // after one long word
    if (space == std::string::npos) break;
    out.append(line, 0, line.find_last_not_of(' ', space) + 1) += '\n';
    line = std::string(indent).append(line, line.find_first_not_of(' ', space), std::string::npos);
  }
  out += line + '\n';
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t columns) {
  if (columns < least_columns) return text;
  std::string out;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    wrap_line(out, text.substr(at, end - at), columns);
  }
  return out;
}

std::size_t stderr_columns() {
  winsize size{};
  if (isatty(STDERR_FILENO) != 0 && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
  std::size_t columns = 0;
  if (const char* text = std::getenv(columns_variable)) {
    const std::string_view digits = text;
    std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  }
  return columns;
}

void print(const std::string& lines) { std::fputs(wrapped(lines, stderr_columns()).c_str(), stderr); }

void say(const char* format, ...) {
  char text[1000];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  print(std::string("oshen-lammps: ") + text + "\n");
}

}  // namespace oshen::lammps
