// Memory of this process as the kernel counts it; -1 if unknown.
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

// Peak resident memory; shared pages count in full.
static inline long memory_high_water_kb(void) { return memory_line_kb("/proc/self/status", "VmHWM"); }

// Resident memory; a page shared by n processes counts 1/n.
static inline long memory_share_kb(void) { return memory_line_kb("/proc/self/smaps_rollup", "Pss"); }

// Open files; -1 if /proc does not tell.
static inline long memory_open_files(void) {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == NULL) return -1;
  long files = -3;  // itself, "." and ".."
  while (readdir(folder) != NULL) ++files;
  closedir(folder);
  return files;
}

// Mapped address ranges; -1 if /proc does not tell.
static inline long memory_mappings(void) {
  FILE* const in = fopen("/proc/self/maps", "r");
  if (in == NULL) return -1;
  long lines = 0;
  for (int c; (c = fgetc(in)) != EOF;) lines += c == '\n';
  fclose(in);
  return lines;
}
