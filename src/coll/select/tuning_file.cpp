#include "coll/select/tuning_file.hpp"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.hpp"
#include "base/number.hpp"
#include "base/settings.hpp"
#include "coll/select/registry.hpp"
#include "os/own_file.hpp"
#include "os/user_cache.hpp"

namespace oshen::coll {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 20;
constexpr const char* first_line = "oshen-tuning 1";
constexpr const char* installed[] = {"../share/oshen/tuning/default.txt", "../../share/oshen/tuning/default.txt"};

// Cuts the next word off `rest`. Null at the end of the text.
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

// The position of the text that is parsed, for error lines. `then` states the consequence of an error. A `silent` one
// prints no line.
struct text_position {
  char text[sizeof(tuning_rules::file) + 16] = "";
  const char* then = "";
  bool silent = false;
};

status unknown_algorithm(const text_position& at, const char* name, kind k) {
  if (at.silent) return status::bad_setting;
  char all[1024] = "auto";
  for (const algorithm* a : registry()) {
    const std::size_t used = strlen(all);
    if (a->collective == k) snprintf(all + used, sizeof all - used, ", %s", a->name);
  }
  log::error("%s: \"%s\" is no algorithm for %s: expected one of %s%s", at.text, name, name_of(k), all, at.then);
  return status::bad_setting;
}

// ---- settings ------------------------------------------------------------------------------------------------

// Parses a setting such as "inline@1k,central@64k,partitioned". Each algorithm is for sizes up to its own, and the last
// one for all larger sizes. Modifies `text`.
status add_setting(tuning_rules& p, kind k, const char* name, char* text) {
  while (char* word = next_word(text, ", ")) {
    rule r{.collective = k};
    if (char* at = strchr(word, '@')) {
      *at = '\0';
      if (!parse_size(at + 1, r.up_to)) {
        log::error("%s: \"%s\" is no size: expected algorithm@size, for example inline@1k", name, at + 1);
        return status::bad_setting;
      }
    }
    if (strcmp(word, "auto") != 0 && (r.algorithm_index = find_algorithm(k, word)) < 0) {
      text_position at;
      snprintf(at.text, sizeof at.text, "%s", name);
      return unknown_algorithm(at, word, k);
    }
    p.rules()[p.n_rules++] = r;
  }
  return status::ok;
}

status add_settings(tuning_rules& p) {
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
  const char* end = nullptr;
  double value = 0;
  if (!read_decimal(word, end, value) || *end != '\0' || !(value > 0 && value < 1e9)) return false;
  out = value;
  return true;
}

// Parses "8" or "5-12". Modifies `word`.
bool read_pes(char* word, rule& r) {
  long least = 0, most = 0;
  char* const dash = strchr(word, '-');
  if (dash != nullptr) *dash = '\0';
  if (!read_whole(word, least) || !read_whole(dash != nullptr ? dash + 1 : word, most)) return false;
  if (least < 1 || most < least || most > r.most_pes) return false;
  r.least_pes = static_cast<int>(least);
  r.most_pes = static_cast<int>(most);
  return true;
}

bool read_cpu_sharing(const char* word, rule& r) {
  constexpr const char* words[] = {"any", "own", "shared", "across"};
  for (int i = 0; i < 4; ++i) {
    if (strcmp(word, words[i]) != 0) continue;
    r.cpus = static_cast<cpu_sharing>(i);
    return true;
  }
  return false;
}

status not_understood(const text_position& at) {
  if (!at.silent)
    log::error("%s: expected \"use COLLECTIVE PES CPUS BYTES ALGORITHM\" or \"cost NAME NUMBER\"%s", at.text, at.then);
  return status::bad_setting;
}

// Parses the rest of a line such as "use reduce 5-12 shared 64k partitioned".
status add_use(tuning_rules& p, const text_position& at, rule r, char* rest) {
  char* words[5];
  for (char*& word : words)
    if ((word = next_word(rest)) == nullptr) return not_understood(at);
  if (next_word(rest) != nullptr || !find_kind(words[0], r.collective) || !read_pes(words[1], r) ||
      !read_cpu_sharing(words[2], r))
    return not_understood(at);
  if (strcmp(words[3], "all") != 0) {
    if (!parse_size(words[3], r.up_to)) return not_understood(at);
  }
  if ((r.algorithm_index = find_algorithm(r.collective, words[4])) < 0)
    return unknown_algorithm(at, words[4], r.collective);
  p.rules()[p.n_rules++] = r;
  return status::ok;
}

// Parses the rest of a line such as "cost line-ns 95".
status add_cost(machine& here, const text_position& at, char* rest) {
  struct parameter {
    const char* name;
    double machine::* value;
  };
  constexpr parameter parameters[] = {{"line-ns", &machine::line_ns},
                                      {"copy-ns", &machine::copy_ns},
                                      {"switch-ns", &machine::switch_ns},
                                      {"network-ns", &machine::network_ns},
                                      {"network-message-ns", &machine::network_message_ns},
                                      {"network-byte-ns", &machine::network_byte_ns}};
  const char* name = next_word(rest);
  const char* number = next_word(rest);
  if (number == nullptr || next_word(rest) != nullptr) return not_understood(at);
  for (const parameter& each : parameters)
    if (strcmp(each.name, name) == 0 && read_number(number, here.*each.value)) return status::ok;
  return not_understood(at);
}

// A file that is being read: the tuning file, or the user's file for this machine.
struct source {
  const char* file;
  machine& costs;
  bool of_machine;
  text_position at;
};

status add_line(tuning_rules& p, source& from, int line, char* text) {
  snprintf(from.at.text, sizeof from.at.text, "%s:%d", from.file, line);
  if (char* comment = strchr(text, '#')) *comment = '\0';
  const char* what = next_word(text);
  if (what == nullptr) return status::ok;
  if (strcmp(what, "use") == 0)
    return add_use(p, from.at, {.collective = {}, .line = line, .of_machine = from.of_machine}, text);
  if (strcmp(what, "cost") == 0) return add_cost(from.costs, from.at, text);
  return not_understood(from.at);
}

status add_file(tuning_rules& p, source& from, char* text) {
  for (int line = 1; text != nullptr; ++line) {
    char* const present = strsep(&text, "\n");
    if (line > 1) {
      if (const status s = add_line(p, from, line, present); failed(s)) return s;
    } else if (strcmp(present, first_line) != 0) {
      if (!from.at.silent)
        log::error("%s: this is no tuning file: its first line must be \"%s\"%s", from.file, first_line, from.at.then);
      return status::bad_setting;
    }
  }
  return status::ok;
}

// Reads the tuning file. A file that the user names must exist; the installed one need not.
status find_file(tuning_rules& p, char*& text) {
  text = nullptr;
  const char* why = nullptr;
  const char* wanted = setting_text("OSHEN_COLL_TUNING");
  if (wanted != nullptr && strcmp(wanted, "auto") != 0 && strcmp(wanted, "installed") != 0) {
    if (strcmp(wanted, "none") == 0) return status::ok;
    snprintf(p.file, sizeof p.file, "%s", wanted);
    if ((text = os::read_file(wanted, largest_file, why)) != nullptr) return status::ok;
    log::error("OSHEN_COLL_TUNING: cannot read %s: %s", wanted, why);
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
    if ((text = os::read_file(p.file, largest_file, why)) != nullptr) return status::ok;
  }
  p.file[0] = '\0';
  return status::ok;
}

constexpr machine nothing_measured{
    .line_ns = 0, .copy_ns = 0, .switch_ns = 0, .network_ns = 0, .network_message_ns = 0, .network_byte_ns = 0};
constexpr const char* without_it = "; the file is left out: write it anew with oshtune --quick, or remove it";

// Reads the user's file for this machine, unless OSHEN_COLL_TUNING names another file. Null if there is none, which is
// the usual case.
char* find_machine_file(tuning_rules& p, bool speaks) {
  const char* wanted = setting_text("OSHEN_COLL_TUNING");
  if (wanted != nullptr && strcmp(wanted, "auto") != 0) return nullptr;
  const char* why = nullptr;
  char* text = nullptr;
  if (os::user_cache_file_if_any("tuning", p.machine_file, sizeof p.machine_file) && access(p.machine_file, F_OK) == 0)
    text = os::read_file(p.machine_file, largest_file, why);
  if (text == nullptr && why != nullptr && speaks) log::error("cannot read %s: %s%s", p.machine_file, why, without_it);
  if (text == nullptr) p.machine_file[0] = '\0';
  return text;
}

std::uint64_t digest_of(const char* text, std::uint64_t before = 0xcbf29ce484222325u) {
  std::uint64_t hash = before;
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
  return hash;
}

// An upper bound of the number of rules. A rule takes a line of a file, or at least one character of a setting.
std::size_t most_rules(const char* text, const char* machine_text) {
  std::size_t most = 2;
  for (; text != nullptr && *text != '\0'; ++text) most += *text == '\n';
  for (; machine_text != nullptr && *machine_text != '\0'; ++machine_text) most += *machine_text == '\n';
  for (int i = 0; i < kinds; ++i)
    for (const char* c = setting_text(setting_name(static_cast<kind>(i)).text); c != nullptr && *c != '\0'; ++c)
      most += *c != ',';
  return most;
}

// Adds the rules of the user's file for this machine, or none of them if one line is wrong. fill() merges `costs` with
// those of the tuning file.
void add_machine_file(tuning_rules& p, char* text, bool speaks, machine& costs) {
  const int rules_before = p.n_rules;
  p.digest_of_both = digest_of(text);
  source from{p.machine_file, costs, true, {.then = without_it, .silent = !speaks}};
  if (!failed(add_file(p, from, text))) return;
  p.n_rules = rules_before;
  p.machine_file[0] = '\0';
  costs = nothing_measured;
}

status fill(tuning_rules& p, char* text, char* machine_text, bool speaks) {
  if (const status s = add_settings(p); failed(s)) return s;
  machine measured = nothing_measured;
  if (machine_text != nullptr) add_machine_file(p, machine_text, speaks, measured);
  if (text != nullptr) {
    p.digest = digest_of(text);
    source from{p.file, p.here, false, {}};
    if (const status s = add_file(p, from, text); failed(s)) return s;
  }
  p.without = p.here;
  for (double machine::* value : {&machine::line_ns, &machine::copy_ns, &machine::switch_ns, &machine::network_ns,
                                  &machine::network_message_ns, &machine::network_byte_ns})
    if (measured.*value > 0) p.here.*value = measured.*value;
  p.digest_of_both = *p.machine_file != '\0' ? p.digest_of_both * 31 + p.digest : p.digest;
  return status::ok;
}

}  // namespace

