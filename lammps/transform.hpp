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

#include "contest.hpp"
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
  void count(const oshen_fft_t* plan);
  void run_ours(oshen_fft_t* plan, const void* in, void* out, int flag);
  void run_theirs(void* in, void* out, int flag);
  // Runs `plan` and then, from the same state of both buffers, LAMMPS' own FFT, whose result is kept. Returns the
  // result of `plan`.
  snapshot run_both(oshen_fft_t* plan, void* in, void* out, int flag);
  // Versions of LAMMPS differ in the direction that they scale. The first run in each direction is done by both,
  // LAMMPS' result is kept, and the factor is derived from the results.
  void learn_scale(oshen_fft_t* plan, void* in, void* out, int flag);
  // The largest difference on all ranks, relative to the largest value, and whether it is on this rank. Collective.
  double difference(const void* result, const void* theirs, bool* is_mine);
  // Whether rounding explains such a difference.
  bool is_rounding(double difference) const { return difference <= (number_ == 16 ? 1e-12 : 1e-4); }
  void check(const void* result, const void* theirs);

  // Mode `best` (transform_best.cpp).
  std::string kind(int flag) const;
  // LAMMPS makes the same plans again at each run: takes the choice for an earlier plan if all ranks have the same one.
  // Returns the plan, or null if LAMMPS transforms.
  oshen_fft_t* recall(int flag);
  // One run of the contest, done by Oshen or LAMMPS or both.
  void compete(oshen_fft_t* plan, void* in, void* out, int flag);
  // Whether the results are equal within rounding. If not, LAMMPS does all transforms of this plan.
  bool agree(const void* result, const void* theirs);
  void take(int flag, const fft_choice& choice);

  job& owner_;
  MPI_Comm comm_;
  transform_request request_;
  std::size_t number_;                         // bytes of a complex number
  rank_group* group_ = nullptr;                // null: LAMMPS transforms
  oshen_fft_t* plans_[2] = {};                 // backward, forward
  std::optional<oshen_fft_scale_t> scale_[2];  // likewise; empty: not known yet
  fft_plan_3d* original_ = nullptr;

  struct {
    double ours, theirs;  // seconds of the latest runs
  } latest_{};
  // Mode `best`, backward and forward.
  contest contests_[2];
  bool recalled_[2] = {}, decided_[2] = {};
  bool left_[2] = {};  // LAMMPS transforms in this direction
};

}  // namespace oshen::lammps
