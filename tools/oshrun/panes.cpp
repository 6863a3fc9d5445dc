#include "oshrun/panes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "oshrun/launchers.hpp"

namespace oshrun {
namespace {

constexpr std::size_t panes_of_window = 9;  // three by three fit a terminal of 80 by 24

// Runs tmux and takes the line that it prints. False if it fails.
bool tmux(const std::vector<std::string>& words, std::string* printed = nullptr) {
  std::string command = "tmux";
  for (const std::string& word : words) command += ' ' + shell_quoted(word);
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  char line[256];
  while (std::fgets(line, sizeof line, pipe) != nullptr)
    if (printed != nullptr) *printed = std::string(line).substr(0, std::string(line).find('\n'));
  return pclose(pipe) == 0;
}

// Opens a window with these panes; its name goes to `windows` as soon as it is there.
bool open_window(std::vector<std::string>& windows, const std::vector<std::string>& commands) {
  std::error_code unknown;
  const std::string here = std::filesystem::current_path(unknown).string();
  std::string window;
  if (!tmux({"new-window", "-n", "oshrun", "-c", here, "-P", "-F", "#{window_id}", commands[0]}, &window)) return false;
  windows.push_back(window);
  for (std::size_t i = 1; i < commands.size(); ++i)
    if (!tmux({"split-window", "-t", window, "-c", here, commands[i]}) ||
        !tmux({"select-layout", "-t", window, "tiled"}))
      return false;
  return true;
}

}  // namespace

bool open_panes(const std::vector<std::string>& commands) {
  std::vector<std::string> windows;
  for (std::size_t first = 0; first < commands.size(); first += panes_of_window) {
    const auto begin = commands.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t n = std::min(panes_of_window, commands.size() - first);
    if (open_window(windows, {begin, begin + static_cast<std::ptrdiff_t>(n)})) continue;
    for (const std::string& window : windows) tmux({"kill-window", "-t", window});
    return false;
  }
  tmux({"select-window", "-t", windows[0]});
  return true;
}

}  // namespace oshrun
