// Every option of another launcher that we know, and what it is here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace oshrun {

struct foreign_option {
  using words_t = std::vector<std::string>;

  std::string_view name;  // without dashes: one and two are the same
  std::size_t n_values;   // words that follow it; "name=value" may stand for the first
  words_t (*ours)(std::string_view name, const words_t& values);  // what takes their place; null: refused
  const char* instead;    // how it is done here
};

// Null when nobody has such an option.
const foreign_option* find_foreign_option(std::string_view name);

}  // namespace oshrun
