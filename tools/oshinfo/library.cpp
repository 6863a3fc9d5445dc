#include <cstdlib>

#include "base/settings.hpp"
#include "oshinfo/sections.hpp"
#include "settings_table.hpp"
#include "shmem.h"

namespace oshinfo {
namespace {

#ifdef __clang__
constexpr const char* compiler = __VERSION__;  // "Clang 14.0.6"
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

json value_of(const oshen::setting_row& row) {
  const char* alias = *row.alias != '\0' ? row.alias : nullptr;
  const char* value = oshen::setting_text(row.name, alias);
  return value != nullptr ? json(value) : json(nullptr);
}

}  // namespace

json library() {
  return {{"name", "Oshen"},
          {"version", OSHEN_VERSION},
          {"openshmem", std::to_string(SHMEM_MAJOR_VERSION) + '.' + std::to_string(SHMEM_MINOR_VERSION)},
          {"compiler", compiler}};
}

json settings() {
  json rows = json::array();
  for (const oshen::setting_row& row : oshen::settings_table)
    rows.push_back({{"name", row.name},
                    {"alias", row.alias},
                    {"type", row.type},
                    {"default", row.fallback},
                    {"about", row.about},
                    {"value", value_of(row)}});
  return rows;
}

json starters() {
  return json::array({{{"name", "oshrun"}, {"about", "forks the PEs on this machine"}},
                      {{"name", "MPI"}, {"about", "shmemx_init_mpi of <oshen/mpi.h>, under any mpirun"}},
                      {{"name", "PMI-1"}, {"about", "mpiexec of MPICH and Intel MPI, srun --mpi=pmi2, flux run"}},
                      {{"name", "PMIx"}, {"about", "mpirun of Open MPI, prterun, srun --mpi=pmix"}},
                      {{"name", "variables"}, {"about", "srun --mpi=none, torchrun; needs OSHEN_JOB_SECRET"}},
                      {{"name", "callbacks"}, {"about", "shmemx_init_attr, for programs with PEs of their own"}},
                      {{"name", "none"}, {"about", "./program alone is one PE"}}});
}

}  // namespace oshinfo
