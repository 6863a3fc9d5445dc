/* Loaded in front of a program: makes every peer look as if it were on another node, so that
 * exchange plans take their way through puts. With OSHEN_TEST_CORRUPT set, one byte of the third
 * large put is wrong: what a check of results must notice. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

void* shmem_ptr(const void* dest, int pe) {
  (void)dest, (void)pe;
  return NULL;
}

void shmem_putmem_nbi(void* dest, const void* source, size_t bytes, int pe) {
  static void (*put)(void*, const void*, size_t, int);
  static int large;
  if (put == NULL) {
    void* symbol = dlsym(RTLD_NEXT, "shmem_putmem_nbi");
    memcpy(&put, &symbol, sizeof put);
  }
  if (bytes > 1000 && ++large == 3 && getenv("OSHEN_TEST_CORRUPT") != NULL) {
    ((unsigned char*)source)[bytes / 2] ^= 1; /* the plan's own staging memory */
  }
  put(dest, source, bytes, pe);
}
