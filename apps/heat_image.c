/* Heat flows into a cold plate from its hot rim; the plate is split by rows among the PEs.
 *
 *     oshrun -n 4 heat_image [rows cols steps] [--image FILE.ppm]
 *
 * The result is compared with the closed form, and the exit status says whether it agrees. The
 * field is the same bit for bit on any number of PEs, as its checksum shows.
 */
#include <math.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heat_exact.h"
#include "heat_field.h"
#include "picture.h"

static const double tolerance = 1e-11;

typedef struct options {
  int rows, cols, steps;
  const char* image;
} options_t;

static int parse(int argc, char** argv, options_t* o) {
  int* const numbers[] = {&o->rows, &o->cols, &o->steps};
  int given = 0;
  for (int i = 1; i < argc; i++) {
    char* end;
    if (strcmp(argv[i], "--image") == 0 && i + 1 < argc) {
      o->image = argv[++i];
      continue;
    }
    const long value = strtol(argv[i], &end, 10);
    if (given == 3 || *end != '\0' || value < 1 || value > 1000000) return 1;
    *numbers[given++] = (int)value;
  }
  return given != 0 && given != 3;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int write_image(const heat_field_t* field, const char* path) {
  const int width = field->cols + 2;
  double* row = malloc((size_t)width * sizeof *row);
  FILE* picture = picture_open(path, width, field->rows);
  int failed = row == NULL || picture == NULL;
  for (int i = 1; !failed && i <= field->rows; i++) {
    heat_get_row(field, i, row);
    picture_row(picture, row, width);
  }
  if (picture != NULL && picture_close(picture) != 0) failed = 1;
  free(row);
  if (failed) perror(path);
  return failed;
}

static double centre_of(const heat_field_t* field) {
  double* row = malloc((size_t)(field->cols + 2) * sizeof *row);
  if (row == NULL) return NAN;
  heat_get_row(field, (field->rows + 1) / 2, row);
  const double centre = row[(field->cols + 1) / 2];
  free(row);
  return centre;
}

/* On PE 0: prints, compares, draws. Non-zero when something is wrong. */
static int report(const heat_field_t* field, const options_t* o, double mean, uint64_t checksum,
                  double took) {
  const heat_values_t exact = heat_exact(o->rows, o->cols, o->steps);
  const double centre = centre_of(field);
  const int wrong =
      !(fabs(mean - exact.mean) <= tolerance && fabs(centre - exact.centre) <= tolerance);
  printf("heat_image: %d x %d cells, %d steps on %d PEs in %.3f s\n", o->rows, o->cols, o->steps,
         shmem_n_pes(), took);
  printf("mean     %.15f  exact %.15f\n", mean, exact.mean);
  printf("centre   %.15f  exact %.15f\n", centre, exact.centre);
  printf("checksum %016llx\n", (unsigned long long)checksum);
  printf("result   %s\n", wrong ? "WRONG" : "right");
  return wrong || (o->image != NULL && write_image(field, o->image) != 0);
}

int main(int argc, char** argv) {
  static int status; /* symmetric: PE 0 tells the others how it went */
  options_t o = {256, 256, 5000, NULL};
  heat_field_t field;
  shmem_init();
  if (parse(argc, argv, &o) != 0 || o.rows < shmem_n_pes()) {
    if (shmem_my_pe() == 0)
      fprintf(stderr,
              "usage: heat_image [rows cols steps] [--image FILE.ppm]   (rows >= number of PEs)\n");
    shmem_finalize();
    return 2;
  }
  if (heat_create(&field, o.rows, o.cols) != 0) {
    fprintf(stderr, "heat_image: %d x %d cells do not fit; set SHMEM_SYMMETRIC_SIZE\n", o.rows,
            o.cols);
    shmem_global_exit(3);
  }
  const double start = seconds();
  for (int step = 0; step < o.steps; step++) heat_step(&field);
  const double took = seconds() - start;
  const double mean = heat_mean(&field);
  const uint64_t checksum = heat_checksum(&field);
  if (shmem_my_pe() == 0) status = report(&field, &o, mean, checksum, took);
  shmem_barrier_all();
  status = shmem_int_g(&status, 0);
  heat_destroy(&field);
  shmem_finalize();
  return status;
}
