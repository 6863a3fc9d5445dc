#include <oshen/exchange.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "halo/halo.h"
#include "remap_own.h"

struct remap_own {
  oshen_arena_t* arena;
  oshen_group_t* group;
  element_t* grids[2];
  const char* strategy;
  int fields;
  size_t field_bytes;
};

struct own_plan {
  oshen_plan_t* plan;
};

const char* remap_own_way(int way) {
  oshen_strategy_info_t info;
  if (oshen_strategy_at(way, &info, sizeof info)) return info.name;
  return way > 0 && oshen_strategy_at(way - 1, &info, sizeof info) ? "auto" : NULL;
}

/* The arena holds the two grids, and for each of four plans the data that it sends and receives, twice. Tools record
 * the remaps alone, not the messages that make plans. */
remap_own_t* remap_own_open(int way, int fields, long elements) {
  shmem_pcontrol(0);
  remap_own_t* own = calloc(1, sizeof *own);
  if (own == NULL) halo_abort(3);
  own->strategy = remap_own_way(way);
  own->fields = fields;
  own->field_bytes = (size_t)elements * sizeof(element_t);
  const size_t bytes = 36 * own->field_bytes * (size_t)fields + (1 << 20);
  if (oshen_arena_create(bytes, &own->arena) != OSHEN_OK) return free(own), NULL;
  if (oshen_group_create(own->arena, SHMEM_TEAM_WORLD, &own->group) != OSHEN_OK) halo_abort(3);
  for (int set = 0; set < 2; set++) {
    own->grids[set] = oshen_arena_alloc(own->arena, own->field_bytes * (size_t)fields);
    if (own->grids[set] == NULL) halo_abort(3);
  }
  return own;
}

void remap_own_close(remap_own_t* own) {
  for (int set = 0; set < 2; set++) oshen_arena_free(own->arena, own->grids[set]);
  oshen_group_destroy(own->group);
  oshen_arena_destroy(own->arena);
  free(own);
  shmem_pcontrol(1);
}

element_t* remap_own_grids(remap_own_t* own, int set) { return own->grids[set]; }

static oshen_message_t message(int pe, const part_t* p) {
  oshen_message_t m = {.peer = pe, .bytes = (size_t)part_size(p) * sizeof(element_t)};
  m.box.offset = (size_t)p->offset * sizeof(element_t);
  m.box.element = sizeof(element_t);
  for (int d = 0; d < 3; d++) {
    m.box.extent[d] = (size_t)p->extent[d];
    m.box.stride[d] = (size_t)p->stride[d] * sizeof(element_t);
  }
  return m;
}

static oshen_plan_t* make(remap_own_t* own, const oshen_message_t* sends, int n_sends, const oshen_message_t* receives,
                          int n_receives) {
  oshen_plan_t* plan;
  const oshen_plan_attr_t attr = {.size = sizeof attr,
                                  .strategy = own->strategy,
                                  .sends = sends,
                                  .receives = receives,
                                  .n_sends = n_sends,
                                  .n_receives = n_receives,
                                  .n_fields = own->fields,
                                  .in_field_stride = own->field_bytes,
                                  .out_field_stride = own->field_bytes,
                                  .buffers = OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC | OSHEN_BUFFERS_APART};
  const oshen_status_t status = oshen_plan_create(own->group, &attr, &plan);
  if (status == OSHEN_OK) return plan;
  if (halo_me() == 0)
    fprintf(stderr, "remap3d: --sync %s: the exchange library says: %s\n", own->strategy, oshen_status_text(status));
  halo_abort(3);
}

own_plan_t* remap_own_plan(remap_own_t* own, const remap_t* r) {
  own_plan_t* plan = malloc(sizeof *plan);
  oshen_message_t* const m = malloc(2 * (size_t)r->pieces * sizeof *m);
  int sends = 0, receives = 0;
  if (plan == NULL || m == NULL) halo_abort(3);
  for (int i = 0; i < r->pieces; i++) {
    const piece_t* p = &r->piece[i];
    if (part_size(&p->send) > 0) m[sends++] = message(p->pe, &p->send);
    if (part_size(&p->receive) > 0) m[r->pieces + receives++] = message(p->pe, &p->receive);
  }
  plan->plan = make(own, m, sends, m + r->pieces, receives);
  free(m);
  return plan;
}

void remap_own_plan_end(own_plan_t* plan) {
  oshen_plan_destroy(plan->plan);
  free(plan);
}

void remap_own_run(own_plan_t* plan, const element_t* in, element_t* out) {
  const phase_t before = timers_enter(PHASE_EXCHANGE);
  shmem_pcontrol(1);
  oshen_plan_start(plan->plan, in, out);
  timers_enter(PHASE_WAIT);
  oshen_plan_release(plan->plan);
  shmem_pcontrol(0);
  timers_enter(before);
}
