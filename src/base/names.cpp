#include "base/names.hpp"

#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.hpp"

namespace oshen {
namespace {

constexpr int longest_name = 63;
constexpr const char* own_prefix = "OSHEN_";
constexpr const char* prefixes[] = {own_prefix, "SHMEM_", "SMA_"};

// Known OSHEN_ variables that are not settings, without the prefix. Other programs of Oshen read them, oshrun sets them
// for its PEs, or module files and build systems set them for installed software. OSHEN_TEST_* belong to the tests.
constexpr const char* others[] = {"CC",     "CXX",  "FC",      "LAMMPS",  "LAMMPS_REPORT", "PE",     "N_PES", "NODE",
                                  "JOB_FD", "ROOT", "HOME",    "DIR",     "PREFIX",        "BASE",   "PATH",  "BIN",
                                  "LIB",    "INC",  "INCLUDE", "VERSION", "FORTRAN_CACHE", "LIBRARY"};

// The largest distance at which a name counts as a misspelt setting. It grows with the length.
int tolerance(const char* name) { return 1 + static_cast<int>(strlen(name)) / 10; }

bool is_of_others(const char* name) {
  if (strncmp(name, own_prefix, strlen(own_prefix)) != 0) return false;
  const char* rest = name + strlen(own_prefix);
  if (strncmp(rest, "TEST_", strlen("TEST_")) == 0) return true;
  return std::any_of(std::begin(others), std::end(others), [=](const char* known) { return strcmp(rest, known) == 0; });
}

// The setting that is nearest to `name`, and its distance in `best`; null if no setting is near.
const char* nearest(const char* name, std::span<const setting_row> table, int& best) {
  const char* found = nullptr;
  best = tolerance(name) + 1;
  for (const setting_row& row : table)
    for (const char* known : {row.name, row.alias}) {
      const int far = *known != '\0' ? distance(name, known, best) : best;
      if (far >= best) continue;
      best = far;
      found = known;
    }
  return found;
}

void look_at(const char* name, std::span<const setting_row> table) {
  int far = 0;
  const char* meant = nearest(name, table, far);
  if (meant != nullptr && far == 0) return;
  if (is_of_others(name)) return;
  if (meant != nullptr)
    log::error("%s is set, but there is no such setting; did you mean %s?", name, meant);
  else if (strncmp(name, own_prefix, strlen(own_prefix)) == 0)
    log::error("%s is set, but there is no such setting; \"oshinfo --settings\" lists all settings", name);
}

}  // namespace

// Optimal string alignment, row by row (Damerau: A technique for computer detection and correction of spelling errors,
// CACM 7(3), 1964, doi:10.1145/363958.363994).
int distance(const char* from, const char* to, int most) {
  const int n = static_cast<int>(strlen(from)), m = static_cast<int>(strlen(to));
  if (n > longest_name || m > longest_name || n - m > most || m - n > most) return most + 1;
  int rows[3][longest_name + 1];
  for (int j = 0; j <= m; ++j) rows[0][j] = j;
  for (int i = 1; i <= n; ++i) {
    int* now = rows[i % 3];
    const int* before = rows[(i + 2) % 3];
    const int* two_before = rows[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; ++j) {
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (from[i - 1] != to[j - 1])});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        now[j] = std::min(now[j], two_before[j - 2] + 1);
    }
  }
  return std::min(rows[n % 3][m], most + 1);
}

void name_unknown_variables(std::span<const setting_row> table) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool ours = std::any_of(std::begin(prefixes), std::end(prefixes),
                                  [=](const char* prefix) { return strncmp(*variable, prefix, strlen(prefix)) == 0; });
    const std::size_t length = strcspn(*variable, "=");
    if (!ours || length > longest_name) continue;
    char name[longest_name + 1];
    memcpy(name, *variable, length);
    name[length] = '\0';
    look_at(name, table);
  }
}

}  // namespace oshen
