// Table of the known options of other launchers, with their translation or the reason for refusing them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace oshrun {

struct foreign_option {
  using words_t = std::vector<std::string>;

  std::string_view name;  // without dashes; -name and --name are equal
  std::size_t n_values;   // words that follow; the first may be written as name=value
  words_t (*translate)(std::string_view name, const words_t& values);  // to options of oshrun; null: refused
  const char* advice;                                                  // for a refused option
};

// Null if no launcher has this option.
const foreign_option* find_foreign_option(std::string_view name);

}  // namespace oshrun
