# Finds the mpi.h of each MPI ABI, for the parts that are built once for each MPI. No part is linked to an MPI library.
# OSHEN_OPENMPI, OSHEN_MPICH: cmake/optional_software.cmake.
find_path(OSHEN_OPENMPI_INCLUDE mpi.h NO_DEFAULT_PATH
  DOC "Folder with Open MPI's mpi.h"
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include /usr/include/openmpi-${CMAKE_SYSTEM_PROCESSOR}
        /usr/lib/openmpi/include)
find_path(OSHEN_MPICH_INCLUDE mpi.h NO_DEFAULT_PATH
  DOC "Folder with the mpi.h of MPICH or of an MPI with its ABI"
  PATHS ${PROJECT_SOURCE_DIR}/.venv/include /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich
        /usr/include/mpich-${CMAKE_SYSTEM_PROCESSOR} /usr/include/mpich)
optional_software(OPENMPI OSHEN_OPENMPI_INCLUDE "exchange strategies, LAMMPS accelerator and oshprof for Open MPI"
                  "no mpi.h of Open MPI: install libopenmpi-dev, or set -DOSHEN_OPENMPI_INCLUDE=FOLDER")
optional_software(MPICH OSHEN_MPICH_INCLUDE "exchange strategies, LAMMPS accelerator and oshprof for MPICH and its ABI"
                  "no mpi.h of MPICH: install libmpich-dev, or set -DOSHEN_MPICH_INCLUDE=FOLDER")
