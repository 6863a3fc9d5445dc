/* Preloaded into a program: every peer appears to be on another node, and puts are as late as the standard allows. A
 * non-blocking put reads its source only when it is moved; a blocking put copies its source first. A quiet or a
 * barrier moves everything. A fence moves nothing: it only orders, so that earlier puts are moved first when a flag
 * for the same PE follows. Flags are moved when the program waits in vain, one after another until the wait ends. This
 * finds programs that raise a flag too early, change the source too early, or use a fence instead of a quiet. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 65536

static struct late_put {
  void* dest;
  const void* source;
  void* aside; /* the copy made by a blocking put, to be freed here */
  size_t bytes;
  int pe;
  unsigned fences; /* number of fences before it */
  bool word;       /* written by shmem_p: others wait for it */
} late[MANY];
static size_t n_late;
static unsigned fences;

static void* next(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (symbol == NULL) {
    fprintf(stderr, "preload_late_puts: no %s\n", name);
    abort();
  }
  return symbol;
}

/* Functions that are passed on. */
static void call(const char* name) {
  void (*function)(void);
  void* symbol = next(name);
  memcpy(&function, &symbol, sizeof function);
  function();
}

/* `name`: the library's own function of that symbol. */
#define FIND(name, symbol, result, ...) \
  static result (*name)(__VA_ARGS__);   \
  if (name == NULL) {                   \
    void* found = next(symbol);         \
    memcpy(&name, &found, sizeof name); \
  }

static void move(const struct late_put* p) {
  FIND(put, "shmem_putmem", void, void*, const void*, size_t, int)
  put(p->dest, p->source, p->bytes, p->pe);
  free(p->aside);
}

static void move_group(size_t first, size_t behind, int pe) {
  for (size_t i = first; i < behind; i++)
    if (late[i].word && (pe < 0 || late[i].pe == pe)) move(&late[i]), late[i].bytes = 0;
  for (size_t i = behind; i-- > first;)
    if (!late[i].word && (pe < 0 || late[i].pe == pe)) move(&late[i]), late[i].bytes = 0;
}

/* Moves the operations for `pe` (-1: all) with fewer than `end` fences before them. Between two fences, flags are
 * moved in order, and puts that no fence orders before them are moved after them, the last first. */
static void move_some(int pe, unsigned end) {
  size_t left = 0;
  for (size_t first = 0, behind; first < n_late; first = behind) {
    for (behind = first; behind < n_late && late[behind].fences == late[first].fences; behind++) continue;
    if (late[first].fences < end) move_group(first, behind, pe);
    for (size_t i = first; i < behind; i++)
      if (late[i].bytes != 0) late[left++] = late[i];
  }
  n_late = left;
}

/* Moves one flag. Flags arrive eventually without further calls; here this happens when the program waits. Returns
 * false if there is none. */
static bool move_a_word(void) {
  for (size_t i = 0; i < n_late; i++) {
    if (!late[i].word) continue;
    const struct late_put word = late[i];
    memmove(&late[i], &late[i + 1], (--n_late - i) * sizeof late[0]);
    move_some(word.pe, word.fences);
    move(&word);
    return true;
  }
  return false;
}

static void move_all(void) { move_some(-1, fences + 1); }

static void remember(struct late_put p) {
  if (n_late == MANY) move_all();
  p.fences = fences;
  late[n_late++] = p;
}

static void* copy_of(const void* source, size_t bytes) {
  void* aside = malloc(bytes);
  if (aside == NULL) abort();
  return memcpy(aside, source, bytes);
}

void* shmem_ptr(const void* dest, int pe) {
  (void)dest, (void)pe;
  return NULL;
}

void shmem_putmem_nbi(void* dest, const void* source, size_t bytes, int pe) {
  if (bytes != 0) remember((struct late_put){.dest = dest, .source = source, .bytes = bytes, .pe = pe});
}

static void put_aside(void* dest, const void* source, size_t bytes, int pe, bool word) {
  if (bytes == 0) return;
  void* aside = copy_of(source, bytes);
  remember((struct late_put){.dest = dest, .source = aside, .aside = aside, .bytes = bytes, .pe = pe, .word = word});
}

void shmem_putmem(void* dest, const void* source, size_t bytes, int pe) { put_aside(dest, source, bytes, pe, false); }

void shmem_uint64_p(uint64_t* dest, uint64_t value, int pe) { put_aside(dest, &value, sizeof value, pe, true); }

void shmem_putmem_signal(void* dest, const void* source, size_t bytes, uint64_t* sig_addr, uint64_t signal, int sig_op,
                         int pe) {
  FIND(put_signal, "shmem_putmem_signal", void, void*, const void*, size_t, uint64_t*, uint64_t, int, int);
  move_some(pe, fences);
  put_signal(dest, source, bytes, sig_addr, signal, sig_op, pe);
}

int shmem_uint64_test(uint64_t* ivar, int cmp, uint64_t value) {
  FIND(test, "shmem_uint64_test", int, uint64_t*, int, uint64_t);
  return test(ivar, cmp, value) || (move_a_word() && test(ivar, cmp, value));
}

void shmem_uint64_wait_until(uint64_t* ivar, int cmp, uint64_t value) {
  FIND(test, "shmem_uint64_test", int, uint64_t*, int, uint64_t);
  FIND(wait_until, "shmem_uint64_wait_until", void, uint64_t*, int, uint64_t);
  while (!test(ivar, cmp, value) && move_a_word()) continue;
  wait_until(ivar, cmp, value);
}

size_t shmem_uint64_wait_until_any_vector(uint64_t* ivars, size_t n, const int* status, int cmp,
                                          const uint64_t* values) {
  FIND(test_any, "shmem_uint64_test_any_vector", size_t, uint64_t*, size_t, const int*, int, const uint64_t*);
  FIND(wait_any, "shmem_uint64_wait_until_any_vector", size_t, uint64_t*, size_t, const int*, int, const uint64_t*);
  do {
    const size_t found = test_any(ivars, n, status, cmp, values);
    if (found != SIZE_MAX) return found;
  } while (move_a_word());
  return wait_any(ivars, n, status, cmp, values);
}

void shmem_finalize(void) {
  move_all();
  call("shmem_finalize");
}

void shmem_fence(void) {
  fences++;
  call("shmem_fence");
}

void shmem_quiet(void) {
  move_all();
  call("shmem_quiet");
}

void shmem_barrier_all(void) {
  move_all();
  call("shmem_barrier_all");
}
