// heFFTe with FFTW, brick to brick in place: heffte N SECONDS. heFFTe is not packaged; the driver takes the folder of
// an installation.
#include <heffte.h>

#include <algorithm>
#include <complex>
#include <vector>

#include "measure_mpi.h"

namespace {

using transform = heffte::fft3d<heffte::backend::fftw>;

struct work {
  transform* fft;
  std::complex<double>* data;
  std::complex<double>* room;
};

void run(void* what) {
  const auto* w = static_cast<const work*>(what);
  w->fft->forward(w->data, w->data, w->room, heffte::scale::none);
}

heffte::box3d<> brick(int n, int me, int pes) {
  const int parts_z = pes >= 2 ? 2 : 1, parts_y = pes / parts_z;
  const int y = me % parts_y, z = me / parts_y;
  return {{0, n * y / parts_y, n * z / parts_z}, {n - 1, n * (y + 1) / parts_y - 1, n * (z + 1) / parts_z - 1}};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 32;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0.2;
  int me = 0, pes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &pes);
  {
    const heffte::box3d<> mine = brick(n, me, pes);
    transform fft(mine, mine, MPI_COMM_WORLD);
    std::vector<std::complex<double>> data(static_cast<std::size_t>(std::max(fft.size_inbox(), fft.size_outbox())));
    std::vector<std::complex<double>> room(static_cast<std::size_t>(fft.size_workspace()));
    work all{&fft, data.data(), room.data()};
    measure_mpi("heFFTe brick to brick", seconds, run, &all);
  }
  MPI_Finalize();
  return 0;
}
