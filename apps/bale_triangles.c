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

/* The counts of one thread, and its position: candidate k of edge e of vertex u, which is one of its own. */
typedef struct walk {
  uint64_t found, joined, sum; /* triangles, candidates, the sum of the scrambled v of triangles */
  uint64_t read;               /* hash of all words that it has read */
  range_t u;
  uint64_t e, k;
} walk_t;

typedef struct graph {
  uint64_t rim, clique, n; /* vertices: (rim + 1) * clique */
  long mine;               /* vertices of this PE; vertex g is number g / PEs of PE g % PEs */
  words_t *begin, *next;   /* for each vertex, its lower neighbours, sorted */
  walk_t* walk;            /* of each thread */
  mail_t* mail;            /* NULL: plain */
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

/* Begins with all vertices. */
static void start_walks(graph_t* g) {
  for (int t = 0; t < threads_count(); t++) {
    g->walk[t] = (walk_t){0};
    share(g->mine, threads_count(), t, &g->walk[t].u.next, &g->walk[t].u.end);
  }
}

static int create(graph_t* g, const app_options_t* o, sync_how_t how) {
  const uint64_t n = (uint64_t)halo_pes(), me = (uint64_t)halo_me();
  *g = (graph_t){.rim = (uint64_t)o->number[0], .clique = (uint64_t)o->number[1]};
  g->n = (g->rim + 1) * g->clique;
  g->mine = (long)((g->n - me + n - 1) / n);
  g->walk = malloc((size_t)threads_count() * sizeof *g->walk);
  g->begin = words_create(g->mine + 1);
  uint64_t* const old = malloc(((size_t)g->mine + 1) * sizeof *old);
  if (g->walk == NULL || g->begin == NULL || old == NULL) return 1;
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
  start_walks(g);
  words_settle(g->next);
  return 0;
}

/* ---- plain: both lists are sorted */

static uint64_t get(walk_t* walk, int thread, const words_t* words, long at, int pe) {
  const uint64_t value = words_get(words, thread, at, pe);
  walk->read = 31 * walk->read + value;
  return value;
}

static void join_plain(const graph_t* g, walk_t* walk, int thread, const uint64_t* list, uint64_t length) {
  const uint64_t n = (uint64_t)halo_pes(), v = list[length];
  const long at = (long)(v / n);
  const int pe = (int)(v % n);
  uint64_t i = get(walk, thread, g->begin, at, pe), k = 0;
  const uint64_t end = get(walk, thread, g->begin, at + 1, pe);
  walk->joined += length;
  for (; i < end && k < length; i++) {
    const uint64_t w = get(walk, thread, g->next, (long)i, pe);
    while (k < length && list[k] < w) k++;
    if (k == length || list[k] != w) continue;
    walk->found++;
    walk->sum += scramble(v);
  }
}

static void join_part(int thread, void* of) {
  const graph_t* g = of;
  const uint64_t *const begin = words_mine(g->begin), *const next = words_mine(g->next);
  walk_t walk = g->walk[thread];
  for (long u = walk.u.next; u < walk.u.end; u++)
    for (uint64_t e = begin[u]; e < begin[u + 1]; e++) join_plain(g, &walk, thread, next + begin[u], e - begin[u]);
  g->walk[thread] = walk;
}

static void count_plain(graph_t* g) {
  timers_enter(PHASE_EXCHANGE);
  threads_run(join_part, g);
  words_settle(g->next);
  timers_enter(PHASE_COMPUTE);
}

static uint64_t words_read(const graph_t* g) {
  uint64_t hash = 0;
  for (int t = 0; t < threads_count(); t++) hash = 31 * hash + g->walk[t].read;
  return hash;
}

/* Collective. */
static int reads_differ(graph_t* g) {
  const uint64_t before = words_read(g);
  start_walks(g);
  count_plain(g);
  return halo_sum(words_read(g) != before) > 0.0;
}

/* ---- aggregated */

static void look_up(const graph_t* g, walk_t* walk, uint64_t v, uint64_t w) {
  const uint64_t *const begin = words_mine(g->begin), *const next = words_mine(g->next);
  if (v >= (uint64_t)g->mine) return;
  if (bsearch(&w, next + begin[v], begin[v + 1] - begin[v], sizeof w, by_number) == NULL) return;
  walk->found++;
  walk->sum += scramble(v * (uint64_t)halo_pes() + (uint64_t)halo_me());
}

/* Goes on until a bag is full. */
static void push(const graph_t* g, walk_t* walk, int thread) {
  const uint64_t n = (uint64_t)halo_pes();
  const uint64_t *const begin = words_mine(g->begin), *const next = words_mine(g->next);
  for (; walk->u.next < walk->u.end; walk->u.next++, walk->e = walk->k = 0) {
    const uint64_t *const list = next + begin[walk->u.next], length = begin[walk->u.next + 1] - begin[walk->u.next];
    for (; walk->e < length; walk->e++, walk->k = 0)
      for (; walk->k < walk->e; walk->k++) {
        const uint64_t v = list[walk->e], w = list[walk->k];
        if (!mail_push(g->mail, thread, (int)(v % n), v / n, w)) return;
        walk->joined++;
      }
  }
}

static void push_part(int thread, void* of) {
  const graph_t* g = of;
  walk_t walk = g->walk[thread];
  push(g, &walk, thread);
  g->walk[thread] = walk;
}

static void look_up_part(int thread, void* of) {
  const graph_t* g = of;
  uint64_t v, w;
  int from;
  while (mail_pop(g->mail, thread, &from, &v, &w)) look_up(g, &g->walk[thread], v, w);
}

static void count_by_mail(graph_t* g) {
  int more;
  do {
    timers_enter(PHASE_PACK);
    threads_run(push_part, g);
    more = mail_go(g->mail);
    timers_enter(PHASE_COMPUTE);
    threads_run(look_up_part, g);
  } while (more);
}

/* ---- the app */

static const char* refuse(const app_options_t* o) {
  if (o->number[0] < 4) return "a wheel has at least 4 spokes: with 3 it is a complete graph";
  if (o->number[0] > 1 << 16 || o->number[1] > 1 << 10) return "more than 2^16 spokes, or a clique of more than 2^10";
  if (o->weak) return "--scaling weak: the graph is given as a whole";
  if (o->steps > 1) return "--steps: triangles are counted once";
  return (o->number[0] + 1) * o->number[1] < halo_pes() ? "there are fewer vertices than PEs" : app_refuse_image(o);
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
  walk_t own = {0};
  for (int t = 0; t < threads_count(); t++) {
    own.found += g.walk[t].found;
    own.joined += g.walk[t].joined;
    own.sum += g.walk[t].sum;
  }
  const uint64_t b = g.clique, right = g.rim * b * (b - 1) * (b - (b > 1 ? 2 : 0));
  const uint64_t found = halo_sum_u64(own.found);
  if (first && halo_me() == 0)
    printf("triangles %llu  exact %llu\n", (unsigned long long)found, (unsigned long long)right);
  app_result_t result = {
      .work = 1e-6 * (double)halo_sum_u64(own.joined), .checksum = halo_sum_u64(own.sum), .wrong = found != right};
  if (g.mail == NULL) result.wrong |= reads_differ(&g);
  mail_destroy(g.mail);
  words_destroy(g.begin);
  words_destroy(g.next);
  free(g.walk);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
