// What this process holds, as the kernel counts it; -1 where it does not say.
#pragma once
#include <dirent.h>
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

// Files that are open; -1 where /proc does not say.
static inline long memory_open_files(void) {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == NULL) return -1;
  long files = -3;  // itself, "." and ".."
  while (readdir(folder) != NULL) ++files;
  closedir(folder);
  return files;
}

// Ranges of addresses that are mapped; -1 where /proc does not say.
static inline long memory_mappings(void) {
  FILE* const in = fopen("/proc/self/maps", "r");
  if (in == NULL) return -1;
  long lines = 0;
  for (int c; (c = fgetc(in)) != EOF;) lines += c == '\n';
  fclose(in);
  return lines;
}
