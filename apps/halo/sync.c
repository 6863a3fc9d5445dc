#include "sync.h"

#include <stdio.h>
#include <string.h>

enum { most_ways = 31 }; /* bits of a set */

static const char* names[most_ways] = {"barrier", "quiet+sync", "fence+flag", "signal",   "pscw",
                                       "counter", "get-pull",   "coll",       "two-sided"};
static unsigned ways = SYNCS;

void sync_add(const char* name) {
  if (ways < most_ways) names[ways++] = name;
}

unsigned sync_added(void) {
  unsigned set = 0;
  for (unsigned how = SYNCS; how < ways; how++) set |= 1u << how;
  return set;
}

const char* sync_name(sync_how_t how) { return names[how]; }

static unsigned one(const char* word, size_t length) {
  for (unsigned how = 0; how < ways; how++)
    if (strlen(names[how]) == length && strncmp(names[how], word, length) == 0) return 1u << how;
  return 0;
}

unsigned sync_parse(const char* list, unsigned offered, const char** bad) {
  unsigned set = 0;
  if (strcmp(list, "all") == 0) return offered;
  for (const char* word = list;; word++) {
    const size_t length = strcspn(word, ",");
    const unsigned bit = one(word, length) & offered;
    *bad = word;
    if (bit == 0) return 0;
    set |= bit;
    word += length;
    if (*word == '\0') return set;
  }
}

void sync_names(unsigned set, char* to, unsigned long size) {
  unsigned long used = 0;
  to[0] = '\0';
  for (unsigned how = 0; how < ways; how++)
    if ((set & 1u << how) != 0 && used < size)
      used += (unsigned long)snprintf(to + used, size - used, "%s%s", used == 0 ? "" : ", ", names[how]);
}
