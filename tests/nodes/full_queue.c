// A card whose queue is full has room again within a microsecond. An operation that it refuses waits for that and goes
// directly, because to defer it, and all behind it, takes longer. Deferred operations ask for completion entries, and
// direct ones are counted by the card; tests/nodes/fabric_null tells how many entries were asked for.
#include <stdlib.h>
#include <string.h>

#include "null_counts.h"

enum { operations = 20000, most_deferred = operations / 100 };

static null_count* reports;

static long *words, *sums, *source;

static void put(int i) { shmem_long_put_nbi(&words[i], &source[i], 1, 1); }
static void get(int i) { shmem_long_get_nbi(&source[i], &words[i], 1, 1); }
static void add(int i) { shmem_long_atomic_add(&sums[i % 4], 1, 1); }

static void issue(const char* what, void (*operation)(int i)) {
  operation(0);  // connects
  shmem_quiet();
  const unsigned long before = reports();
  for (int i = 1; i < operations; ++i) operation(i);
  const unsigned long deferred = reports() - before;
  shmem_quiet();
  printf("%s: %lu of %d deferred\n", what, deferred, operations);
  if (deferred > most_deferred) fail(what, deferred);
}

// A blocking put whose source the card does not copy takes the way of deferred ones.
static void count_an_entry(void) {
  const unsigned long before = reports();
  shmem_long_put(words, source, operations, 1);
  if (reports() == before) fail("entries that a long put asked for", 0);
}

int main(void) {
  shmem_init();
  words = shmem_calloc(operations, sizeof *words);
  sums = shmem_calloc(4, sizeof *sums);
  source = malloc(operations * sizeof *source);
  if (words == NULL || sums == NULL || source == NULL) fail("no memory", 0);
  for (int i = 0; i < operations; ++i) source[i] = i + 1;
  shmem_barrier_all();
  if (shmem_my_pe() == 0) {
    reports = find_count("fabric_null_reports_of_thread");
    issue("put_nbi", put);
    memset(source, 0, operations * sizeof *source);
    issue("get_nbi", get);
    issue("atomic_add", add);
    for (int i = 0; i < operations; ++i)
      if (source[i] != i + 1) fail("wrong value that was put and got", (unsigned long)source[i]);
    count_an_entry();
  }
  shmem_barrier_all();
  const long sum = sums[0] + sums[1] + sums[2] + sums[3];
  if (shmem_my_pe() == 1 && sum != operations) fail("wrong sum", (unsigned long)sum);
  free(source);
  shmem_finalize();
  return 0;
}
