// A 3-D FFT plan as LAMMPS sees it: a handle for plans of oshen/fft.h, LAMMPS' own plan, or both. Depends on the ABI
// of MPI.
//
// A plan of LAMMPS goes from its input layout to its output layout in either direction; a plan of oshen/fft.h goes
// back the way it came. So each direction has a plan of its own. It is made on first use, when all ranks are in the
// same call.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string>

#include "job.hpp"
#include "originals_fft.hpp"
#include "oshen/fft.h"
#include "snapshot.hpp"

namespace oshen::lammps {

class transform {
 public:
  // Collective over `comm`. Sets `buffer_size` to the memory of the plan in complex numbers, which LAMMPS reports; 0
  // for plans of the accelerator.
  transform(job& owner, MPI_Comm comm, const transform_request& r, int* buffer_size);
  ~transform();
  transform(const transform&) = delete;
  transform& operator=(const transform&) = delete;

  // Collective over the communicator. flag: 1 forward, -1 backward. `out` may be `in`.
  void run(void* in, void* out, int flag);
  // For LAMMPS' benchmark of its 1-D transforms.
  void run_1d(void* data, int n, int flag);

 private:
  oshen_fft_t* plan_for(int flag);
  oshen_fft_t* make(bool forward);
  fft_plan_3d* original();
  void leave_to_lammps(const std::string& why);
  void run_ours(oshen_fft_t* plan, const void* in, void* out, int flag);
  // Runs `plan` and then, from the same state of both buffers, LAMMPS' own FFT, whose result is kept. Returns the
  // result of `plan`.
  snapshot run_both(oshen_fft_t* plan, void* in, void* out, int flag);
  // Versions of LAMMPS differ in the direction that they scale. The first run in each direction is done by both,
  // LAMMPS' result is kept, and the factor is derived from the results.
  void learn_scale(oshen_fft_t* plan, void* in, void* out, int flag);
  void compare(const void* result, const void* theirs);

  job& owner_;
  MPI_Comm comm_;
  transform_request request_;
  std::size_t number_;                         // bytes of a complex number
  rank_group* group_ = nullptr;                // null: LAMMPS transforms
  oshen_fft_t* plans_[2] = {};                 // backward, forward
  std::optional<oshen_fft_scale_t> scale_[2];  // likewise; empty: not known yet
  fft_plan_3d* original_ = nullptr;
};

}  // namespace oshen::lammps
