# Oshen's interface of FFTW-MPI: a program for FFTW-MPI, relinked or with LD_PRELOAD, compared with the real library, which
# Debian builds with Open MPI.
find_path(FFTW_MPI_INCLUDE_DIR fftw3-mpi.h)
find_library(FFTW_MPI_LIBRARY fftw3_mpi)
find_library(FFTW_MPI_SINGLE_LIBRARY fftw3f_mpi)
mark_as_advanced(FFTW_MPI_INCLUDE_DIR FFTW_MPI_LIBRARY FFTW_MPI_SINGLE_LIBRARY)
if(NOT TARGET oshen_fftw_mpi_openmpi OR NOT FFTW_MPI_INCLUDE_DIR OR NOT FFTW_MPI_LIBRARY OR NOT FFTW_MPI_SINGLE_LIBRARY
    OR NOT OSHEN_MPICC_OPENMPI OR NOT OSHEN_MPIEXEC_OPENMPI)
  message(STATUS "interop: no FFTW-MPI with Open MPI: its interface is not tested (libfftw3-mpi-dev)")
  return()
endif()

# interop_fftw_client(<name> <compiler> [library of the interface ...]): the program fftw_mpi_client_<name>
function(interop_fftw_client name compiler)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/fftw_mpi_client_${name})
  add_custom_command(OUTPUT ${program}
    COMMAND ${compiler} -std=c11 -Wall -Wextra -Werror -I${FFTW_MPI_INCLUDE_DIR} -I${FFTW_INCLUDE_DIR}
      ${CMAKE_CURRENT_SOURCE_DIR}/fftw_mpi_client.c -o ${program} ${ARGN}
      ${FFTW_DOUBLE_LIBRARY} ${FFTW_SINGLE_LIBRARY} -lm -Wl,-rpath,$<TARGET_FILE_DIR:oshen>
    DEPENDS fftw_mpi_client.c oshen)
  add_custom_target(build_fftw_mpi_client_${name} ALL DEPENDS ${program})
endfunction()
set(libraries ${FFTW_MPI_LIBRARY} ${FFTW_MPI_SINGLE_LIBRARY})
interop_fftw_client(real ${OSHEN_MPICC_OPENMPI} ${libraries})
interop_fftw_client(openmpi ${OSHEN_MPICC_OPENMPI} $<TARGET_FILE:oshen_fftw_mpi_openmpi> ${libraries})

set(open_mpi ${OSHEN_MPIEXEC_OPENMPI} --oversubscribe)
set(real ${CMAKE_CURRENT_BINARY_DIR}/fftw_mpi_client_real)
set(test ${mpi_env}
  ${python_test} ${CMAKE_CURRENT_SOURCE_DIR}/fftw_mpi_test.py ${real})
set(folder ${CMAKE_CURRENT_BINARY_DIR}/fftw_mpi)
foreach(case batch part-first)
  interop_test(fftw_mpi.preload.${case} ${test} ${real} ${case} ${folder}_preload_${case}
    --preload $<TARGET_FILE:oshen_fftw_mpi_openmpi> -- ${open_mpi})
endforeach()
interop_test(fftw_mpi.openmpi.all ${test} ${CMAKE_CURRENT_BINARY_DIR}/fftw_mpi_client_openmpi all ${folder}_openmpi
  -- ${open_mpi})
if(TARGET oshen_fftw_mpi_mpich AND OSHEN_MPICC_MPICH AND OSHEN_MPIEXEC_MPICH)
  interop_fftw_client(mpich ${OSHEN_MPICC_MPICH} $<TARGET_FILE:oshen_fftw_mpi_mpich>)
  interop_test(fftw_mpi.mpich.no-fftw ${test} ${CMAKE_CURRENT_BINARY_DIR}/fftw_mpi_client_mpich no-fftw ${folder}_mpich
    --real-launcher=${OSHEN_MPIEXEC_OPENMPI} --real-launcher=--oversubscribe -- ${OSHEN_MPIEXEC_MPICH})
