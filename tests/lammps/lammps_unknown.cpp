// Represents a future LAMMPS: it has LAMMPS' C interface, and a remap with other arguments.
#include <mpi.h>

#include <cstdio>

struct remap_plan_3d;

extern "C" __attribute__((visibility("default"))) void* lammps_open_no_mpi(int, char**, void**) { return nullptr; }
__attribute__((visibility("default"))) void remap_3d(double*, remap_plan_3d*) {}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::printf("%d ranks went on\n", size);
  return MPI_Finalize();
}
