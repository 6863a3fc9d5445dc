// The four functions of LAMMPS' fft3d.h. Without the mode `fft` they call LAMMPS and measure the time.
#include "handle_table.hpp"
#include "interpose.hpp"
#include "stopwatch.hpp"
#include "transform.hpp"

using oshen::lammps::this_job;
using oshen::lammps::transform;

namespace {

auto& plans() {
  static oshen::lammps::handle_table<fft_plan_3d, transform> table;
  return table;
}

}  // namespace

void oshen::lammps::destroy_transforms() { plans().clear(); }

extern "C" {

OSHEN_VISIBLE fft_plan_3d* fft_3d_create_plan(MPI_Comm comm, int nfast, int nmid, int nslow, int ilo, int ihi, int jlo,
                                              int jhi, int klo, int khi, int oilo, int oihi, int ojlo, int ojhi,
                                              int oklo, int okhi, int scaled, int permute, int* nbuf, int collective,
                                              int nonblocking) {
  auto& job = this_job();
  job.start_late();
  const oshen::lammps::transform_request r{{nfast, nmid, nslow},
                                           {{ilo, jlo, klo}, {ihi, jhi, khi}},
                                           {{oilo, ojlo, oklo}, {oihi, ojhi, okhi}},
                                           scaled,
                                           permute,
                                           collective,
                                           nonblocking};
  if (!job.carrying() || !job.mode().transforms) return oshen::lammps::original_fft_create(comm, r, nbuf);
  return plans().add(std::make_unique<transform>(job, comm, r, nbuf));
}

OSHEN_VISIBLE void fft_3d(void* in, void* out, int flag, fft_plan_3d* plan) {
  if (transform* found = plans().find(plan)) return found->run(in, out, flag);
  auto& job = this_job();
  job.counts.transforms_forwarded++;
  const oshen::lammps::outermost_stopwatch timed(job.transforming, job.counts.transform_seconds);
  oshen::lammps::original_fft(in, out, flag, plan);
}

OSHEN_VISIBLE void fft_1d_only(void* data, int n, int flag, fft_plan_3d* plan) {
  if (transform* found = plans().find(plan)) return found->run_1d(data, n, flag);
  oshen::lammps::original_fft_1d(data, n, flag, plan);
}

OSHEN_VISIBLE void fft_3d_destroy_plan(fft_plan_3d* plan) {
  if (!plans().remove(plan)) oshen::lammps::original_fft_destroy(plan);
}

}  // extern "C"
