#include "oshrun/foreign_options.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "oshrun/foreign_option_table.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {
namespace {

using words_t = std::vector<std::string>;

constexpr int bad_usage = 2;

std::string without_dashes(const std::string& word) { return word.substr(word.starts_with("--") ? 2 : 1); }

bool is_digits(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// One option as typed: "-np4", "--bind-to=core", "-verbose".
struct typed_option {
  std::string word;
  std::optional<std::string> value;  // if it is in the same word
};

// Splits a word into name and value. `knows`: whether some launcher has an option of that name with a value.
template <class Knows>
typed_option split(const std::string& word, Knows knows) {
  if (const std::size_t equals = word.find('='); equals != word.npos && knows(word.substr(0, equals)))
    return {word.substr(0, equals), word.substr(equals + 1)};
  const std::size_t digits = word.find_first_of("0123456789");
  if (digits != word.npos && is_digits(word.substr(digits)) && knows(word.substr(0, digits)))
    return {word.substr(0, digits), word.substr(digits)};
  return {word, {}};
}

// Takes the values of an option from the following words. Hydra's pairs may be one word, A=1.
words_t take_values(const foreign_option& of, const typed_option& typed, const words_t& words, std::size_t& next) {
  words_t values;
  if (typed.value) values.push_back(*typed.value);
  const auto complete = [&] {
    return values.size() >= of.n_values || (values.size() == 1 && values[0].find('=', 1) != std::string::npos);
  };
  while (!complete() && next < words.size()) values.push_back(words[next++]);
  if (!complete())
    give_up(bad_usage, "%s: expected %zu more value%s", typed.word.c_str(), of.n_values - values.size(),
            of.n_values - values.size() == 1 ? "" : "s");
  return values;
}

// Whether `word` is a bundle of one-letter flags, the last perhaps with its value: "-lv", "-xA=1".
bool is_bundle(const std::string& word, const kind_of_option& kind_of) {
  if (word.starts_with("--") || word.size() < 3) return false;
  for (const char letter : word.substr(1)) {
    const option_kind kind = kind_of(std::string("-") + letter);
    if (kind != option_kind::flag) return kind == option_kind::with_value;
  }
  return true;
}

void append(words_t& to, const words_t& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

words_t translate_options(const words_t& words, const kind_of_option& kind_of) {
  // The option of oshrun with this name, typed with one dash or two; "" if there is none.
  const auto own_option = [&](const std::string& typed) -> std::string {
    const std::string name = without_dashes(typed);
    const std::string word = (name.size() == 1 ? "-" : "--") + name;
    return kind_of(word) == option_kind::none ? "" : word;
  };
  const auto knows = [&](const std::string& typed) {
    const option_kind kind = kind_of(own_option(typed));
    return find_foreign_option(without_dashes(typed)) != nullptr || kind == option_kind::with_value ||
           kind == option_kind::with_optional_value;
  };
  words_t out;
  std::size_t i = 0;
  while (i < words.size() && words[i].starts_with('-') && words[i] != "--") {
    const typed_option typed = split(words[i++], knows);
    const foreign_option* foreign = find_foreign_option(without_dashes(typed.word));
    const std::string own = own_option(typed.word);
    if (foreign != nullptr && foreign->translate == nullptr)
      give_up(bad_usage, "%s: %s", typed.word.c_str(), foreign->advice);
    if (foreign != nullptr) {
      append(out, foreign->translate(foreign->name, take_values(*foreign, typed, words, i)));
      continue;
    }
    if (own.empty() && !is_bundle(typed.word, kind_of))
      give_up(bad_usage, "%s: unknown option; oshrun --help lists the options", typed.word.c_str());
    out.push_back(own.empty() ? typed.word : own);
    if (typed.value && kind_of(own) == option_kind::with_optional_value)
      out.back() += '=' + *typed.value;
    else if (typed.value)
      out.push_back(*typed.value);
    else if (kind_of(own) == option_kind::with_value && i < words.size())
      out.push_back(words[i++]);
  }
  out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return out;
}

}  // namespace oshrun
