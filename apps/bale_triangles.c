/* Counts the triangles of a graph whose vertices are dealt out to the PEs.
 *
 *     oshrun -n 4 bale_triangles [spokes clique] [--sync LIST|all|plain] ...
 *
 * The graph is the Kronecker product of a wheel and a complete graph, with shuffled vertices. The number of its
 * triangles is known: 6 times the triangles of the one times those of the other. Some vertices have far more
 * neighbours than others.
 * Each edge u > v is joined with all w < v next to u. The plain way reads v's neighbours by gets. The other ways ask
 * v's owner whether w is a neighbour. Many words that are read make no triangle; the plain way reads all of them again
 * after the timed part.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bale_random.h"
#include "halo/app.h"
#include "halo/mail.h"
#include "halo/words.h"

enum { vertex_stream = 7 };

typedef struct graph {
  uint64_t rim, clique, n;     /* vertices: (rim + 1) * clique */
  long mine;                   /* vertices of this PE; vertex g is number g / PEs of PE g % PEs */
  words_t *begin, *next;       /* for each vertex, its lower neighbours, sorted */
  uint64_t found, joined, sum; /* on this PE: triangles, candidates, the sum of the scrambled v of triangles */
  uint64_t read;               /* hash of all words that this PE has read */
  mail_t* mail;                /* NULL: plain */
} graph_t;

/* ---- the product, before the shuffle: vertex i * clique + j, i = 0 is the hub */

static int joined_in_wheel(const graph_t* g, uint64_t a, uint64_t b) {
  if (a == b) return 0;
  if (a == 0 || b == 0) return 1;
  const uint64_t apart = a > b ? a - b : b - a;
  return apart == 1 || apart == g->rim - 1;
}

/* Counts the lower neighbours of the vertex with the number `old` before the shuffle; lists them unless `to` is
 * NULL. */
static long neighbours(const graph_t* g, uint64_t old, uint64_t* to) {
  const uint64_t self = shuffled(vertex_stream, old, g->n);
  const uint64_t a = old / g->clique, b = old % g->clique;
  long count = 0;
  for (uint64_t i = 0; i <= g->rim; i++)
    for (uint64_t j = 0; j < g->clique && joined_in_wheel(g, a, i); j++) {
      const uint64_t other = shuffled(vertex_stream, i * g->clique + j, g->n);
      if (j == b || other > self) continue;
      if (to != NULL) to[count] = other;
      count++;
    }
  return count;
}

