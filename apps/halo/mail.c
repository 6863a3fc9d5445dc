#include "mail.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct record {
  uint64_t a, b;
} record_t;

/* A message: whether its sender is done, and its records. `proof` is this and the turn: the number of turns alone would
 * not show a wrong word. */
typedef struct bag {
  uint64_t done, proof;
  record_t record[mail_most];
} bag_t;

struct mail {
  halo_t* halo;
  uint64_t turn;
  int* count;     /* of the records in the bag for each PE */
  int from, next; /* the sender and index of the record that is taken out next */
};

mail_t* mail_create(sync_how_t how) {
  const int n = halo_pes();
  mail_t* m = malloc(sizeof *m);
  halo_link_t* link = malloc((size_t)n * sizeof *link);
  if (m == NULL || link == NULL) halo_abort(3);
  *m = (mail_t){.count = calloc((size_t)n, sizeof *m->count), .from = n};
  if (m->count == NULL) halo_abort(3);
  for (int pe = 0; pe < n; pe++) link[pe] = (halo_link_t){pe, halo_me()};
  m->halo = halo_create(how, n, link, sizeof(bag_t));
  free(link);
  if (m->halo != NULL) return m;
  free(m->count), free(m);
  return NULL;
}

void mail_destroy(mail_t* m) {
  if (m == NULL) return;
  halo_destroy(m->halo);
  free(m->count), free(m);
}

int mail_push(mail_t* m, int pe, uint64_t a, uint64_t b) {
  if (m->count[pe] == mail_most) return 0;
  bag_t* bag = halo_out(m->halo, pe);
  bag->record[m->count[pe]++] = (record_t){a, b};
  return 1;
}

/* A message without a whole head is left to the check of the records. */
static void check(const mail_t* m, int from) {
  size_t bytes;
  const bag_t* bag = halo_in(m->halo, from, &bytes);
  if (bytes < offsetof(bag_t, record) || bag->proof == 2 * m->turn + bag->done) return;
  fprintf(stderr, "halo: PE %d: bag %llu from PE %d begins with %llu %llu: it was overwritten in part\n", halo_me(),
          (unsigned long long)m->turn, from, (unsigned long long)bag->done, (unsigned long long)bag->proof);
  halo_abort(4);
}

int mail_go(mail_t* m, int done) {
  int all_done = 1;
  m->turn++;
  for (int pe = 0; pe < halo_pes(); pe++) {
    bag_t* bag = halo_out(m->halo, pe);
    bag->done = (uint64_t)done;
    bag->proof = 2 * m->turn + bag->done;
    halo_size(m->halo, pe, offsetof(bag_t, record) + (size_t)m->count[pe] * sizeof(record_t));
    m->count[pe] = 0;
  }
  halo_send(m->halo);
  halo_wait(m->halo);
  m->from = m->next = 0;
  for (int pe = 0; pe < halo_pes(); pe++) {
    check(m, pe);
    all_done &= ((const bag_t*)halo_in(m->halo, pe, NULL))->done != 0;
  }
  return !all_done;
}

/* Returns 0 for a message without a whole head: it was lost in transit. */
static size_t records_in(size_t bytes) {
  const size_t head = offsetof(bag_t, record);
  return bytes < head ? 0 : (bytes - head) / sizeof(record_t);
}

int mail_pop(mail_t* m, int* from, uint64_t* a, uint64_t* b) {
  for (; m->from < halo_pes(); m->from++, m->next = 0) {
    size_t bytes;
    const bag_t* bag = halo_in(m->halo, m->from, &bytes);
    if ((size_t)m->next >= records_in(bytes)) continue;
    *from = m->from;
    *a = bag->record[m->next].a;
    *b = bag->record[m->next++].b;
    return 1;
  }
  return 0;
}
