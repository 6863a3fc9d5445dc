# Finds the mpi.h of each MPI ABI, for the parts that are built once for each MPI. No part is linked to an MPI library.
# OSHEN_OPENMPI, OSHEN_MPICH, OSHEN_MPI_ABI: cmake/optional_software.cmake.
find_path(OSHEN_OPENMPI_INCLUDE mpi.h NO_DEFAULT_PATH
  DOC "Folder with Open MPI's mpi.h"
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include /usr/include/openmpi-${CMAKE_SYSTEM_PROCESSOR}
        /usr/lib/openmpi/include)
find_path(OSHEN_MPICH_INCLUDE mpi.h NO_DEFAULT_PATH
  DOC "Folder with the mpi.h of MPICH or of an MPI with its ABI"
  PATHS ${PROJECT_SOURCE_DIR}/.venv/include /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich
        /usr/include/mpich-${CMAKE_SYSTEM_PROCESSOR} /usr/include/mpich)
find_path(OSHEN_MPI_ABI_INCLUDE mpi_abi.h NO_DEFAULT_PATH
  DOC "Folder with the mpi_abi.h of MPI 5, and an mpi.h that includes it"
  PATHS ${PROJECT_SOURCE_DIR}/.venv/include /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpi /usr/include)
optional_software(OPENMPI OSHEN_OPENMPI_INCLUDE "exchange strategies, LAMMPS accelerator and oshprof for Open MPI"
                  "no mpi.h of Open MPI: install libopenmpi-dev, or set -DOSHEN_OPENMPI_INCLUDE=FOLDER")
optional_software(MPICH OSHEN_MPICH_INCLUDE "exchange strategies, LAMMPS accelerator and oshprof for MPICH and its ABI"
                  "no mpi.h of MPICH: install libmpich-dev, or set -DOSHEN_MPICH_INCLUDE=FOLDER")
optional_software(MPI_ABI OSHEN_MPI_ABI_INCLUDE "exchange strategies, FFTW-MPI, LAMMPS accelerator and oshprof for the ABI of MPI 5"
                  "no mpi_abi.h: install MPICH 5 (pip install mpich), or set -DOSHEN_MPI_ABI_INCLUDE=FOLDER")

# The mpi.h of an ABI (openmpi, mpich, or abi for that of MPI 5), without its old C++ bindings.
function(use_mpi_header target abi include)
  target_include_directories(${target} SYSTEM PRIVATE ${include})
  target_compile_definitions(${target} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX $<$<STREQUAL:${abi},abi>:MPI_ABI>)
endfunction()
