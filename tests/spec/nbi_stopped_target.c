// Non-blocking calls return although the target is stopped: PE 0 lets it go on only after its calls have returned. Then
// PE 0 and the target issue more operations towards each other than their queues hold. It repeats both in a session.
// @extension
#include <unistd.h>

#include "stopped.h"

enum { stores = 1500, signals = 500, atomics = 1000, gets = 500, bytes = 8192, many = 4000 };
enum { packed_gets = 100000, packed_adds = 20000, very_many = 1000000 };

static long target_pid;
static char window[signals][bytes];
static uint64_t counter, data_signal;
static long words[stores], answers[gets], more, more_signalled[many];
static uint64_t more_signal;
static long packed_counter;

static void issue_to_a_stopped_pe(int pe) {
  static char source[bytes];
  static long values[stores], got[gets];
  static uint64_t old[atomics];
  memset(source, 7, sizeof source);
  for (int i = 0; i < gets; i++) got[i] = -1;
  const long pid = shmem_long_g(&target_pid, pe);
  stop(pid);
  for (int i = 0; i < stores; i++) {
    values[i] = i + 1;
    shmem_long_put_nbi(&words[i], &values[i], 1, pe);
  }
  for (int i = 0; i < signals; i++)
    shmem_putmem_signal_nbi(window[i], source, bytes, &data_signal, 1, SHMEM_SIGNAL_ADD, pe);
  for (int i = 0; i < atomics; i++) shmem_uint64_atomic_fetch_add_nbi(&old[i], &counter, 1, pe);
  for (int i = 0; i < gets; i++) shmem_long_get_nbi(&got[i], &answers[i], 1, pe);
  CHECK(state_of(pid) == 'T', "the target went on before it was told to");
  CHECK(kill((pid_t)pid, SIGCONT) == 0, "cannot continue process %ld", pid);
  shmem_quiet();
  uint64_t sum = 0;
  for (int i = 0; i < atomics; i++) sum += old[i];
  CHECK(sum == (uint64_t)atomics * (atomics - 1) / 2, "the old values add up to %llu", (unsigned long long)sum);
  for (int i = 0; i < gets; i++) CHECK(got[i] == 3 * i, "get %d: %ld", i, got[i]);
}

static void check_the_target(void) {
  CHECK(counter == atomics, "%llu atomics", (unsigned long long)counter);
  CHECK(data_signal == signals, "%llu signals", (unsigned long long)data_signal);
  for (int i = 0; i < stores; i++) CHECK(words[i] == i + 1, "put %d: %ld", i, words[i]);
  for (int i = 0; i < signals; i++)
    for (int k = 0; k < bytes; k++) CHECK(window[i][k] == 7, "byte %d of message %d: %d", k, i, window[i][k]);
}

static void fill_the_queue(int pe) {
  static long old[many];
  static const long one = 1;
  for (int i = 0; i < many; i++) {
    shmem_long_atomic_fetch_inc_nbi(&old[i], &more, pe);
    shmem_long_put_signal_nbi(&more_signalled[i], &one, 1, &more_signal, 1, SHMEM_SIGNAL_ADD, pe);
  }
  shmem_quiet();
  long sum = 0;
  for (int i = 0; i < many; i++) sum += old[i];
  CHECK(sum == (long)many * (many - 1) / 2, "the old values add up to %ld", sum);
}

static void check_gets(const long* got, int n) {
  for (int i = 0; i < n; i++) CHECK(got[i] == 3 * (i % gets), "packed get %d of %d: %ld", i, n, got[i]);
}

// In a session the calls return although the packs cannot leave.
static void issue_packed_to_a_stopped_pe(int pe) {
  long* const got = calloc(packed_gets + packed_adds, sizeof *got);
  CHECK(got != NULL, "no memory");
  long* const old = got + packed_gets;
  const long pid = shmem_long_g(&target_pid, pe);
  stop(pid);
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  for (int i = 0; i < packed_gets; i++) shmem_long_get_nbi(&got[i], &answers[i % gets], 1, pe);
  for (int i = 0; i < packed_adds; i++) shmem_long_atomic_fetch_inc_nbi(&old[i], &packed_counter, pe);
  shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
  CHECK(state_of(pid) == 'T', "the target went on before it was told to");
  CHECK(kill((pid_t)pid, SIGCONT) == 0, "cannot continue process %ld", pid);
  shmem_quiet();
  check_gets(got, packed_gets);
  long sum = 0;
  for (int i = 0; i < packed_adds; i++) sum += old[i];
  CHECK(sum == (long)packed_adds * (packed_adds - 1) / 2, "the old values add up to %ld", sum);
  free(got);
}

static void fill_the_queue_with_packs(int pe) {
  long* const got = calloc(very_many, sizeof *got);
  CHECK(got != NULL, "no memory");
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  for (int i = 0; i < very_many; i++) shmem_long_get_nbi(&got[i], &answers[i % gets], 1, pe);
  shmem_quiet();
  check_gets(got, very_many);
  shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
  free(got);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), last = shmem_n_pes() - 1;
  target_pid = getpid();
  for (int i = 0; i < gets; i++) answers[i] = 3 * i;
  shmem_barrier_all();
  if (me == 0 && last > 0) issue_to_a_stopped_pe(last);
  shmem_barrier_all();
  if (me == last && last > 0) check_the_target();
  if (me == 0 || me == last) fill_the_queue(last - me);
  shmem_barrier_all();
  if (me == 0 || me == last)
    CHECK(more == many && more_signal == many, "%ld atomics, %llu signals", more, (unsigned long long)more_signal);
  for (int i = 0; i < many && (me == 0 || me == last); i++) CHECK(more_signalled[i] == 1, "put %d did not come", i);
  shmem_barrier_all();
  if (me == 0 && last > 0) issue_packed_to_a_stopped_pe(last);
  shmem_barrier_all();
  if (me == last && last > 0) CHECK(packed_counter == packed_adds, "%ld packed atomics", packed_counter);
  if (me == 0 || me == last) fill_the_queue_with_packs(last - me);
  shmem_finalize();
  return 0;
}
