// Time and memory of a process at each stage of its life. They are printed before the library's finalize and again
// after it, because a library may crash in between.
#pragma once
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "memory_use.h"

typedef struct {
  const char* name;
  double at;  // seconds since the epoch, like the driver's clock
  long high_water_kb, resident_kb, share_kb, threads;
  long anonymous_kb, file_kb, shared_kb, files, mappings;  // set by stage_details, else 0
} stage;

enum { most_stages = 16 };
static stage stages[most_stages];
static int stage_count, stages_told;

static inline void stage_reached(const char* name) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  stages[stage_count++] = (stage){.name = name,
                                  .at = (double)t.tv_sec + (double)t.tv_nsec * 1e-9,
                                  .high_water_kb = memory_high_water_kb(),
                                  .resident_kb = memory_line_kb("/proc/self/status", "VmRSS"),
                                  .share_kb = memory_share_kb(),
                                  .threads = memory_line_kb("/proc/self/status", "Threads")};
}

// Adds the composition of memory to the last stage.
static inline void stage_details(void) {
  stage* const s = &stages[stage_count - 1];
  s->anonymous_kb = memory_line_kb("/proc/self/status", "RssAnon");
  s->file_kb = memory_line_kb("/proc/self/status", "RssFile");
  s->shared_kb = memory_line_kb("/proc/self/status", "RssShmem");
  s->files = memory_open_files();
  s->mappings = memory_mappings();
}

// Prints the new stages. One write for all, so that lines of PEs do not mix.
static inline void stages_tell(int me, int pes) {
  char text[4096];
  size_t length = 0;
  for (; stages_told < stage_count; ++stages_told) {
    const stage* s = &stages[stages_told];
    length += (size_t)snprintf(text + length, sizeof text - length,
                               "stage|%s|%d|%d|%.9f|%ld|%ld|%ld|%ld|%ld|%ld|%ld|%ld|%ld|\n", s->name, me, pes, s->at,
                               s->high_water_kb, s->resident_kb, s->share_kb, s->threads, s->anonymous_kb, s->file_kb,
                               s->shared_kb, s->files, s->mappings);
  }
  if (write(STDOUT_FILENO, text, length) < 0) perror("stages");
}
