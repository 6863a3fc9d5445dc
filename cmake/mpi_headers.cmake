# Folders of the mpi.h of each ABI, for what is built once for each MPI; not linked to any.
# WITH_OPENMPI, WITH_MPICH: cmake/parts.cmake.
find_path(OSHEN_OPENMPI_INCLUDE mpi.h NO_DEFAULT_PATH
  DOC "Folder with Open MPI's mpi.h"
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include /usr/include/openmpi-${CMAKE_SYSTEM_PROCESSOR}
        /usr/lib/openmpi/include)
find_path(OSHEN_MPICH_INCLUDE mpi.h NO_DEFAULT_PATH
  DOC "Folder with the mpi.h of MPICH or of an MPI with its ABI"
  PATHS ${PROJECT_SOURCE_DIR}/.venv/include /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich
        /usr/include/mpich-${CMAKE_SYSTEM_PROCESSOR} /usr/include/mpich)
part_found(OPENMPI OSHEN_OPENMPI_INCLUDE "strategies, LAMMPS accelerator and profiler for Open MPI"
           "no mpi.h of Open MPI: install libopenmpi-dev, or say -DOSHEN_OPENMPI_INCLUDE=FOLDER")
part_found(MPICH OSHEN_MPICH_INCLUDE "strategies, LAMMPS accelerator and profiler for MPICH and its ABI"
           "no mpi.h of MPICH: install libmpich-dev, or say -DOSHEN_MPICH_INCLUDE=FOLDER")
