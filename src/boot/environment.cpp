#include "boot/environment.hpp"

#include <stdlib.h>

namespace oshen::boot {
namespace {

struct sign {
  const char* variable;       // present: this launcher
  const char* size_variable;  // how many processes; null when the launcher does not say
  const char* name;
};

// From the particular to the general: Open MPI's mpirun sets PMIX_RANK too, Slurm's srun PMI_RANK.
constexpr sign signs[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", "Flux"},
    {"PALS_RANKID", "PALS_NRANKS", "Cray PALS"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "Slurm's srun"},
    {"PMI_RANK", "PMI_SIZE", "Hydra (mpiexec of MPICH or Intel MPI)"},
    {"PMI_ID", "PMI_SIZE", "Hydra (mpiexec of MPICH or Intel MPI)"},
    {"PMIX_RANK", nullptr, "a PMIx launcher (prterun)"},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "jsrun"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MVAPICH2's mpirun_rsh"},
};

}  // namespace

foreign_launcher find_foreign_launcher() {
  for (const sign& s : signs) {
    if (getenv(s.variable) == nullptr) continue;
    const char* size = s.size_variable != nullptr ? getenv(s.size_variable) : nullptr;
    return {s.name, s.variable, size != nullptr ? atoi(size) : 0,
            "start it with \"oshrun -n N program\", or, in an MPI program, call shmemx_init_mpi() of oshen/mpi.h after MPI_Init"};
  }
  return {};
}

}  // namespace oshen::boot
