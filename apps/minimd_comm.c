#include "minimd_comm.h"

#include <stdlib.h>
#include <string.h>

typedef struct traveller {
  vector_t x, v;
  int64_t id;
} traveller_t;

/* ---- passages */

static int open_passage(comm_t* c, passage_t* p, size_t capacity) {
  p->capacity = capacity;
  p->halo = halo_create(c->how, 2, p->link, capacity);
  return p->halo == NULL;
}

/* The size of a message: twice the atoms that lie within reach of a face of this block. */
static size_t estimate(const comm_t* c, const atoms_t* a, int axis) {
  double volume = c->reach;
  for (int d = 0; d < 3; d++)
    if (d != axis) volume *= a->high[d] - a->low[d] + 2 * c->reach;
  const double dense = (double)a->all / (a->side * a->side * a->side);
  return (size_t)(2.0 * volume * dense + 16.0) * sizeof(vector_t);
}

int comm_create(comm_t* c, const atoms_t* a, sync_how_t how, double reach, int above_only) {
  *c = (comm_t){.how = how, .reach = reach, .above_only = above_only};
  int failed = 0;
  for (int d = 0; d < 3; d++) {
    passage_t* p = &c->passage[d];
    for (int up = 0; up < 2; up++) {
      int at[3] = {a->place[0], a->place[1], a->place[2]};
      at[d] += up ? 1 : -1;
      p->link[up] = (halo_link_t){atoms_pe_at(a, at[0], at[1], at[2]), !up};
      if (at[d] < 0) p->stream[up].shift = a->side;
      if (at[d] == a->grid[d]) p->stream[up].shift = -a->side;
    }
    failed |= open_passage(c, p, estimate(c, a, d));
  }
  return failed;
}

void comm_destroy(comm_t* c) {
  for (int d = 0; d < 3; d++) {
    halo_destroy(c->passage[d].halo);
    for (int up = 0; up < 2; up++) free(c->passage[d].stream[up].list);
  }
}

/* Collective: enlarges the messages if one of any PE, of `bytes` here, does not fit. */
static void fit(comm_t* c, passage_t* p, size_t bytes) {
  const size_t most = (size_t)halo_max((double)bytes);
  if (most <= p->capacity) return;
  halo_destroy(p->halo);
  if (open_passage(c, p, most + most / 2) != 0) halo_abort(3);
}

static void add_to(stream_t* s, int atom) {
  if (s->sends == s->room) {
    s->room = 2 * s->room + 64;
    s->list = realloc(s->list, (size_t)s->room * sizeof *s->list);
    if (s->list == NULL) halo_abort(3);
  }
  s->list[s->sends++] = atom;
}

static size_t larger(const passage_t* p, size_t element) {
  const int down = p->stream[0].sends, up = p->stream[1].sends;
  return (size_t)(down > up ? down : up) * element;
}

static void carry(passage_t* p) {
  halo_send(p->halo);
  halo_wait(p->halo);
  timers_enter(PHASE_PACK);
}

/* ---- migration */

static void pack_leavers(passage_t* p, const atoms_t* a, int axis) {
  for (int up = 0; up < 2; up++) {
    const stream_t* s = &p->stream[up];
    traveller_t* to = halo_out(p->halo, up);
    for (int i = 0; i < s->sends; i++, to++) {
      const int atom = s->list[i];
      memcpy(to->x, a->x[atom], sizeof to->x);
      memcpy(to->v, a->v[atom], sizeof to->v);
      to->id = a->id[atom];
      to->x[axis] += s->shift;
    }
    halo_size(p->halo, up, (size_t)s->sends * sizeof *to);
  }
}

static void keep_stayers(atoms_t* a, int axis) {
  int kept = 0;
  for (int i = 0; i < a->mine; i++) {
    if (!(a->x[i][axis] >= a->low[axis] && a->x[i][axis] < a->high[axis])) continue;
    memmove(a->x[kept], a->x[i], sizeof(vector_t));
    memmove(a->v[kept], a->v[i], sizeof(vector_t));
    a->id[kept++] = a->id[i];
  }
  a->mine = kept;
}

static void take_in(const passage_t* p, atoms_t* a) {
  for (int up = 0; up < 2; up++) {
    size_t bytes;
    const traveller_t* from = halo_in(p->halo, up, &bytes);
    const int n = (int)(bytes / sizeof *from);
    atoms_reserve(a, a->mine + n);
    for (int i = 0; i < n; i++, from++, a->mine++) {
      memcpy(a->x[a->mine], from->x, sizeof from->x);
      memcpy(a->v[a->mine], from->v, sizeof from->v);
      a->id[a->mine] = from->id;
    }
  }
}

/* A coordinate just below 0 would become that of the upper side, by rounding. It must be below the side: atoms and
 * their ghosts are compared. */
static void settle(atoms_t* a, int axis) {
  for (int i = 0; i < a->mine; i++)
    if (a->x[i][axis] < 0.0 && a->x[i][axis] + a->side >= a->side) a->x[i][axis] = 0.0;
}

static void wrap(atoms_t* a, int axis) {
  for (int i = 0; i < a->mine; i++) {
    if (a->x[i][axis] < 0.0) a->x[i][axis] += a->side;
    if (a->x[i][axis] >= a->side) a->x[i][axis] -= a->side;
  }
}

