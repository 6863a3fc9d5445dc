# The search of kokkos-remote-spaces: the names of Open MPI and Cray, below SHMEM_ROOT. Its module names no lib folder that CMake
# understands. The library is found because CMake itself looks below <package>_ROOT, from the policies of 3.12 on.
find_library(SHMEM_LIBRARY NAMES oshmem sma PATHS ${SHMEM_ROOT})
find_path(SHMEM_HEADER shmem.h PATHS ${SHMEM_ROOT}/include)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SHMEM DEFAULT_MSG SHMEM_LIBRARY SHMEM_HEADER)
add_library(SHMEM INTERFACE)
add_library(SHMEM::SHMEM ALIAS SHMEM)
set_target_properties(SHMEM PROPERTIES INTERFACE_LINK_LIBRARIES ${SHMEM_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${SHMEM_HEADER})
