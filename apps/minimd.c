/* Molecular dynamics of a crystal, cut into blocks: Lennard-Jones atoms that melt, or copper.
 *
 *     oshrun -n 4 minimd [cells] [--potential lj|eam] [--lists half|full] [--steps N] [--image FILE.ppm] ...
 *
 * Each step sends the positions of the atoms near each face to the block behind it, along one axis after the other.
 * Half neighbour lists have each pair once. The PE that has a pair in a list computes the force on both atoms, and the
 * forces on ghosts go back to the PEs that own the atoms. With full lists each PE computes the forces on its own atoms.
 * For embedded atoms (eam) the densities of ghosts go back, and the embedding of each atom is sent, in the middle of
 * the force computation. Every 20 steps atoms that left their block migrate, and the neighbour lists are built again.
 * Temperature, energy and pressure are compared with known values. For every size the number of atoms, the momentum and
 * the energy must be conserved.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "halo/app.h"
#include "minimd_comm.h"
#include "minimd_force.h"
#include "minimd_known.h"
#include "minimd_lists.h"
#include "minimd_picture.h"

enum { new_lists = 20, look = 100 };

typedef struct md {
  long cells;
  atoms_t atoms;
  comm_t comm;
  lists_t lists;
  force_t force;
  double first_energy;
  int wrong;
} md_t;

/* ---- a step */

static void kick(atoms_t* a) {
  const double half = 0.5 * a->material.step / a->material.mass;
  for (int i = 0; i < a->mine; i++)
    for (int d = 0; d < 3; d++) a->v[i][d] += half * a->f[i][d];
}

static void drift(atoms_t* a) {
  for (int i = 0; i < a->mine; i++)
    for (int d = 0; d < 3; d++) a->x[i][d] += a->material.step * a->v[i][d];
}

static void find_neighbours(md_t* m) {
  comm_migrate(&m->comm, &m->atoms);
  lists_sort(&m->lists, &m->atoms);
  comm_borders(&m->comm, &m->atoms);
  lists_make(&m->lists, &m->atoms);
}

/* `looked_at`: the energy and the pressure will be asked for. */
static void step(md_t* m, int number, int looked_at) {
  kick(&m->atoms);
  drift(&m->atoms);
  if (number % new_lists == 0)
    find_neighbours(m);
  else
    comm_forward(&m->comm, &m->atoms);
  force_compute(&m->force, &m->atoms, &m->lists, &m->comm, looked_at);
  kick(&m->atoms);
}

/* ---- what is known */

static state_t state_of(const md_t* m) {
  const atoms_t* a = &m->atoms;
  const double n = (double)a->all, volume = a->side * a->side * a->side;
  state_t s = {.temperature = atoms_temperature(a)};
  const double twice_kinetic = a->material.boltzmann * s.temperature * (3.0 * n - 3.0);
  s.energy = halo_sum(force_energy(&m->force, a)) / n;
  s.pressure = a->material.pressure * (twice_kinetic + halo_sum(force_virial(&m->force, a))) / (3.0 * volume);
  return s;
}

static int far(double value, double known, double relative) { return !(fabs(value - known) <= relative * fabs(known)); }

/* Collective. E is the change of the energy per atom since the start. The original program prints seven digits; after
 * 1000 steps chaos has made them meaningless. */
