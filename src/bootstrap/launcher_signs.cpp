#include "bootstrap/launcher_signs.hpp"

#include <limits.h>
#include <stdlib.h>

#include "bootstrap/text.hpp"

namespace oshen::bootstrap {
namespace {

constexpr launcher_sign signs[] = {
    {"oshrun --hosts", "OSHEN_PE", "OSHEN_N_PES", "OSHEN_NODE", true, true},
    {"Slurm's srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NODEID", true, true},
    {"torchrun", "RANK", "WORLD_SIZE", "GROUP_RANK", true, true},
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr, false, false},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", nullptr, false, false},
    {"Cray PALS", "PALS_RANKID", "PALS_NRANKS", nullptr, false, false},
    {"Cray ALPS (aprun)", "ALPS_APP_PE", nullptr, nullptr, false, false},
    {"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", nullptr, false, false},
    {"MVAPICH2's mpirun_rsh", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", nullptr, false, false},
    {"PBS (pbsdsh)", "PBS_TASKNUM", "PBS_NP", nullptr, false, true},
    {"Hydra (mpiexec of MPICH or Intel MPI)", "PMI_RANK", "PMI_SIZE", nullptr, false, false},
    {"Hydra (mpiexec of MPICH or Intel MPI)", "PMI_ID", "PMI_SIZE", nullptr, false, false},
    {"Hydra (mpiexec of MPICH or Intel MPI)", "PMI_SIZE", "PMI_SIZE", nullptr, false, false},
    {"a PMIx launcher (prterun)", "PMIX_RANK", nullptr, nullptr, false, false},
};

int number_in(const char* variable, int otherwise) {
  int value = otherwise;
  if (variable != nullptr) whole_number(getenv(variable), value);
  return value;
}

}  // namespace

bool launcher_sign::is_set() const { return getenv(variable) != nullptr && (!needs_size || n_pes() > 0); }
int launcher_sign::pe() const { return number_in(variable, -1); }
int launcher_sign::n_pes() const { return number_in(size_variable, 0); }
std::uint64_t launcher_sign::node() const { return static_cast<std::uint64_t>(number_in(node_variable, -1) + 1); }

const launcher_sign* largest_sign() {
  const launcher_sign* largest = nullptr;
  const auto size = [](const launcher_sign& s) { return s.n_pes() == 0 ? INT_MAX : s.n_pes(); };
  for (const launcher_sign& s : signs)
    if (s.is_set() && (largest == nullptr || size(s) > size(*largest))) largest = &s;
  return largest;
}

const launcher_sign* rendezvous_sign() {
  for (const launcher_sign& s : signs)
    if (s.rendezvous && s.is_set() && s.n_pes() > 1 && s.pe() >= 0 && s.pe() < s.n_pes()) return &s;
  return nullptr;
}

}  // namespace oshen::bootstrap
