/* Preloaded into a program: every peer appears to be on another node, so that exchange plans use puts. If
 * OSHEN_TEST_CORRUPT is set, one byte of the third large put is wrong, which a check of results must notice: "1" the
 * lowest one of a number, "sign" the highest one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

void* shmem_ptr(const void* dest, int pe) {
  (void)dest, (void)pe;
  return NULL;
}

/* Counts large puts of all kinds. */
static void corrupt_the_third(const void* source, size_t bytes) {
  static int large;
  const char* how = getenv("OSHEN_TEST_CORRUPT");
  if (bytes <= 1000 || ++large != 3 || how == NULL) return;
  unsigned char* number = (unsigned char*)source + bytes / 16 * 8; /* in the plan's own staging memory */
  if (strcmp(how, "sign") == 0) {
    number[7] ^= 0x80;
  } else {
    number[0] ^= 1;
  }
}

void shmem_putmem_nbi(void* dest, const void* source, size_t bytes, int pe) {
  static void (*put)(void*, const void*, size_t, int);
  if (put == NULL) {
    void* symbol = dlsym(RTLD_NEXT, "shmem_putmem_nbi");
    memcpy(&put, &symbol, sizeof put);
  }
  corrupt_the_third(source, bytes);
  put(dest, source, bytes, pe);
}

void shmem_putmem_signal(void* dest, const void* source, size_t bytes, uint64_t* sig_addr, uint64_t signal, int sig_op,
                         int pe) {
  static void (*put)(void*, const void*, size_t, uint64_t*, uint64_t, int, int);
  if (put == NULL) {
    void* symbol = dlsym(RTLD_NEXT, "shmem_putmem_signal");
    memcpy(&put, &symbol, sizeof put);
  }
  corrupt_the_third(source, bytes);
  put(dest, source, bytes, sig_addr, signal, sig_op, pe);
}