static void look_at(md_t* m, int number, int print) {
  const phase_t before = timers_enter(PHASE_REDUCE);
  const material_t* material = &m->atoms.material;
  const state_t s = state_of(m);
  const double n = (double)m->atoms.all;
  const double total = s.energy + material->boltzmann * s.temperature * 1.5 * (n - 1) / n;
  state_t known;
  const int is_known = minimd_known(material, m->cells, number, &known);
  if (number == 0) m->first_energy = total;
  m->wrong |= !(fabs(total - m->first_energy) <= material->drift) || !(atoms_momentum(&m->atoms) <= 1e-10);
  m->wrong |= halo_sum_u64((uint64_t)m->atoms.mine) != (uint64_t)m->atoms.all;
  if (is_known)
    m->wrong |= far(s.temperature, known.temperature, known.relative) || far(s.energy, known.energy, known.relative) ||
                far(s.pressure, known.pressure, known.relative);
  if (print && halo_me() == 0)
    printf("step %5d  T %.7f  U %.6f  P %.7f  E %+.2e%s\n", number, s.temperature, s.energy, s.pressure,
           total - m->first_energy, is_known ? "  known" : "");
  timers_enter(before);
}

/* Collective. In every sweep over the lists each atom has as many pairs as atoms within reach, with half lists half as
 * many: no program with these lists can do with less. */
static void print_pairs(const md_t* m, int print) {
  const double visited = halo_sum(m->force.visited);
  if (print && halo_me() == 0) printf("pairs %.0f visited\n", visited);
}

/* ---- the app */

enum { potential_choice, lists_choice };

static long cells_of(const app_options_t* o) {
  return o->weak ? lround((double)o->number[0] * cbrt(halo_pes())) : o->number[0];
}

static const char* refuse(const app_options_t* o) {
  static char why[160];
  const material_t m = material_of((potential_t)o->choice[potential_choice]);
  const double reach = m.cut + m.skin;
  int grid[3];
  atoms_grid(halo_pes(), grid);
  if (cells_of(o) > 400) return "there are more than 400 cells along a side";
  for (int d = 0; d < 3; d++) {
    if ((double)cells_of(o) * m.edge / grid[d] >= reach) continue;
    snprintf(why, sizeof why, "blocks would be thinner than atoms see, %g: more cells, %.3g wide each, or fewer PEs",
             reach, m.edge);
    return why;
  }
  return NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {
    .name = "minimd",
    .usage = "[cells] [--potential lj|eam] [--lists half|full] [--scaling strong|weak] [--steps N] [--image FILE.ppm]",
    .unit = "Matom-step/s",
    .numbers = 1,
    .standard = {.number = {20}, .steps = 100, .threads = 1, .syncs = 1u << SYNC_BARRIER},
    .choice = {{"--potential", potential_names}, {"--lists", lists_names}},
    .refuse = refuse,
    .run = run};

static void create(md_t* m, const app_options_t* o, sync_how_t how) {
  const material_t material = material_of((potential_t)o->choice[potential_choice]);
  const lists_kind_t kind = (lists_kind_t)o->choice[lists_choice];
  const double reach = material.cut + material.skin;
  *m = (md_t){.cells = cells_of(o)};
  force_create(&m->force, &material);
  if (atoms_create(&m->atoms, &material, m->cells) != 0 ||
      comm_create(&m->comm, &m->atoms, how, reach, kind == LISTS_HALF) != 0)
    app_no_memory(&app);
  lists_create(&m->lists, kind, &m->atoms, reach);
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  md_t m;
  create(&m, o, how);
  find_neighbours(&m);
  force_compute(&m.force, &m.atoms, &m.lists, &m.comm, 1);
  look_at(&m, 0, first);
  app_clock_start();
  for (int i = 1; i <= o->steps; i++) {
    const int looked_at = i % look == 0 || i == o->steps;
    step(&m, i, looked_at);
    if (looked_at) look_at(&m, i, first);
  }
  app_clock_stop();
  print_pairs(&m, first);
  if (first && o->image != NULL) m.wrong |= minimd_picture(&m.atoms, o->image);
  const app_result_t result = {.work = 1e-6 * (double)m.atoms.all * o->steps,
                               .checksum = atoms_checksum(&m.atoms),
                               .wrong = halo_sum(m.wrong) > 0.0};
  force_destroy(&m.force);
  lists_destroy(&m.lists);
  comm_destroy(&m.comm);
  atoms_destroy(&m.atoms);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
