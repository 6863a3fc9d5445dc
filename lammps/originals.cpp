#include "originals.hpp"

#include <dlfcn.h>

#include <string>
#include <typeinfo>

#include "job.hpp"
#include "lines.hpp"

namespace oshen::lammps {
namespace {

// Finds a function of LAMMPS, or returns null. With LD_PRELOAD the accelerator precedes LAMMPS, so that its function
// is the next one. A program that loaded the accelerator by dlopen (Python) may have LAMMPS outside the search order.
void* look_for(const std::string& mangled) {
  if (void* next = dlsym(RTLD_NEXT, mangled.c_str())) return next;
  for (const char* library : {"liblammps.so.0", "liblammps.so"}) {
    void* loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) continue;
    void* symbol = dlsym(loaded, mangled.c_str());
    dlclose(loaded);
    if (symbol != nullptr) return symbol;
  }
  return nullptr;
}

// Mangled C++ names. They differ between MPI families only in the type of MPI_Comm.
std::string create_name(int ints) {
  return std::string("_Z20remap_3d_create_plan") + typeid(MPI_Comm).name() +
         std::string(static_cast<std::size_t>(ints), 'i');
}

template <class Scalar>
std::string remap_name() {
  return std::string("_Z8remap_3dP") + typeid(Scalar).name() + "S_S_P13remap_plan_3d";
}

template <class... Int>
remap_plan_3d* call_create(void* function, MPI_Comm comm, const request& r, Int... last) {
  using create = remap_plan_3d* (*)(MPI_Comm, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                                    int, Int...);
  const auto& [il, ih] = r.in;
  const auto& [ol, oh] = r.out;
  return reinterpret_cast<create>(function)(comm, il[0], ih[0], il[1], ih[1], il[2], ih[2], ol[0], oh[0], ol[1], oh[1],
                                            ol[2], oh[2], r.nqty, r.permute, r.memory, r.precision, last...);
}

constexpr const char* destroy_name = "_Z21remap_3d_destroy_planP13remap_plan_3d";

}  // namespace

void* find_original(const std::string& mangled) {
  if (void* symbol = look_for(mangled)) return symbol;
  say("cannot find the function %s of LAMMPS", mangled.c_str());
  end_job();
  return nullptr;
}

bool lammps_is_unknown() {
  if (dlsym(RTLD_DEFAULT, "lammps_open_no_mpi") == nullptr) return false;  // LAMMPS may be loaded later
  const bool create = look_for(create_name(17)) != nullptr || look_for(create_name(18)) != nullptr;
  const bool run = look_for(remap_name<double>()) != nullptr || look_for(remap_name<float>()) != nullptr;
  return !create || !run || look_for(destroy_name) == nullptr;
}

int lammps_precision() { return look_for(remap_name<double>()) != nullptr ? 2 : 1; }

remap_plan_3d* original_create(MPI_Comm comm, const request& r) {
  if (r.nonblocking == no_such_argument) {
    static void* const older = find_original(create_name(17));
    return call_create(older, comm, r, r.collective);
  }
  static void* const newer = find_original(create_name(18));
  return call_create(newer, comm, r, r.collective, r.nonblocking);
}

template <class Scalar>
void original_remap(Scalar* in, Scalar* out, Scalar* scratch, remap_plan_3d* plan) {
  using remap = void (*)(Scalar*, Scalar*, Scalar*, remap_plan_3d*);
  static const auto original = reinterpret_cast<remap>(find_original(remap_name<Scalar>()));
  original(in, out, scratch, plan);
}
template void original_remap(double*, double*, double*, remap_plan_3d*);
template void original_remap(float*, float*, float*, remap_plan_3d*);

void original_destroy(remap_plan_3d* plan) {
  using destroy = void (*)(remap_plan_3d*);
  static const auto original = reinterpret_cast<destroy>(find_original(destroy_name));
  original(plan);
}

}  // namespace oshen::lammps