void comm_migrate(comm_t* c, atoms_t* a) {
  a->ghosts = 0;
  timers_enter(PHASE_PACK);
  for (int d = 0; d < 3; d++) {
    passage_t* p = &c->passage[d];
    if (a->grid[d] == 1) {
      wrap(a, d);
      continue;
    }
    p->stream[0].sends = p->stream[1].sends = 0;
    settle(a, d);
    for (int i = 0; i < a->mine; i++) {
      if (a->x[i][d] < a->low[d]) add_to(&p->stream[0], i);
      if (a->x[i][d] >= a->high[d]) add_to(&p->stream[1], i);
    }
    fit(c, p, larger(p, sizeof(traveller_t)));
    pack_leavers(p, a, d);
    keep_stayers(a, d);
    carry(p);
    take_in(p, a);
  }
  timers_enter(PHASE_COMPUTE);
}

/* ---- ghosts */

static void pack_positions(const passage_t* p, const atoms_t* a, int axis) {
  for (int up = 0; up < 2; up++) {
    const stream_t* s = &p->stream[up];
    vector_t* to = halo_out(p->halo, up);
    for (int i = 0; i < s->sends; i++) {
      memcpy(to[i], a->x[s->list[i]], sizeof *to);
      to[i][axis] += s->shift;
    }
    halo_size(p->halo, up, (size_t)s->sends * sizeof *to);
  }
}

static void choose(const comm_t* c, passage_t* p, const atoms_t* a, int axis) {
  const int up = !(c->above_only && axis == 2);
  p->stream[0].sends = p->stream[1].sends = 0;
  for (int i = 0; i < a->mine + a->ghosts; i++) {
    if (a->x[i][axis] < a->low[axis] + c->reach) add_to(&p->stream[0], i);
    if (up && a->x[i][axis] >= a->high[axis] - c->reach) add_to(&p->stream[1], i);
  }
}

void comm_borders(comm_t* c, atoms_t* a) {
  timers_enter(PHASE_PACK);
  a->ghosts = 0;
  for (int d = 0; d < 3; d++) {
    passage_t* p = &c->passage[d];
    choose(c, p, a, d);
    fit(c, p, larger(p, sizeof(vector_t)));
    pack_positions(p, a, d);
    carry(p);
    for (int up = 0; up < 2; up++) {
      stream_t* s = &p->stream[up];
      size_t bytes;
      const void* from = halo_in(p->halo, up, &bytes);
      s->first = a->mine + a->ghosts;
      s->comes = (int)(bytes / sizeof(vector_t));
      atoms_reserve(a, s->first + s->comes);
      memcpy(a->x[s->first], from, bytes);
      a->ghosts += s->comes;
    }
  }
  timers_enter(PHASE_COMPUTE);
}

void comm_forward(comm_t* c, atoms_t* a) {
  timers_enter(PHASE_PACK);
  for (int d = 0; d < 3; d++) {
    passage_t* p = &c->passage[d];
    pack_positions(p, a, d);
    carry(p);
    for (int up = 0; up < 2; up++) {
      const stream_t* s = &p->stream[up];
      size_t bytes;
      const void* from = halo_in(p->halo, up, &bytes);
      const size_t expected = (size_t)s->comes * sizeof(vector_t);
      memcpy(a->x[s->first], from, bytes < expected ? bytes : expected);
    }
  }
  timers_enter(PHASE_COMPUTE);
}

static void pack_numbers(const passage_t* p, const double* value) {
  for (int up = 0; up < 2; up++) {
    const stream_t* s = &p->stream[up];
    double* to = halo_out(p->halo, up);
    for (int i = 0; i < s->sends; i++) to[i] = value[s->list[i]];
    halo_size(p->halo, up, (size_t)s->sends * sizeof *to);
  }
}

void comm_forward_number(comm_t* c, double* value) {
  timers_enter(PHASE_PACK);
  for (int d = 0; d < 3; d++) {
    passage_t* p = &c->passage[d];
    pack_numbers(p, value);
    carry(p);
    for (int up = 0; up < 2; up++) {
      const stream_t* s = &p->stream[up];
      size_t bytes;
      const void* from = halo_in(p->halo, up, &bytes);
      const size_t expected = (size_t)s->comes * sizeof *value;
      memcpy(value + s->first, from, bytes < expected ? bytes : expected);
    }
  }
  timers_enter(PHASE_COMPUTE);
}

/* ---- from the ghosts back */

static void pack_ghosts(const passage_t* p, const double* value, size_t numbers) {
  for (int up = 0; up < 2; up++) {
    const stream_t* s = &p->stream[up];
    const size_t bytes = (size_t)s->comes * numbers * sizeof *value;
    memcpy(halo_out(p->halo, up), value + (size_t)s->first * numbers, bytes);
    halo_size(p->halo, up, bytes);
  }
}

static void add_ghosts(const passage_t* p, double* value, size_t numbers) {
  for (int up = 0; up < 2; up++) {
    const stream_t* s = &p->stream[up];
    size_t bytes;
    const double* from = halo_in(p->halo, up, &bytes);
    const size_t came = bytes / (numbers * sizeof *from);
    for (size_t i = 0; i < came && i < (size_t)s->sends; i++)
      for (size_t k = 0; k < numbers; k++) value[(size_t)s->list[i] * numbers + k] += from[i * numbers + k];
  }
}

/* `numbers` of each atom. Ghosts of ghosts have been added when a ghost itself goes back. */
static void reverse(comm_t* c, double* value, size_t numbers) {
  timers_enter(PHASE_PACK);
  for (int d = 2; d >= 0; d--) {
    passage_t* p = &c->passage[d];
    pack_ghosts(p, value, numbers);
    carry(p);
    add_ghosts(p, value, numbers);
  }
  timers_enter(PHASE_COMPUTE);
}

void comm_reverse(comm_t* c, atoms_t* a) { reverse(c, *a->f, 3); }

void comm_reverse_number(comm_t* c, double* value) { reverse(c, value, 1); }
