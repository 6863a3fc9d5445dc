#include "mode.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace oshen::lammps {
namespace {

std::vector<std::string_view> split(std::string_view words) {
  std::vector<std::string_view> list;
  for (;;) {
    const std::size_t comma = words.find(',');
    list.push_back(words.substr(0, comma));
    if (comma == std::string_view::npos) return list;
    words.remove_prefix(comma + 1);
  }
}

std::string known_options(std::span<const std::string> strategies) {
  std::string text = "on, off, check, stats, fft, best, auto";
  for (const std::string& s : strategies) text += ", " + s;
  return text;
}

// Returns false if the word is unknown.
bool take(std::string_view word, std::span<const std::string> strategies, run_mode& m) {
  if (word == "on") return true;
  if (word == "off") return m.carries = false, true;
  if (word == "check") return m.checks = true;
  if (word == "stats") return m.stats = true;
  if (word == "fft") return m.transforms = true;
  if (word == "best") return m.transforms = m.best = true;
  if (word != "auto" && std::find(strategies.begin(), strategies.end(), word) == strategies.end()) return false;
  m.strategy = word;
  return true;
}

}  // namespace

std::string parse(const char* words, std::span<const std::string> strategies, run_mode& result) {
  result = {};
  if (words == nullptr || *words == '\0') return {};
  const std::vector<std::string_view> list = split(words);
  for (const std::string_view word : list) {
    if (!take(word, strategies, result))
      return std::string("'").append(word).append("' is not one of ") + known_options(strategies);
  }
  const bool accelerated = result.transforms || result.checks || result.strategy != "auto";
  if (result.best && result.checks) return "'best' compares the first results itself; 'fft,check' compares all";
  if (!result.carries && accelerated) return "'off' leaves all to LAMMPS; the other words need the accelerator";
  return {};
}

std::string name(const run_mode& m) {
  std::string text = m.carries ? m.strategy : "off";
  if (m.transforms) text += m.best ? ",best" : ",fft";
  if (m.checks) text += ",check";
  if (m.stats) text += ",stats";
  return text;
}

}  // namespace oshen::lammps
