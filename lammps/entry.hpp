// What the files that define LAMMPS' functions share.
#pragma once

#define OSHEN_VISIBLE __attribute__((visibility("default")))

namespace oshen::lammps {

// For a program that ends without destroying its plans; nothing when there are none.
void drop_transforms();
void drop_remaps();

// What is to be done when this process ends, once the job has started.
void prepare_for_the_end();

}  // namespace oshen::lammps
