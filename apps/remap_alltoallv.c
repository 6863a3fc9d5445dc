#include <mpi.h>
#include <stdlib.h>

#include "halo/halo.h"
#include "remap_own.h"

struct remap_own {
  element_t *grids[2], *out, *in;
  int fields;
  long elements;
};

struct own_plan {
  remap_own_t* own;
  const remap_t* remap;
  int *send, *send_at, *receive, *receive_at; /* bytes, by rank */
};

const char* remap_own_way(int way) { return way == 0 ? "alltoallv" : NULL; }

remap_own_t* remap_own_open(int way, int fields, long elements) {
  remap_own_t* own = malloc(sizeof *own);
  const size_t bytes = (size_t)fields * (size_t)elements * sizeof(element_t);
  (void)way;
  if (own == NULL) return NULL;
  *own = (remap_own_t){.grids = {malloc(bytes), malloc(bytes)},
                       .out = malloc(bytes),
                       .in = malloc(bytes),
                       .fields = fields,
                       .elements = elements};
  if (own->grids[0] == NULL || own->grids[1] == NULL || own->out == NULL || own->in == NULL) halo_abort(3);
  return own;
}

void remap_own_close(remap_own_t* own) {
  free(own->grids[0]), free(own->grids[1]), free(own->out), free(own->in), free(own);
}

element_t* remap_own_grids(remap_own_t* own, int set) { return own->grids[set]; }

own_plan_t* remap_own_plan(remap_own_t* own, const remap_t* r) {
  own_plan_t* plan = malloc(sizeof *plan);
  const size_t n = (size_t)halo_pes();
  int* const numbers = calloc(4 * n, sizeof *numbers);
  if (plan == NULL || numbers == NULL) halo_abort(3);
  *plan = (own_plan_t){own, r, numbers, numbers + n, numbers + 2 * n, numbers + 3 * n};
  int sent = 0, received = 0;
  for (int i = 0; i < r->pieces; i++) {
    const piece_t* p = &r->piece[i];
    const int element = own->fields * (int)sizeof(element_t);
    plan->send_at[p->pe] = sent;
    plan->receive_at[p->pe] = received;
    sent += plan->send[p->pe] = (int)part_size(&p->send) * element;
    received += plan->receive[p->pe] = (int)part_size(&p->receive) * element;
  }
  return plan;
}

void remap_own_plan_end(own_plan_t* plan) {
  free(plan->send);
  free(plan);
}

void remap_own_run(own_plan_t* plan, const element_t* in, element_t* out) {
  remap_own_t* own = plan->own;
  const phase_t before = timers_enter(PHASE_PACK);
  element_t* at = own->out;
  for (int i = 0; i < plan->remap->pieces; i++) {
    const part_t* p = &plan->remap->piece[i].send;
    for (int f = 0; f < own->fields; f++, at += part_size(p)) part_pack(p, in + f * own->elements, at);
  }
  timers_enter(PHASE_WAIT);
  MPI_Alltoallv(own->out, plan->send, plan->send_at, MPI_BYTE, own->in, plan->receive, plan->receive_at, MPI_BYTE,
                MPI_COMM_WORLD);
  timers_enter(PHASE_PACK);
  at = own->in;
  for (int i = 0; i < plan->remap->pieces; i++) {
    const part_t* p = &plan->remap->piece[i].receive;
    for (int f = 0; f < own->fields; f++, at += part_size(p)) part_unpack(p, at, out + f * own->elements);
  }
  timers_enter(before);
}