static int by_number(const void* a, const void* b) {
  uint64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static int create(graph_t* g, const app_options_t* o, sync_how_t how) {
  const uint64_t n = (uint64_t)halo_pes(), me = (uint64_t)halo_me();
  *g = (graph_t){.rim = (uint64_t)o->number[0], .clique = (uint64_t)o->number[1]};
  g->n = (g->rim + 1) * g->clique;
  g->mine = (long)((g->n - me + n - 1) / n);
  g->begin = words_create(g->mine + 1);
  uint64_t* const old = malloc(((size_t)g->mine + 1) * sizeof *old);
  if (g->begin == NULL || old == NULL) return 1;
  for (uint64_t i = 0; i < g->n; i++) {
    const uint64_t vertex = shuffled(vertex_stream, i, g->n);
    if (vertex % n == me) old[vertex / n] = i;
  }
  uint64_t* const begin = words_mine(g->begin);
  for (long v = 0; v < g->mine; v++) begin[v + 1] = begin[v] + (uint64_t)neighbours(g, old[v], NULL);
  g->next = words_create((long)begin[g->mine]);
  g->mail = how < SYNCS ? mail_create(how) : NULL;
  if (g->next == NULL || (how < SYNCS && g->mail == NULL)) return 1;
  for (long v = 0; v < g->mine; v++) {
    uint64_t* const list = words_mine(g->next) + begin[v];
    const long count = neighbours(g, old[v], list);
    qsort(list, (size_t)count, sizeof *list, by_number);
  }
  free(old);
  words_settle(g->next);
  return 0;
}

/* ---- plain: both lists are sorted */

static uint64_t get(graph_t* g, const words_t* words, long at, int pe) {
  const uint64_t value = words_get(words, at, pe);
  g->read = 31 * g->read + value;
  return value;
}

static void join_plain(graph_t* g, const uint64_t* list, uint64_t length) {
  const uint64_t n = (uint64_t)halo_pes(), v = list[length];
  const long at = (long)(v / n);
  const int pe = (int)(v % n);
  uint64_t i = get(g, g->begin, at, pe), k = 0;
  const uint64_t end = get(g, g->begin, at + 1, pe);
  g->joined += length;
  for (; i < end && k < length; i++) {
    const uint64_t w = get(g, g->next, (long)i, pe);
    while (k < length && list[k] < w) k++;
    if (k == length || list[k] != w) continue;
    g->found++;
    g->sum += scramble(v);
  }
}

static void count_plain(graph_t* g) {
  const uint64_t *const begin = words_mine(g->begin), *const next = words_mine(g->next);
  timers_enter(PHASE_EXCHANGE);
  for (long u = 0; u < g->mine; u++)
    for (uint64_t e = begin[u]; e < begin[u + 1]; e++) join_plain(g, next + begin[u], e - begin[u]);
  words_settle(g->next);
  timers_enter(PHASE_COMPUTE);
}

/* Collective. */
static int reads_differ(const graph_t* g) {
  graph_t again = *g;
  again.read = 0;
  count_plain(&again);
  return halo_sum(again.read != g->read) > 0.0;
}

/* ---- aggregated */

static void look_up(graph_t* g, uint64_t v, uint64_t w) {
  const uint64_t *const begin = words_mine(g->begin), *const next = words_mine(g->next);
  if (v >= (uint64_t)g->mine) return;
  if (bsearch(&w, next + begin[v], begin[v + 1] - begin[v], sizeof w, by_number) == NULL) return;
  g->found++;
  g->sum += scramble(v * (uint64_t)halo_pes() + (uint64_t)halo_me());
}

/* Position of the join: edge e of vertex u, and the k-th candidate. */
typedef struct place {
  long u;
  uint64_t e, k;
} place_t;

/* Returns 0 if a bag is full. */
static int push_some(graph_t* g, place_t* p) {
  const uint64_t n = (uint64_t)halo_pes();
  const uint64_t *const begin = words_mine(g->begin), *const next = words_mine(g->next);
  for (; p->u < g->mine; p->u++, p->e = p->k = 0)
    for (; begin[p->u] + p->e < begin[p->u + 1]; p->e++, p->k = 0)
      for (; p->k < p->e; p->k++) {
        const uint64_t v = next[begin[p->u] + p->e], w = next[begin[p->u] + p->k];
        if (!mail_push(g->mail, (int)(v % n), v / n, w)) return 0;
        g->joined++;
      }
  return 1;
}

static void count_by_mail(graph_t* g) {
  place_t p = {0};
  uint64_t v, w;
  int more, from;
  do {
    timers_enter(PHASE_PACK);
    const int done = push_some(g, &p);
    more = mail_go(g->mail, done);
    timers_enter(PHASE_COMPUTE);
    while (mail_pop(g->mail, &from, &v, &w)) look_up(g, v, w);
  } while (more);
}

/* ---- the app */

static const char* refuse(const app_options_t* o) {
  if (o->number[0] < 4) return "a wheel has at least 4 spokes: with 3 it is a complete graph";
  if (o->number[0] > 1 << 16 || o->number[1] > 1 << 10) return "more than 2^16 spokes, or a clique of more than 2^10";
  if (o->weak) return "--scaling weak: the graph is given as a whole";
  if (o->steps > 1) return "--steps: triangles are counted once";
  return (o->number[0] + 1) * o->number[1] < halo_pes() ? "there are fewer vertices than PEs" : app_refuse_threads(o);
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "bale_triangles",
                          .usage = "[spokes clique]",
                          .unit = "Mpair/s",
                          .numbers = 2,
                          .standard = {.number = {200, 6}, .steps = 1, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .own_way = words_way,
                          .refuse = refuse,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  graph_t g;
  if (create(&g, o, how) != 0) app_no_memory(&app);
  app_clock_start();
  if (g.mail == NULL)
    count_plain(&g);
  else
    count_by_mail(&g);
  app_clock_stop();
  const uint64_t b = g.clique, right = g.rim * b * (b - 1) * (b - (b > 1 ? 2 : 0));
  const uint64_t found = halo_sum_u64(g.found);
  if (first && halo_me() == 0)
    printf("triangles %llu  exact %llu\n", (unsigned long long)found, (unsigned long long)right);
  app_result_t result = {
      .work = 1e-6 * (double)halo_sum_u64(g.joined), .checksum = halo_sum_u64(g.sum), .wrong = found != right};
  if (g.mail == NULL) result.wrong |= reads_differ(&g);
  mail_destroy(g.mail);
  words_destroy(g.begin);
  words_destroy(g.next);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
