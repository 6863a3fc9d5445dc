/* Sorts integers by buckets: each PE sends the keys of each range to the PE that owns the range,
 * and sorts its own.
 *
 *     oshrun -n 4 isx [keys] [--scaling strong|weak] [--steps N] [--sync LIST|all] ...
 *
 * To check, each PE makes the keys of all other PEs again, counts those that it must receive, and adds them up. Each
 * step has different keys, so that a key of an earlier step is noticed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/app.h"
#include "isx_keys.h"

enum { digit_bits = 14, digits = 1 << digit_bits }; /* two of them make a key */

typedef struct sorter {
  long keys;              /* of each PE */
  int32_t width;          /* of a bucket */
  int32_t* key;           /* this PE's keys before the exchange */
  int32_t *sorted, *half; /* the keys received, sorted; the same, sorted by the lower digit alone */
  long received, room;    /* elements of `sorted`: used and allocated */
  long all_received, sum; /* number and sum of the keys received in all steps */
  int32_t shift;          /* added to the first keys to make those of this step */
  long* count;            /* by thread and PE: its keys for the PE; then the place of its next key in the message */
  long* place;            /* by thread and digit: the same for the sort */
  int32_t** message;      /* to each PE */
  halo_t* halo;
} sorter_t;

/* The last step has the unshifted keys. */
static int32_t shift_of(int step, int steps) { return (int32_t)((steps - 1L - step) * 123456789L % isx_key_limit); }

static int32_t shifted(const sorter_t* s, int32_t key) { return (key + s->shift) % isx_key_limit; }

static long* counts_of(const sorter_t* s, int thread) { return s->count + (long)thread * halo_pes(); }

static void count_part(int thread, void* of) {
  const sorter_t* s = of;
  long from, to, *count = counts_of(s, thread);
  share(s->keys, threads_count(), thread, &from, &to);
  for (int pe = 0; pe < halo_pes(); pe++) count[pe] = 0;
  for (long i = from; i < to; i++) count[shifted(s, s->key[i]) / s->width]++;
}

/* Turns the numbers of each thread into its first place behind the threads before it. Returns the sum. */
static long to_places(long* of_first, long step) {
  long sum = 0;
  for (int t = 0; t < threads_count(); t++) {
    const long own = of_first[t * step];
    of_first[t * step] = sum;
    sum += own;
  }
  return sum;
}

/* The most keys that I send to one PE in any step. */
static long most_to_one(sorter_t* s, int steps) {
  long most = 0;
  for (int step = 0; step < steps; step++) {
    s->shift = shift_of(step, steps);
    threads_run(count_part, s);
    for (int pe = 0; pe < halo_pes(); pe++) {
      const long keys = to_places(s->count + pe, halo_pes());
      if (keys > most) most = keys;
    }
  }
  return most;
}

/* Links every PE to every PE. Each message has room for the most keys that any PE sends to one PE. */
static halo_t* link_all(sorter_t* s, int steps, sync_how_t how) {
  const int n = halo_pes();
  halo_link_t* link = malloc((size_t)n * sizeof *link);
  if (link == NULL) return NULL;
  for (int pe = 0; pe < n; pe++) link[pe] = (halo_link_t){pe, halo_me()};
  halo_t* halo = halo_create(how, n, link, (size_t)most_to_one(s, steps) * sizeof(int32_t));
  free(link);
  return halo;
}

static int create(sorter_t* s, const app_options_t* o, sync_how_t how) {
  const long n = halo_pes();
  isx_keys_t keys = isx_keys_of(halo_me());
  *s = (sorter_t){.keys = o->weak ? o->number[0] : o->number[0] / n};
  s->width = (int32_t)((isx_key_limit + n - 1) / n);
  s->key = malloc((size_t)s->keys * sizeof *s->key);
  s->count = malloc((size_t)(n * threads_count()) * sizeof *s->count);
  s->place = malloc((size_t)threads_count() * digits * sizeof *s->place);
  s->message = malloc((size_t)n * sizeof *s->message);
  if (s->key == NULL || s->count == NULL || s->place == NULL || s->message == NULL) return 1;
  for (long i = 0; i < s->keys; i++) s->key[i] = isx_next(&keys);
  s->halo = link_all(s, o->steps, how);
  return s->halo == NULL;
}

static void destroy(sorter_t* s) {
  halo_destroy(s->halo);
  free(s->key), free(s->count), free(s->place), free(s->message), free(s->sorted), free(s->half);
}

static void pack_part(int thread, void* of) {
  const sorter_t s = *(const sorter_t*)of; /* a copy, as in the sort */
  long from, to, *place = counts_of(&s, thread);
  share(s.keys, threads_count(), thread, &from, &to);
  for (long i = from; i < to; i++) {
    const int32_t key = shifted(&s, s.key[i]);
    const int pe = key / s.width;
    s.message[pe][place[pe]++] = key;
  }
}

static void pack(sorter_t* s) {
  threads_run(count_part, s);
  timers_enter(PHASE_PACK);
  for (int pe = 0; pe < halo_pes(); pe++) {
    halo_size(s->halo, pe, (size_t)to_places(s->count + pe, halo_pes()) * sizeof(int32_t));
    s->message[pe] = halo_out(s->halo, pe);
  }
  threads_run(pack_part, s);
}

static void make_room(sorter_t* s, long keys) {
  s->room = 2 * keys;
  s->sorted = realloc(s->sorted, (size_t)s->room * sizeof *s->sorted);
  s->half = realloc(s->half, (size_t)s->room * sizeof *s->half);
  if (s->sorted == NULL || s->half == NULL) halo_abort(3);
}

