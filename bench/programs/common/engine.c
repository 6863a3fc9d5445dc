#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cold.h"
#include "json_line.h"
#include "options.h"
#include "page.h"
#include "reference.h"

enum { large_size = 64 << 10, most_bytes = page_block, most_of_many = page_block / 4, most_operations = 1 << 26 };

static bench_options options;
static FILE* out;
static long failed_batches;
static void (*progress)(void);
static int64_t (*clock_ns)(void);
static bool real_clock;

const bench_case* bench_current;
bool bench_whole;

// Further numbers that the batches of the running case report.
typedef struct {
  const char *suffix, *unit;
  double (*value)(void);
} extra;
enum { most_extras = 4 };
static extra extras[most_extras];
static int extra_count;

// Tables of cases in the order in which they were registered, by what they need.
typedef struct {
  const bench_case** tables;
  long count, room;
} table_list;
static table_list registered[2];

static void refuse_unchecked(const bench_case* c) {
  if (c->body != NULL && c->valid != NULL) return;
  fprintf(stderr, "bench: case %s: it has no %s: each case times a body and checks its results\n", c->name,
          c->body == NULL ? "body" : "function 'valid'");
  exit(2);
}

void bench_register(bench_needs needs, const bench_case* table) {
  for (const bench_case* c = table; c->name != NULL; ++c) refuse_unchecked(c);
  table_list* list = &registered[needs];
  if (list->count == list->room) {
    list->room = list->room == 0 ? 64 : 2 * list->room;
    list->tables = realloc(list->tables, (size_t)list->room * sizeof(const bench_case*));
    if (list->tables == NULL) abort();
  }
  list->tables[list->count++] = table;
}

enum { most_hooks = 8 };
static void (*opens[most_hooks])(void);
static void (*closes[most_hooks])(void);
static int hook_count;

void bench_around(void (*open)(void), void (*close)(void)) {
  if (hook_count == most_hooks) abort();
  opens[hook_count] = open;
  closes[hook_count++] = close;
}

void bench_also(const char* suffix, const char* unit, double (*value)(void)) {
  if (extra_count == most_extras) abort();
  extras[extra_count++] = (extra){suffix, unit, value};
}

// A case, or its reference, while it runs. All processes hold the same numbers.
typedef struct {
  const bench_case* what;
  long size;
  long done;   // operations so far
  long count;  // operations per batch
} track;

typedef struct {
  double ns;    // per operation, or per hop of a ring
  double span;  // stamped cases only: last exit minus first entry
  double rest;  // ... minus last entry
} result;

static bool is(const bench_case* c, bench_mode mode) { return (c->mode & (int)mode) == (int)mode; }

static double hops(const bench_case* c) { return is(c, bench_ring) ? bench_pes : is(c, bench_pairs) ? 2 : 1; }

// Whether this process runs the body.
static bool active(const bench_case* c) { return is(c, bench_everyone) || bench_me == 0; }

// The function that this process calls while others run the body, also after its own body; NULL if it only waits.
static void (*pastime(const bench_case* c))(void) {
  const bool idle = is(c, bench_everyone) || bench_me != 0;
  if (idle && is(c, bench_assisted) && progress != NULL) return progress;
  return active(c) ? NULL : page_sleep;
}

void bench_barrier(void) { page_barrier(pastime(bench_current)); }

static int64_t machine_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now_ns(void) { return real_clock ? machine_clock() : clock_ns(); }

