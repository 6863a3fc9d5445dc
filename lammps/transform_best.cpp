// Mode `best`: the first runs of a plan find out whether Oshen's whole FFT is faster than LAMMPS' own with its remaps
// carried.
#include <cstdio>
#include <string>

#include "transform.hpp"

namespace oshen::lammps {

// The arguments that decide about a plan, and the direction. Versions of LAMMPS without `nonblocking` leave it
// undefined.
std::string transform::kind(int flag) const {
  transform_request of = request_;
  of.nonblocking = 0;
  return std::string(reinterpret_cast<const char*>(&of), sizeof of) + (flag == 1 ? 'f' : 'b');
}

// Collective.
oshen_fft_t* transform::recall(int flag) {
  const int way = flag == 1;
  const fft_choice* known = owner_.choices.find(kind(flag));
  const int mine = known == nullptr ? 0 : known->ours ? 1 : 2;
  int least_of[2] = {mine, -mine};
  MPI_Allreduce(MPI_IN_PLACE, least_of, 2, MPI_INT, MPI_MIN, comm_);
  recalled_[way] = true;
  if (known == nullptr || least_of[0] != mine || -least_of[1] != mine) return plans_[way];
  owner_.choices.count(kind(flag));
  take(flag, *known);
  return plans_[way];
}

void transform::compete(oshen_fft_t* plan, void* in, void* out, int flag) {
  contest& open = contests_[flag == 1];
  switch (open.next()) {
    case contest::turn::both:
      owner_.counts.transforms_compared++;
      owner_.counts.transforms_forwarded++;
      if (!agree(run_both(plan, in, out, flag).data(), out)) return;
      break;
    case contest::turn::ours:
      count(plan);
      run_ours(plan, in, out, flag);
      return open.ours_ran();
    case contest::turn::theirs: run_theirs(in, out, flag); break;
  }
  double slowest[2] = {latest_.ours, latest_.theirs};
  MPI_Allreduce(MPI_IN_PLACE, slowest, 2, MPI_DOUBLE, MPI_MAX, comm_);
  open.finish_round(slowest[0], slowest[1]);
  if (!open.decided()) return;
  char mesh[80];
  std::snprintf(mesh, sizeof mesh, "FFT %d x %d x %d %s: ", request_.extent[0], request_.extent[1], request_.extent[2],
                flag == 1 ? "forward" : "backward");
  const fft_choice choice{open.takes_ours(), *scale_[flag == 1], mesh + open.text()};
  owner_.choices.add(kind(flag), choice);
  take(flag, choice);
}

bool transform::agree(const void* result, const void* theirs) {
  bool mine = false;
  const double error = difference(result, theirs, &mine);
  if (is_rounding(error)) return true;
  char why[80];
  std::snprintf(why, sizeof why, "the results differ by %.1e of the largest value", error);
  leave_to_lammps(why);
  return false;
}

void transform::take(int flag, const fft_choice& choice) {
  const int way = flag == 1;
  scale_[way] = choice.scale;
  decided_[way] = true;
  if (choice.ours) return;
  left_[way] = true;
  oshen_fft_destroy(plans_[way]);
  plans_[way] = nullptr;
}

}  // namespace oshen::lammps
