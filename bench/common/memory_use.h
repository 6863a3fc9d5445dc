// What this process holds, as the kernel counts it; -1 where it does not say.
#pragma once
#include <stdio.h>
#include <string.h>

static inline long memory_line_kb(const char* file, const char* key) {
  FILE* in = fopen(file, "r");
  if (in == NULL) return -1;
  char line[256];
  long kb = -1;
  while (kb < 0 && fgets(line, sizeof line, in) != NULL)
    if (strncmp(line, key, strlen(key)) == 0) sscanf(line + strlen(key), ": %ld", &kb);
  fclose(in);
  return kb;
}

// The most that was ever resident, pages shared with others counted in full.
static inline long memory_high_water_kb(void) {
  return memory_line_kb("/proc/self/status", "VmHWM");
}

// Resident now, a page shared by n processes counted as 1/n.
static inline long memory_share_kb(void) {
  return memory_line_kb("/proc/self/smaps_rollup", "Pss");
}