setting_name::setting_name(kind k) {
  const bool scan = k == kind::inscan || k == kind::exscan;
  snprintf(text, sizeof text, "%s%s", "OSHEN_COLL_", scan ? "scan" : name_of(k));
  for (char* c = text; *c != '\0'; ++c) *c = static_cast<char>(toupper(*c));
}

int find_algorithm(kind k, const char* name) {
  int algorithm_index = 0;
  for (const algorithm* a : registry()) {
    if (a->collective == k && strcmp(a->name, name) == 0) return algorithm_index;
    ++algorithm_index;
  }
  return -1;
}

status read_tuning(tuning_rules*& out, bool speaks) {
  out = nullptr;
  tuning_rules fresh;
  char* text = nullptr;
  if (const status s = find_file(fresh, text); failed(s)) return s;
  char* machine_text = find_machine_file(fresh, speaks);
  void* memory = calloc(1, sizeof(tuning_rules) + most_rules(text, machine_text) * sizeof(rule));
  status s = memory != nullptr ? status::ok : status::no_memory;
  if (memory != nullptr) {
    out = static_cast<tuning_rules*>(memory);
    *out = fresh;
    s = fill(*out, text, machine_text, speaks);
  }
  free(text);
  free(machine_text);
  if (failed(s)) {
    free(out);
    out = nullptr;
  }
  return s;
}

void leave_out_machine_file(tuning_rules& p) {
  if (*p.machine_file == '\0') return;
  rule* const end = std::remove_if(p.rules(), p.rules() + p.n_rules, [](const rule& r) { return r.of_machine; });
  p.n_rules = static_cast<int>(end - p.rules());
  p.machine_file[0] = '\0';
  p.here = p.without;
}

}  // namespace oshen::coll
