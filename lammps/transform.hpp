// A 3-D FFT plan as LAMMPS sees it: a handle behind which we, LAMMPS' own plan, or both transform.
// Depends on the ABI of MPI.
//
// A plan of LAMMPS goes from its input layout to its output layout in either direction; one of ours
// goes back the way it came. So each direction has a plan of ours, made when it is first used: by
// then all ranks are in the same call.
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
  // Collective over `comm`. `buffer_size` is what LAMMPS wants to know of a plan's memory, in
  // complex numbers; 0 when the plan is ours.
  transform(job& owner, MPI_Comm comm, const transform_request& r, int* buffer_size);
  ~transform();
  transform(const transform&) = delete;
  transform& operator=(const transform&) = delete;

  // Collective over the communicator. flag: 1 forward, -1 backward. `out` may be `in`.
  void run(void* in, void* out, int flag);
  // LAMMPS' benchmark of its 1-D transforms.
  void run_1d(void* data, int n, int flag);

 private:
  oshen_fft_t* plan_for(int flag);
  oshen_fft_t* make(bool forward);
  fft_plan_3d* original();
  void leave(const std::string& why);
  void run_ours(oshen_fft_t* plan, const void* in, void* out, int flag);
  // First ours, then, from the same state of both buffers, LAMMPS' own, whose result stays. Returns ours.
  snapshot run_both(oshen_fft_t* plan, void* in, void* out, int flag);
  // Which direction LAMMPS scales differs between its versions: the first run of each is done both ways, LAMMPS' result
  // stays, and the factor is what it was.
  void learn_scale(oshen_fft_t* plan, void* in, void* out, int flag);
  void compare(const void* ours, const void* theirs);

  job& owner_;
  MPI_Comm comm_;
  transform_request request_;
  std::size_t number_;         // bytes of a complex number
  crew* crew_ = nullptr;       // null: LAMMPS transforms
  oshen_fft_t* ours_[2] = {};  // backward, forward
  std::optional<oshen_fft_scale_t> scale_[2];  // likewise; empty: not known yet
  fft_plan_3d* original_ = nullptr;
};

}  // namespace oshen::lammps