endif()
if(TARGET oshen_fftw_mpi_abi AND EXISTS ${OSHEN_VENV}/bin/mpicc_abi AND NOT OSHEN_VENV MATCHES " ")
  interop_fftw_client(abi ${OSHEN_VENV}/bin/mpicc_abi $<TARGET_FILE:oshen_fftw_mpi_abi>)
  interop_test(fftw_mpi.abi.no-fftw ${test} ${CMAKE_CURRENT_BINARY_DIR}/fftw_mpi_client_abi no-fftw ${folder}_abi
    --real-launcher=${OSHEN_MPIEXEC_OPENMPI} --real-launcher=--oversubscribe -- ${OSHEN_VENV}/bin/mpiexec)
  if(EXISTS ${OSHEN_VENV_INTEL}/bin/mpiexec)  # the same program
    interop_test(fftw_mpi.abi_intel.no-fftw ${test} ${CMAKE_CURRENT_BINARY_DIR}/fftw_mpi_client_abi no-fftw
      ${folder}_abi_intel --real-launcher=${OSHEN_MPIEXEC_OPENMPI} --real-launcher=--oversubscribe
      -- ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${OSHEN_VENV_INTEL}/lib ${OSHEN_VENV_INTEL}/bin/mpiexec)
  endif()
endif()

# Programs that others wrote. MPB is Debian's; ninja fft-programs fetches the sources of others.
find_program(OSHEN_MPB mpb-mpi)
mark_as_advanced(OSHEN_MPB)
if(OSHEN_MPB)
  foreach(dimensions two three)
    interop_test(fftw_mpi.mpb.${dimensions} ${mpi_env}
      ${python_test} ${CMAKE_CURRENT_SOURCE_DIR}/mpb_test.py ${OSHEN_MPB} $<TARGET_FILE:oshen_fftw_mpi_openmpi>
      ${dimensions} ${CMAKE_CURRENT_BINARY_DIR}/mpb_${dimensions} -- ${open_mpi})
  endforeach()
else()
  message(STATUS "interop: no mpb-mpi: MPB is not tested (scripts/setup.sh test)")
endif()
add_custom_target(fft-programs
  COMMAND ${mpi_env}
    ${python_test} ${CMAKE_CURRENT_SOURCE_DIR}/foreign_programs.py --library $<TARGET_FILE:oshen_fftw_mpi_openmpi>
    --include ${PROJECT_SOURCE_DIR}/include --link $<TARGET_FILE:oshen_fft> --link $<TARGET_FILE:oshen_exchange>
    --link $<TARGET_FILE:oshen> --work ${CMAKE_CURRENT_BINARY_DIR}/fft-programs -- ${open_mpi}
  DEPENDS oshen_fftw_mpi_openmpi oshen_fft USES_TERMINAL VERBATIM)

# Fortran: FFTW's own interface calls the C functions by name.
find_program(OSHEN_mpif90_openmpi mpif90.openmpi)
if(OSHEN_mpif90_openmpi AND EXISTS ${FFTW_MPI_INCLUDE_DIR}/fftw3-mpi.f03)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/fftw_mpi_client_fortran)
  add_custom_command(OUTPUT ${program}
    COMMAND ${OSHEN_mpif90_openmpi} -O1 -I${FFTW_MPI_INCLUDE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/fftw_mpi_client.f90 -o ${program}
      ${libraries} ${FFTW_DOUBLE_LIBRARY} -lm
    DEPENDS fftw_mpi_client.f90)
  add_custom_target(build_fftw_mpi_client_fortran ALL DEPENDS ${program})
  interop_test(fftw_mpi.fortran ${expect} --says "[(]oshen .*sum: 192" --
    ${mpi_env}
    ${open_mpi} -n 2 env LD_PRELOAD=$<TARGET_FILE:oshen_fftw_mpi_openmpi> ${program})
endif()
