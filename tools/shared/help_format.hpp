// The options in the output of --help, in lines of at most 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <sstream>
#include <string>

namespace oshrun {

inline constexpr std::size_t help_columns = 80;

// The text in lines of at most `columns`, broken between words.
inline std::string wrapped(const std::string& text, std::size_t columns) {
  std::string lines, word;
  std::size_t used = 0;
  for (std::istringstream words(text); words >> word; used += word.size()) {
    const bool is_first = lines.empty(), fits = used + 1 + word.size() <= columns;
    if (!is_first) lines += fits ? ' ' : '\n';
    used = is_first || !fits ? 0 : used + 1;
    lines += word;
  }
  return lines;
}

struct wrapping_formatter : CLI::Formatter {
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(CLI::Formatter::make_option_desc(option), help_columns - get_column_width());
  }
};

}  // namespace oshrun
