#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "oshinfo/sections.hpp"

namespace oshinfo {
namespace {

void wrap_line(std::string& out, std::string line, std::size_t columns) {
  const std::size_t own = std::min(line.find_first_not_of(' '), line.size());
  const std::string indent(std::min(own + 4, columns / 2), ' ');
  while (line.size() > columns) {
    const std::size_t start = line.find_first_not_of(' '), space = line.rfind(' ', columns);
    if (space == std::string::npos || space <= start) break;  // one long word
    out.append(line, 0, line.find_last_not_of(' ', space) + 1) += '\n';
    line = indent + line.substr(space + 1);
  }
  out += line + '\n';
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t columns) {
  std::string out, line;
  for (std::istringstream lines(text); std::getline(lines, line);) wrap_line(out, line, columns);
  return out;
}

std::size_t terminal_columns() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace oshinfo
