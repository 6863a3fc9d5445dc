#include "coll/tuning_file.hpp"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "os/own_file.hpp"

namespace oshen::coll {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 20;
constexpr const char* first_line = "oshen-tuning 1";
constexpr const char* installed[] = {"../share/oshen/tuning/default.txt", "../../share/oshen/tuning/default.txt"};

// Cuts the next word off `rest`; null at its end.
char* next_word(char*& rest, const char* separators = " \t\r") {
  rest += strspn(rest, separators);
  if (*rest == '\0') return nullptr;
  char* word = rest;
  rest += strcspn(rest, separators);
  if (*rest != '\0') *rest++ = '\0';
  return word;
}

bool find_kind(const char* name, kind& found) {
  for (int i = 0; i < kinds; ++i) {
    found = static_cast<kind>(i);
    if (strcmp(name, name_of(found)) == 0) return true;
  }
  return false;
}

status unknown_algorithm(const char* place, const char* name, kind k) {
  log::error("%s: \"%s\" is no algorithm for %s; \"oshinfo --algorithms\" lists them", place, name, name_of(k));
  return status::bad_setting;
}

// ---- settings ------------------------------------------------------------------------------------------------

// "board@1k,ring@64k,owner": up to these sizes, the last one for all larger ones. `text` is cut up.
status add_setting(preferences& p, kind k, const char* name, char* text) {
  while (char* word = next_word(text, ", ")) {
    rule r{.collective = k};
    if (char* at = strchr(word, '@')) {
      *at = '\0';
      if (!parse_size(at + 1, r.up_to)) {
        log::error("%s: \"%s\" is no size: expected algorithm@size, for example board@1k", name, at + 1);
        return status::bad_setting;
      }
    }
    if (strcmp(word, "auto") != 0 && (r.row = find_row(k, word)) < 0) return unknown_algorithm(name, word, k);
    p.rules()[p.n_rules++] = r;
  }
  return status::ok;
}

status add_settings(preferences& p) {
  for (int i = 0; i < kinds; ++i) {
    const auto k = static_cast<kind>(i);
    const setting_name name(k);
    const char* given = setting_text(name.text);
    if (given == nullptr) continue;
    char* text = strdup(given);
    if (text == nullptr) return status::no_memory;
    const status s = add_setting(p, k, name.text, text);
    free(text);
    if (failed(s)) return s;
  }
  return status::ok;
}

// ---- the tuning file -----------------------------------------------------------------------------------------

bool read_number(const char* word, double& out) {
  char* end = nullptr;
  const double value = word != nullptr ? strtod(word, &end) : 0;
  if (word == nullptr || end == word || *end != '\0' || !(value > 0 && value < 1e9)) return false;
  out = value;
  return true;
}

// "8" or "5-12"
bool read_pes(const char* word, rule& r) {
  char* end = nullptr;
  const long least = strtol(word, &end, 10);
  const long most = *end == '-' ? strtol(end + 1, &end, 10) : least;
  if (*end != '\0' || least < 1 || most < least || most > r.most_pes) return false;
  r.least_pes = static_cast<int>(least);
  r.most_pes = static_cast<int>(most);
  return true;
}

bool read_crowding(const char* word, rule& r) {
  r.cpus = strcmp(word, "own") == 0 ? crowding::own : crowding::shared;
  return r.cpus == crowding::own || strcmp(word, "shared") == 0 || strcmp(word, "any") == 0;
}

status not_understood(const char* place) {
  log::error("%s: expected \"use COLLECTIVE PES CPUS BYTES ALGORITHM\" or \"cost NAME NUMBER\"", place);
  return status::bad_setting;
}

// use reduce 5-12 shared 64k owner
status add_use(preferences& p, const char* place, int line, char* rest) {
  char* words[5];
  for (char*& word : words)
    if ((word = next_word(rest)) == nullptr) return not_understood(place);
  rule r{.collective = {}, .line = line};
  if (next_word(rest) != nullptr || !find_kind(words[0], r.collective) || !read_pes(words[1], r) ||
      !read_crowding(words[2], r))
    return not_understood(place);
  if (strcmp(words[2], "any") == 0) r.cpus = crowding::any;
  if (strcmp(words[3], "all") != 0) {
    if (!isdigit(static_cast<unsigned char>(*words[3])) || !parse_size(words[3], r.up_to)) return not_understood(place);
  }
  if ((r.row = find_row(r.collective, words[4])) < 0) return unknown_algorithm(place, words[4], r.collective);
  p.rules()[p.n_rules++] = r;
  return status::ok;
}

// cost line-ns 95
status add_cost(preferences& p, const char* place, char* rest) {
  struct parameter {
    const char* name;
    double machine::*value;
  };
  constexpr parameter parameters[] = {
      {"line-ns", &machine::line_ns}, {"copy-ns", &machine::copy_ns}, {"turn-ns", &machine::turn_ns}};
  const char* name = next_word(rest);
  const char* number = next_word(rest);
  if (number == nullptr || next_word(rest) != nullptr) return not_understood(place);
  for (const parameter& each : parameters)
    if (strcmp(each.name, name) == 0 && read_number(number, p.here.*each.value)) return status::ok;
  return not_understood(place);
}

status add_line(preferences& p, int line, char* text) {
  char place[sizeof p.file + 16];
  snprintf(place, sizeof place, "%s:%d", p.file, line);
  if (char* comment = strchr(text, '#')) *comment = '\0';
  const char* what = next_word(text);
  if (what == nullptr) return status::ok;
  if (strcmp(what, "use") == 0) return add_use(p, place, line, text);
  if (strcmp(what, "cost") == 0) return add_cost(p, place, text);
  return not_understood(place);
}

status add_file(preferences& p, char* text) {
  for (int line = 1; text != nullptr; ++line) {
    char* const present = strsep(&text, "\n");
    if (line > 1) {
      if (const status s = add_line(p, line, present); failed(s)) return s;
    } else if (strcmp(present, first_line) != 0) {
      log::error("%s: this is no tuning file: its first line must be \"%s\"", p.file, first_line);
      return status::bad_setting;
    }
  }
  return status::ok;
}

// A file that the user names must be there; the installed one need not be.
status find_file(preferences& p, char*& text) {
  text = nullptr;
  const char* wanted = setting_text("OSHEN_COLL_TUNING");
  if (wanted != nullptr && strcmp(wanted, "auto") != 0) {
    if (strcmp(wanted, "none") == 0) return status::ok;
    snprintf(p.file, sizeof p.file, "%s", wanted);
    if ((text = os::read_file(wanted, largest_file)) != nullptr) return status::ok;
    log::error("OSHEN_COLL_TUNING: cannot read %s: %s", wanted, strerror(errno));
    return status::bad_setting;
  }
  char library[sizeof p.file];
  if (!os::own_file(library, sizeof library)) return status::ok;
  char* name = strrchr(library, '/');
  if (name == nullptr) return status::ok;
  for (const char* from_library : installed) {
    name[1] = '\0';
    const int length = snprintf(p.file, sizeof p.file, "%s%s", library, from_library);
    if (length >= static_cast<int>(sizeof p.file)) continue;
    if ((text = os::read_file(p.file, largest_file)) != nullptr) return status::ok;
  }
  p.file[0] = '\0';
  return status::ok;
}

std::uint64_t digest_of(const char* text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
  return hash;
}

// No rule is shorter than a line or a word.
std::size_t most_rules(const char* text) {
  std::size_t most = 1;
  for (; text != nullptr && *text != '\0'; ++text) most += *text == '\n';
  for (int i = 0; i < kinds; ++i)
    for (const char* c = setting_text(setting_name(static_cast<kind>(i)).text); c != nullptr && *c != '\0'; ++c)
      most += *c != ',';
  return most;
}

status fill(preferences& p, char* text) {
  if (const status s = add_settings(p); failed(s) || text == nullptr) return s;
  p.digest = digest_of(text);
  return add_file(p, text);
}

}  // namespace

setting_name::setting_name(kind k) {
  const bool scan = k == kind::inscan || k == kind::exscan;
  snprintf(text, sizeof text, "%s%s", "OSHEN_COLL_", scan ? "scan" : name_of(k));
  for (char* c = text; *c != '\0'; ++c) *c = static_cast<char>(toupper(*c));
}

int find_row(kind k, const char* name) {
  int row = 0;
  for (const algorithm* a : registry()) {
    if (a->collective == k && strcmp(a->name, name) == 0) return row;
    ++row;
  }
  return -1;
}

status read_preferences(preferences*& out) {
  out = nullptr;
  preferences fresh;
  char* text = nullptr;
  if (const status s = find_file(fresh, text); failed(s)) return s;
  void* memory = calloc(1, sizeof(preferences) + most_rules(text) * sizeof(rule));
  if (memory == nullptr) {
    free(text);
    return status::no_memory;
  }
  out = static_cast<preferences*>(memory);
  *out = fresh;
  const status s = fill(*out, text);
  free(text);
  if (failed(s)) {
    free(out);
    out = nullptr;
  }
  return s;
}

}  // namespace oshen::coll
