// Threads of a PE under SHMEM_THREAD_MULTIPLE: run_threads starts `thread_count` of them and joins.
#pragma once

#include <pthread.h>
#include "check.h"

enum { thread_count = 3 };

struct thread_slot {
  pthread_t handle;
  int number;
  void (*body)(int number);
};

static inline void* thread_main(void* slot) {
  const struct thread_slot* mine = slot;
  mine->body(mine->number);
  return NULL;
}

static inline void run_threads(void (*body)(int number)) {
  struct thread_slot slots[thread_count];
  for (int i = 0; i < thread_count; i++) {
    slots[i].number = i;
    slots[i].body = body;
    CHECK(pthread_create(&slots[i].handle, NULL, thread_main, &slots[i]) == 0, "pthread_create");
  }
  for (int i = 0; i < thread_count; i++) pthread_join(slots[i].handle, NULL);
}

static inline void init_multiple(void) {
  int provided = -1;
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0, "init_thread");
  CHECK(provided == SHMEM_THREAD_MULTIPLE, "provided level %d", provided);
}