/* Returns non-zero if a key is outside of this PE's range. */
static int gather(sorter_t* s) {
  const int32_t first = halo_me() * s->width;
  s->received = 0;
  for (int pe = 0; pe < halo_pes(); pe++) {
    size_t bytes;
    const int32_t* key = halo_in(s->halo, pe, &bytes);
    const long n = (long)(bytes / sizeof *key);
    if (s->received + n > s->room) make_room(s, s->received + n);
    for (long i = 0; i < n; i++) {
      if (key[i] < first || key[i] - first >= s->width) return 1;
      s->sorted[s->received++] = key[i];
      s->sum += key[i];
    }
  }
  s->all_received += s->received;
  return 0;
}

typedef struct digit_job {
  const int32_t* from;
  int32_t* to;
  long keys, *place;
  int shift;
} digit_job_t;

static int digit_of(int32_t key, int shift) { return key >> shift & (digits - 1); }

/* Each thread works on a copy of the job, because the compiler must assume that keys overlap it. */
static void count_digits(int thread, void* of) {
  const digit_job_t j = *(const digit_job_t*)of;
  long from, to, *place = j.place + (long)thread * digits;
  share(j.keys, threads_count(), thread, &from, &to);
  memset(place, 0, digits * sizeof *place);
  for (long i = from; i < to; i++) place[digit_of(j.from[i], j.shift)]++;
}

static void move_keys(int thread, void* of) {
  const digit_job_t j = *(const digit_job_t*)of;
  long from, to, *place = j.place + (long)thread * digits;
  share(j.keys, threads_count(), thread, &from, &to);
  for (long i = from; i < to; i++) j.to[place[digit_of(j.from[i], j.shift)]++] = j.from[i];
}

/* Sorts keys by one digit. The sort is stable, so that the lower digit goes first: a thread's keys of a digit lie
 * behind those of the threads before it. */
static void by_digit(sorter_t* s, const int32_t* from, int32_t* to, int shift) {
  digit_job_t job = {from, to, s->received, s->place, shift};
  long before = 0;
  threads_run(count_digits, &job);
  for (int d = 0; d < digits; d++) {
    const long own = to_places(s->place + d, digits);
    for (int t = 0; t < threads_count(); t++) s->place[(long)t * digits + d] += before;
    before += own;
  }
  threads_run(move_keys, &job);
}

static int sort(sorter_t* s) {
  if (gather(s) != 0) return 1;
  by_digit(s, s->sorted, s->half, 0);
  by_digit(s, s->half, s->sorted, digit_bits);
  return 0;
}

static int step(sorter_t* s) {
  pack(s);
  halo_send(s->halo);
  halo_wait(s->halo);
  timers_enter(PHASE_COMPUTE);
  return sort(s);
}

/* ---- the known answer */

static int differs(sorter_t* s, int steps) {
  const int32_t first = halo_me() * s->width;
  long count = 0, sum = 0;
  int wrong = 0;
  for (int step = 0; step < steps; step++) {
    s->shift = shift_of(step, steps);
    for (int pe = 0; pe < halo_pes(); pe++) {
      isx_keys_t keys = isx_keys_of(pe);
      for (long i = 0; i < s->keys; i++) {
        const int32_t key = shifted(s, isx_next(&keys));
        if (key < first || key - first >= s->width) continue;
        count++;
        sum += key;
      }
    }
  }
  for (long i = 1; i < s->received; i++) wrong |= s->sorted[i - 1] > s->sorted[i];
  return wrong || count != s->all_received || sum != s->sum;
}

static void print_bucket(const sorter_t* s) {
  long sum = 0;
  for (long i = 0; i < s->received; i++) sum += s->sorted[i];
  for (int pe = 0; pe < halo_pes(); pe++) {
    long bucket[2] = {s->received, sum};
    halo_broadcast(bucket, sizeof bucket, pe);
    if (halo_me() == 0) printf("bucket %d: %ld keys, sum %ld\n", pe, bucket[0], bucket[1]);
  }
}

static uint64_t checksum(const sorter_t* s) {
  uint64_t sum = 0;
  for (long i = 0; i < s->received; i++)
    sum += (uint64_t)s->sorted[i] * (2 * (uint64_t)i + 2 * (uint64_t)halo_me() + 1);
  return halo_sum_u64(sum);
}

/* ---- the app */

static const char* refuse(const app_options_t* o) {
  if (o->image != NULL) return "--image: there is no picture of this";
  return !o->weak && o->number[0] < halo_pes() ? "there are fewer keys than PEs" : NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {
    .name = "isx",
    .usage = "[keys] [--scaling strong|weak] [--steps N]",
    .unit = "Mkey/s",
    .numbers = 1,
    .standard = {.number = {1 << 20}, .steps = 5, .threads = 1, .weak = 1, .syncs = 1u << SYNC_BARRIER},
    .refuse = refuse,
    .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  sorter_t s;
  int wrong = 0;
  if (create(&s, o, how) != 0) app_no_memory(&app);
  app_clock_start();
  for (int i = 0; i < o->steps; i++) {
    s.shift = shift_of(i, o->steps);
    wrong |= step(&s);
  }
  app_clock_stop();
  if (first && halo_sum(wrong) == 0.0) print_bucket(&s);
  wrong = wrong || differs(&s, o->steps);
  const app_result_t result = {
      .work = 1e-6 * (double)s.keys * halo_pes() * o->steps, .checksum = checksum(&s), .wrong = halo_sum(wrong) > 0.0};
  destroy(&s);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
