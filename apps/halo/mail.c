#include "mail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
  uint64_t a, b;
} record_t;

/* A message: whether its sender has more records, and those that fitted. `proof` is this and the turn: the number of
 * turns alone would not show a wrong word. While it is packed, each thread has its own section of `record`. */
typedef struct bag {
  uint64_t more, proof;
  record_t record[];
} bag_t;

/* The state of one thread. */
typedef struct worker {
  int* count;     /* for each PE, the records in this thread's section */
  int refused;    /* a section was full in this turn */
  int from;       /* the sender whose records it takes out, */
  range_t record; /* and those of them that are left */
} worker_t;

struct mail {
  halo_t* halo;
  uint64_t turn;
  int section; /* records */
  worker_t* worker;
};

static worker_t* create_workers(void) {
  worker_t* worker = calloc((size_t)threads_count(), sizeof *worker);
  for (int t = 0; worker != NULL && t < threads_count(); t++) {
    worker[t] = (worker_t){.count = calloc((size_t)halo_pes(), sizeof(int)), .from = halo_pes()};
    if (worker[t].count == NULL) halo_abort(3);
  }
  return worker;
}

static void free_mail(mail_t* m) {
  for (int t = 0; t < threads_count(); t++) free(m->worker[t].count);
  free(m->worker), free(m);
}

mail_t* mail_create(sync_how_t how) {
  const int n = halo_pes(), threads = threads_count();
  mail_t* m = malloc(sizeof *m);
  halo_link_t* link = malloc((size_t)n * sizeof *link);
  if (m == NULL || link == NULL) halo_abort(3);
  *m = (mail_t){.section = threads < mail_most ? mail_most / threads : 1, .worker = create_workers()};
  if (m->worker == NULL) halo_abort(3);
  for (int pe = 0; pe < n; pe++) link[pe] = (halo_link_t){pe, halo_me()};
  m->halo = halo_create(how, n, link, sizeof(bag_t) + (size_t)(m->section * threads) * sizeof(record_t));
  free(link);
  if (m->halo != NULL) return m;
  free_mail(m);
  return NULL;
}

void mail_destroy(mail_t* m) {
  if (m == NULL) return;
  halo_destroy(m->halo);
  free_mail(m);
}

int mail_push(mail_t* m, int thread, int pe, uint64_t a, uint64_t b) {
  worker_t* worker = &m->worker[thread];
  if (worker->count[pe] == m->section) return worker->refused = 1, 0;
  bag_t* bag = halo_out(m->halo, pe);
  bag->record[thread * m->section + worker->count[pe]++] = (record_t){a, b};
  return 1;
}

/* Moves the records of all threads together. Returns their number. */
static int close_bag(mail_t* m, int pe, bag_t* bag) {
  int records = 0;
  for (int t = 0; t < threads_count(); t++) {
    const int own = m->worker[t].count[pe];
    if (t > 0) memmove(&bag->record[records], &bag->record[t * m->section], (size_t)own * sizeof(record_t));
    records += own;
    m->worker[t].count[pe] = 0;
  }
  return records;
}

/* Prepares the workers for the next turn. Returns whether a record was refused in this one. */
static int reset_workers(mail_t* m) {
  int refused = 0;
  for (int t = 0; t < threads_count(); t++) {
    refused |= m->worker[t].refused;
    m->worker[t].refused = 0;
    m->worker[t].from = -1;
    m->worker[t].record = (range_t){0, 0};
  }
  return refused;
}

/* A message without a whole head is left to the check of the records. */
static void check(const mail_t* m, int from) {
  size_t bytes;
  const bag_t* bag = halo_in(m->halo, from, &bytes);
  if (bytes < sizeof *bag || bag->proof == 2 * m->turn + bag->more) return;
  fprintf(stderr, "halo: PE %d: bag %llu from PE %d begins with %llu %llu: it was overwritten in part\n", halo_me(),
          (unsigned long long)m->turn, from, (unsigned long long)bag->more, (unsigned long long)bag->proof);
  halo_abort(4);
}

int mail_go(mail_t* m) {
  const uint64_t more = (uint64_t)reset_workers(m);
  int more_of_any = 0;
  m->turn++;
  for (int pe = 0; pe < halo_pes(); pe++) {
    bag_t* bag = halo_out(m->halo, pe);
    bag->more = more;
    bag->proof = 2 * m->turn + more;
    halo_size(m->halo, pe, sizeof *bag + (size_t)close_bag(m, pe, bag) * sizeof(record_t));
  }
  halo_send(m->halo);
  halo_wait(m->halo);
  for (int pe = 0; pe < halo_pes(); pe++) {
    check(m, pe);
    more_of_any |= ((const bag_t*)halo_in(m->halo, pe, NULL))->more != 0;
  }
  return more_of_any;
}

/* Returns 0 for a message without a whole head: it was lost in transit. */
static long records_from(const mail_t* m, int pe) {
  size_t bytes;
  halo_in(m->halo, pe, &bytes);
  return bytes < sizeof(bag_t) ? 0 : (long)((bytes - sizeof(bag_t)) / sizeof(record_t));
}

long mail_received(const mail_t* m) {
  long sum = 0;
  for (int pe = 0; pe < halo_pes(); pe++) sum += records_from(m, pe);
  return sum;
}

int mail_pop(mail_t* m, int thread, int* from, uint64_t* a, uint64_t* b) {
  worker_t* worker = &m->worker[thread];
  while (worker->record.next == worker->record.end) {
    if (worker->from + 1 >= halo_pes()) return 0;
    worker->from++;
    share(records_from(m, worker->from), threads_count(), thread, &worker->record.next, &worker->record.end);
  }
  const bag_t* bag = halo_in(m->halo, worker->from, NULL);
  const record_t record = bag->record[worker->record.next++];
  *from = worker->from;
  *a = record.a;
  *b = record.b;
  return 1;
}
