#include "mode.hpp"

#include <string_view>

namespace oshen::lammps {

const char* name(mode m) {
  switch (m) {
    case mode::on:
      return "on";
    case mode::stats:
      return "stats";
    case mode::check:
      return "check";
    case mode::off:
      return "off";
  }
  return "?";
}

bool parse(const char* word, mode& result) {
  const std::string_view wanted = word == nullptr || *word == '\0' ? "on" : word;
  for (const mode m : {mode::on, mode::stats, mode::check, mode::off}) {
    if (wanted != name(m)) continue;
    result = m;
    return true;
  }
  return false;
}

}  // namespace oshen::lammps
