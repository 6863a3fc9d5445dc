// Declarations shared by the files that replace functions of LAMMPS.
#pragma once

#define OSHEN_VISIBLE __attribute__((visibility("default")))

namespace oshen::lammps {

// For a program that ends without destroying its plans. They do nothing if there are none.
void destroy_transforms();
void destroy_remaps();

}  // namespace oshen::lammps
