// The counts that tests/nodes/fabric_null keeps for the calling thread, for programs that run over it.
#pragma once

#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>

typedef unsigned long null_count(void);

static inline void fail(const char* what, unsigned long number) {
  fprintf(stderr, "%s: %lu\n", what, number);
  shmem_global_exit(1);
}

static inline null_count* find_count(const char* name) {
  void* library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* found = library != NULL ? dlsym(library, name) : NULL;
  if (found == NULL) fail("libfabric.so.1 is not fabric_null", 0);
  null_count* count;
  *(void**)&count = found;
  return count;
}
