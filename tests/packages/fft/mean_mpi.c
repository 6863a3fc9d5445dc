/* The first number of a spectrum is the sum of the array: an MPI program that transforms once. */
#include <complex.h>
#include <oshen/mpi_fft.h>
#include <stdio.h>

enum { edge = 4, points = edge * edge * edge };

int main(int argc, char** argv) {
  oshen_fft_attr_t attr = {.size = sizeof attr, .extent = {edge, edge, edge}};
  double complex data[points] = {0};
  int rank, n;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  attr.in.size[0] = attr.in.size[1] = edge;
  attr.in.low[2] = edge * rank / n;
  attr.in.size[2] = edge * (rank + 1) / n - attr.in.low[2];
  attr.out = attr.in;
  for (int i = 0; i < edge * edge * attr.in.size[2]; i++) data[i] = i % 16;
  oshen_fft_t* fft = oshen_fft_create_mpi(MPI_COMM_WORLD, &attr);
  oshen_fft_forward(fft, data, data, OSHEN_FFT_SCALE_FULL);
  if (rank == 0) printf("the mean is %g\n", creal(data[0]));
  oshen_fft_destroy(fft);
  MPI_Finalize();
  return 0;
}
