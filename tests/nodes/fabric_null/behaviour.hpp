// The words of FABRIC_NULL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct behaviour {
  bool counters = true, data = true, atomics = true, ordered = true, card = false, late = false;
  std::size_t inject = 192;
  std::uint64_t interval_ns = 0;  // between two operations of the card; 0: it takes no time
  std::uint64_t queue = 256;      // operations that the card holds
};

inline std::uint64_t number_after(const std::string& word, const char* name) {
  const std::string start = std::string(name) + "=";
  return word.rfind(start, 0) == 0 ? strtoull(word.c_str() + start.size(), nullptr, 10) : 0;
}

inline const behaviour& chosen() {
  static const behaviour found = [] {
    behaviour b;
    const char* text = getenv("FABRIC_NULL");
    for (std::string rest = text != nullptr ? text : ""; !rest.empty();) {
      const std::size_t comma = rest.find(',');
      const std::string word = rest.substr(0, comma);
      rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
      if (word == "nocounters")
        b.counters = false;
      else if (word == "nodata")
        b.data = false;
      else if (word == "noatomics")
        b.atomics = false;
      else if (word == "unordered")
        b.ordered = false;
      else if (word == "card")
        b.card = true;
      else if (word == "late")
        b.late = true;
      else if (number_after(word, "inject") != 0)
        b.inject = number_after(word, "inject");
      else if (number_after(word, "rate") != 0)
        b.interval_ns = 1000 / number_after(word, "rate");
      else if (number_after(word, "queue") != 0)
        b.queue = number_after(word, "queue");
      else
        fprintf(stderr, "fabric null: FABRIC_NULL has an unknown word '%s'\n", word.c_str()), abort();
    }
    return b;
  }();
  return found;
}

// The second name tells the library that the provider has a card.
inline const char* provider_name() { return chosen().card ? "null;card" : "null"; }

}  // namespace
