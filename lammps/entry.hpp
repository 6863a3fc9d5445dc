// What the files that define LAMMPS' functions share.
#pragma once

#define OSHEN_VISIBLE __attribute__((visibility("default")))

namespace oshen::lammps {

// For a program that ends without destroying its plans.
void drop_transforms();

}  // namespace oshen::lammps
