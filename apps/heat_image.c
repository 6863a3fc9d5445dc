/* Heat flows into a cold plate from its hot rim; the plate is split by rows among the PEs.
 *
 *     oshrun -n 4 heat_image [rows cols steps] [--image FILE.ppm] [--sync LIST|all] ...
 *
 * The result is compared with the closed form, and the exit status says whether it agrees. The
 * field is the same bit for bit on any number of PEs and threads and with every synchronisation, as
 * its checksum shows.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "halo/app.h"
#include "heat_exact.h"
#include "heat_field.h"
#include "picture.h"

static const double tolerance = 1e-11;

/* Collective; PE 0 writes. Returns non-zero on all PEs if it could not. */
static int write_image(const heat_field_t* field, const char* path, double* row) {
  const int width = field->cols + 2, writes = halo_me() == 0;
  FILE* picture = writes ? picture_open(path, width, field->rows) : NULL;
  int failed = writes && picture == NULL;
  for (int i = 1; i <= field->rows; i++) {
    heat_get_row(field, i, row);
    if (picture != NULL) picture_row(picture, row, width);
  }
  if (picture != NULL && picture_close(picture) != 0) failed = 1;
  if (failed) perror(path);
  return halo_max(failed) > 0.0;
}

/* Collective: compares, draws, and prints in the first run. Returns non-zero if something is wrong. */
static int judge(const heat_field_t* field, int steps, const char* image, int print) {
  const heat_values_t exact = heat_exact(field->rows, field->cols, steps);
  double* row = malloc((size_t)(field->cols + 2) * sizeof *row);
  if (row == NULL) return 1;
  heat_get_row(field, (field->rows + 1) / 2, row);
  const double mean = heat_mean(field), centre = row[(field->cols + 1) / 2];
  int wrong = !(fabs(mean - exact.mean) <= tolerance && fabs(centre - exact.centre) <= tolerance);
  if (print && halo_me() == 0) {
    printf("heat_image: %d x %d cells, %d steps on %d PEs in %.3f s\n", field->rows, field->cols, steps, halo_pes(),
           app_clock());
    printf("mean     %.15f  exact %.15f\n", mean, exact.mean);
    printf("centre   %.15f  exact %.15f\n", centre, exact.centre);
  }
  wrong |= halo_max(heat_edges_differ(field)) > 0.0;
  if (print && image != NULL) wrong |= write_image(field, image, row);
  free(row);
  return wrong;
}

static long rows_in_all(const app_options_t* o) { return o->weak ? o->number[0] * halo_pes() : o->number[0]; }

static const char* refuse(const app_options_t* o) {
  for (int i = 0; i < 3; i++)
    if (o->number[i] > 1000000) return "a size or number of steps is above 1000000";
  if (rows_in_all(o) > 1000000) return "there are more than 1000000 rows";
  return rows_in_all(o) < halo_pes() ? "there are fewer rows than PEs" : NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "heat_image",
                          .usage = "[rows cols steps] [--scaling strong|weak] [--steps N] [--image FILE.ppm]",
                          .unit = "Mcell/s",
                          .numbers = 3,
                          .standard = {.number = {256, 256, 5000}, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .refuse = refuse,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  const int steps = o->steps > 0 ? o->steps : (int)o->number[2];
  heat_field_t field;
  if (heat_create(&field, (int)rows_in_all(o), (int)o->number[1], how) != 0) app_no_memory(&app);
  app_clock_start();
  for (int step = 0; step < steps; step++) heat_step(&field);
  app_clock_stop();
  const app_result_t result = {.work = 1e-6 * field.rows * (double)field.cols * steps,
                               .checksum = heat_checksum(&field),
                               .wrong = judge(&field, steps, o->image, first)};
  heat_destroy(&field);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