static uint64_t forced_switches(void) {
  if (!real_clock) return 0;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_nivcsw;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, long count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

// Per operation the mean over the processes (as OMB prints), the span, and the part of the span after the last arrival.
// The result has the median of each over the batch.
static result reduce_stamps(long count) {
  double local[page_max_stamps], span[page_max_stamps], rest[page_max_stamps];
  for (long i = 0; i < count; ++i) {
    int64_t first = INT64_MAX, last = 0, latest = 0, sum = 0;
    for (int pe = 0; pe < bench_pes; ++pe) {
      const page_stamp* stamp = &page->stamps[pe][i];
      sum += stamp->leave - stamp->enter;
      if (stamp->enter < first) first = stamp->enter;
      if (stamp->enter > latest) latest = stamp->enter;
      if (stamp->leave > last) last = stamp->leave;
    }
    local[i] = (double)sum / bench_pes;
    span[i] = (double)(last - first);
    rest[i] = (double)(last - latest);
  }
  return (result){median(local, count), median(span, count), median(rest, count)};
}

// Enough for a median. An operation on much data takes long, and on an oversubscribed machine it may last a time slice.
static long stamps_per_batch(long size) {
  return bench_oversubscribed ? 16 : size >= large_size ? 32 : page_max_stamps;
}

// Each process has its own sequence of delays, the same in each run.
static void come_late(void) {
  static uint64_t seed;
  if (seed == 0) seed = (uint64_t)bench_me + 1;
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  const int64_t until = now_ns() + (int64_t)(seed >> 33) % bench_skew_ns;
  while (now_ns() < until) {
  }
}

static result time_stamped(const track* t) {
  for (long i = 0; i < t->count; ++i) {
    page_barrier(NULL);
    if (is(t->what, bench_skewed)) come_late();
    page_stamp* stamp = &page->stamps[bench_me][i];
    stamp->enter = now_ns();
    t->what->body(t->done + i, 1);
    stamp->leave = now_ns();
  }
  page_deliver_stamps(t->count);
  page_barrier(NULL);
  return bench_me == 0 ? reduce_stamps(t->count) : (result){0, 0, 0};
}

static result time_batch(const track* t) {
  int64_t begin = 0, end = 0;
  page_barrier(pastime(t->what));
  if (active(t->what)) {
    begin = now_ns();
    t->what->body(t->done, t->count);
    end = now_ns();
  }
  page_barrier(pastime(t->what));
  return (result){(double)(end - begin) / ((double)t->count * hops(t->what)), 0, 0};
}

// One batch with its check. On return the page holds the forced context switches of all processes in this batch, and
// all failures since the case began.
static result run_batch(track* t) {
  if (bench_me == 0) page_set(&page->switches, 0);
  bench_current = t->what;
  const uint64_t before = forced_switches();
  const result timing = is(t->what, bench_stamped) ? time_stamped(t) : time_batch(t);
  page_add(&page->switches, forced_switches() - before);
  if (!t->what->valid(t->done, t->count)) page_add(&page->failures, 1);
  t->done += t->count;
  page_barrier(pastime(t->what));
  return timing;
}

// The best of some batches, because an interruption makes a single batch too long.
static double best_length(track* t) {
  const int tries = t->count < 64 ? 6 : 2;
  double best = 0;
  for (int i = 0; i < tries; ++i) {
    const double length = run_batch(t).ns * (double)t->count * hops(t->what);
    if (i == 0 || length < best) best = length;
  }
  return best;
}

// A chunk that this batch has used is in a cache.
static long most_of(const track* t) {
  return is(t->what, bench_cold) ? cold_begin((size_t)t->size).chunks : most_operations;
}

// Where processes share CPUs, process 0 may begin a batch before or after the others' first operation. With few
// operations the time would be that of two, three or four processes by chance.
static bool are_enough(const track* t, double length) {
  enum { operations = 8, long_enough_ns = 20000000 };
  return !bench_oversubscribed || t->count >= operations || length >= long_enough_ns;
}

// Doubles the batch until it lasts long enough. This also warms up. Process 0 decides for all.
static void calibrate(track* t) {
  const bool stamped = is(t->what, bench_stamped);
  t->count = stamped ? stamps_per_batch(t->size) : is(t->what, bench_grouped) ? bench_group : 1;
  for (bool settled = stamped; !settled; settled = page_get(&page->settled) != 0) {
    const double length = best_length(t);
    if (bench_me == 0) {
      const bool lasting = is(t->what, bench_lasting) || page_apart;  // the barrier takes 50 us
      const double least = (double)options.batch_ns * (lasting ? 10 : 1);
      const bool enough = (length >= least && are_enough(t, length)) || 2 * t->count > most_of(t);
      page_set(&page->count, (uint64_t)(enough ? t->count : 2 * t->count));
      page_set(&page->settled, enough ? 1 : 0);
    }
    page_barrier(NULL);
    t->count = (long)page_get(&page->count);
    page_barrier(NULL);
  }
  run_batch(t);
}

// What is being measured, for the records.
typedef struct {
  const bench_case* what;
  const bench_case* reference;  // NULL if none
  long size;
} subject;

static json_line record_head(const subject* s, const char* metric, long count, double value) {
  char name[256];
  snprintf(name, sizeof name, "%s%s", s->what->name, metric);
  json_line line = json_begin(out);
  json_text(&line, "case", name);
  json_text(&line, "how", s->what->how);
  json_integer(&line, "size", s->size);
  json_integer(&line, "pes", bench_pes);
  json_integer(&line, "count", count);
  json_number(&line, "ns", value, 4);
  return line;
}

static void record_end(json_line* line) {
  json_integer(line, "switches", (long long)page_get(&page->switches));
  json_bool(line, "ok", page_get(&page->failures) == 0);
  json_end(line);
}

static void record_extra(const subject* s, const extra* e, long count, double value) {
  json_line line = record_head(s, e->suffix, count, value);
  json_text(&line, "unit", e->unit);
  record_end(&line);
}

static void record(const subject* s, const char* metric, long count, double ns, double reference_ns) {
  json_line line = record_head(s, metric, count, ns);
  if (s->reference != NULL) {
    json_text(&line, "reference", s->reference->name);
    json_number(&line, "reference_ns", reference_ns, 4);
  }
  record_end(&line);
}

static track begin(const bench_case* c, long size) {
  track t = {.what = c, .size = size};
  bench_current = c;
  if (c->prepare != NULL) c->prepare(size);
  page_barrier(NULL);
  calibrate(&t);
  return t;
}

// More operations than the windows of the cases hold, if that is quick.
static long operations_of_check(const track* t) {
  const long wanted = is(t->what, bench_grouped) ? bench_group : t->size >= large_size ? 3 : 67;
  return wanted < most_of(t) ? wanted : most_of(t);
}

// Failures are added to those on the page, and the case must be prepared again afterwards.
static void check_whole(const bench_case* c, long size) {
  const int extras_before = extra_count;
  const uint64_t switches = page_get(&page->switches);
  track t = {.what = c, .size = size};
  bench_whole = true;
  bench_current = c;
  t.count = operations_of_check(&t);
  page_barrier(NULL);
  if (c->prepare != NULL) c->prepare(size);
  page_barrier(NULL);
  run_batch(&t);
  if (bench_me == 0) page_set(&page->switches, switches);
  page_barrier(NULL);
  extra_count = extras_before;
  bench_whole = false;
}

// The reference moves as many bytes as the case and runs right before each of its batches, so that both meet the same
// machine.
static void run_subject(const subject* s) {
  if (bench_me == 0) page_set(&page->failures, 0);
  extra_count = 0;
  page_barrier(NULL);
  check_whole(s->what, s->size);
  track timed = begin(s->what, s->size);
  track reference = {.what = s->reference};
  if (s->reference != NULL) reference = begin(s->reference, s->size);
  for (int batch = 0; batch < options.batches; ++batch) {
    const double reference_ns = s->reference != NULL ? run_batch(&reference).ns : 0;
    const result timing = run_batch(&timed);
    double told[most_extras];
    for (int e = 0; bench_me == 0 && e < extra_count; ++e) told[e] = extras[e].value();
    // A library may change its way after many calls.
    if (batch == options.batches - 1) check_whole(s->what, s->size);
    if (page_get(&page->failures) != 0) ++failed_batches;
    if (bench_me == 0) {
      const bool stamped = is(s->what, bench_stamped), skewed = is(s->what, bench_skewed);
      if (!skewed) record(s, stamped ? "_local" : "", timed.count, timing.ns, reference_ns);
      if (stamped && !skewed && page_one_clock) record(s, "_span", timed.count, timing.span, reference_ns);
      if (skewed && page_one_clock) record(s, "", timed.count, timing.rest, reference_ns);
      for (int e = 0; e < extra_count; ++e) record_extra(s, &extras[e], timed.count, told[e]);
    }
    page_barrier(NULL);  // the next batch clears the page, so this one must be recorded first
  }
  if (bench_me == 0) fflush(out);  // results survive a later crash of the library
}

// A cache line is no limit for an operation that moves many lines.
static const bench_case* reference_of(const bench_case* c, long size) {
  const bool lines = c->reference == reference_line || c->reference == reference_exchange;
  const int which = lines && size >= large_size ? reference_copy_both : c->reference;
  const bool paired = which != reference_null && !bench_oversubscribed && bench_pes == 2 && !page_apart;
  return paired ? &reference_cases[which] : NULL;
}

static void run_size(const bench_case* c, long size) {
  const subject s = {c, reference_of(c, size), size};
  run_subject(&s);
}

static bool has_size(const bench_case* c, long size) {
  return is(c, bench_bytewise) ? size <= most_bytes : size <= most_of_many && size % 8 == 0;
}

// The sizes of --sizes, for a case that has sizes.
static void run_asked_sizes(const bench_case* c) {
  for (int i = 0; i < options.size_count; ++i)
    if (has_size(c, options.sizes[i])) run_size(c, options.sizes[i]);
}

static void run_case(const bench_case* c) {
  static const long no_size[] = {0, 0};
  const long* sizes = c->sizes != NULL ? c->sizes : no_size;
  if (options.size_count > 0 && sizes[0] != 0 && sizes[1] != 0 && !is(c, bench_own_sizes)) {
    run_asked_sizes(c);
    return;
  }
  for (int i = 0; i == 0 || (sizes[i] != 0 && !options.quick); ++i) run_size(c, sizes[i]);
}

static long number;  // chosen cases so far

// Reports the next case, so that the driver can continue after a crash.
static void run_numbered(const bench_case* c) {
  if (number++ < options.from) return;
  if (bench_me == 0) {
    json_line line = json_begin(out);
    json_integer(&line, "at", number);
    json_text(&line, "name", c->name);
    json_end(&line);
  }
  run_case(c);
}

// One process would measure another operation under the same name.
static void leave_out(const bench_case* c) {
  if (number++ < options.from || bench_me != 0) return;
  json_line line = json_begin(out);
  json_text(&line, "left_out", c->name);
  json_end(&line);
}

static void list_case(const bench_case* c) {
  printf("%s\t%s\t", c->name, c->how);
  for (const long* size = c->sizes; size != NULL && *size != 0; ++size)
    printf("%s%ld", size == c->sizes ? "" : ",", *size);
  printf("\n");
}

typedef void visitor(const bench_case* c);

static void visit(bench_needs needs, visitor* each) {
  for (long t = 0; t < registered[needs].count; ++t)
    for (const bench_case* c = registered[needs].tables[t]; c->name != NULL; ++c)
      if (options_select(&options, c->name) && !(options.quick && is(c, bench_long_run))) each(c);
}

static void open_records(const char* program) {
  out = fopen(options.out, "w");
  if (out == NULL) {
    perror(options.out);
    exit(2);
  }
  const int reads = 1000;
  const int64_t begin = now_ns();
  for (int i = 0; i < reads; ++i) (void)now_ns();
  const double clock_cost = (double)(now_ns() - begin) / reads;
  json_line line = json_begin(out);
  json_text(&line, "program", program);
  json_integer(&line, "pes", bench_pes);
  json_number(&line, "clock_ns", clock_cost, 2);
  json_end(&line);
}

long bench_run(const bench_suite* suite, int me, int pes, int argc, char** argv) {
  options = options_parse(argc, argv);
  progress = suite->progress;
  clock_ns = suite->clock;
  real_clock = suite->clock == NULL;
  if (options.list) {
    if (me == 0) visit(bench_two_pes, list_case);
    if (me == 0) visit(bench_any_pes, list_case);
    return 0;
  }
  page_open(options.page, me, pes, options.cpu_count, suite->tell);
  options_pin(&options, page_map.local, page_map.most_local);
  if (me == 0) open_records(suite->program);
  page_barrier(NULL);
  for (int hook = 0; hook < hook_count; ++hook)
    if (opens[hook] != NULL) opens[hook]();
  visit(bench_two_pes, pes > 1 ? run_numbered : leave_out);
  visit(bench_any_pes, run_numbered);
  for (int hook = hook_count; hook-- > 0;) closes[hook]();
  if (me == 0) {
    json_line line = json_begin(out);
    json_bool(&line, "end", true);
    json_integer(&line, "failed_batches", failed_batches);
    json_end(&line);
    fsync(fileno(out));
    fclose(out);
  }
  page_barrier(NULL);
  return failed_batches;
}
