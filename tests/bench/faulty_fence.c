/* Preloaded into the litmus tests: an OpenSHMEM library with the fault FAULT.
 *
 *   fence      a put of longs arrives in the next quiet, or after the next barrier; a fence does not deliver it
 *   signal     a put with signal never updates the signal
 *   strange    p writes another value
 *   crash      g ends the program
 */
#include <pshmem.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

static struct {
  long *dest, value;
  int pe;
} held[1000]; /* more than the puts between two barriers */
static int n_held;

static int is(const char* what) {
  const char* fault = getenv("FAULT");
  return fault != NULL && strcmp(fault, what) == 0;
}

static void deliver(void) {
  for (int i = 0; i < n_held; i++) pshmem_long_put(held[i].dest, &held[i].value, 1, held[i].pe);
  n_held = 0;
}

void shmem_long_put(long* dest, const long* source, size_t count, int pe) {
  if (is("fence") && n_held < 1000) {
    held[n_held].dest = dest;
    held[n_held].value = *source;
    held[n_held++].pe = pe;
  } else {
    pshmem_long_put(dest, source, count, pe);
  }
}

void shmem_quiet(void) {
  deliver();
  pshmem_quiet();
}

void shmem_barrier_all(void) {
  pshmem_barrier_all();
  deliver(); /* after it: a reader that is late has read before it enters the barrier */
}

void shmem_long_put_signal(long* dest, const long* source, size_t count, uint64_t* flag, uint64_t value, int operation,
                           int pe) {
  if (is("signal"))
    pshmem_long_put(dest, source, count, pe);
  else
    pshmem_long_put_signal(dest, source, count, flag, value, operation, pe);
}

void shmem_long_p(long* dest, long value, int pe) { pshmem_long_p(dest, is("strange") ? value + 100 : value, pe); }

long shmem_long_g(const long* source, int pe) {
  if (is("crash")) _Exit(7);
  return pshmem_long_g(source, pe);
}
