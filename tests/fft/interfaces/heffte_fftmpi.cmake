# The interfaces of heFFTe and fftMPI: programs written for them, compiled with Oshen's headers, under each MPI library of
# the system.

# interop_fft_client(<program> <source> <compiler> [flag ...])
function(interop_fft_client program source compiler)
  set(include ${PROJECT_SOURCE_DIR}/include)
  file(GLOB headers ${include}/oshen/*.h ${include}/oshen/heffte*.hpp ${include}/oshen/fftmpi.hpp ${include}/oshen/drop_in/*.h)
  add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${program}
    COMMAND ${compiler} ${ARGN} -Wall -Wextra -Wconversion -Werror -I${include}/oshen/drop_in -I${include}
      -I${FFTW_INCLUDE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${CMAKE_CURRENT_BINARY_DIR}/${program}
      $<TARGET_FILE:oshen_fft> $<TARGET_FILE:oshen_exchange> -L$<TARGET_FILE_DIR:oshen> -loshen
      -Wl,-rpath,$<TARGET_FILE_DIR:oshen> ${FFTW_DOUBLE_LIBRARY} ${FFTW_SINGLE_LIBRARY} -lstdc++ -lm
    DEPENDS ${source} ${headers} oshen oshen_exchange oshen_fft)
  add_custom_target(build_${program} ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${program})
endfunction()

# interop_fft_interfaces(<name> <C compiler> <launcher> [its arguments])
function(interop_fft_interfaces name compiler launcher)
  set(run ${mpi_env} ${launcher} ${ARGN} -n)
  set(heffte ${CMAKE_CURRENT_BINARY_DIR}/heffte_client_${name})
  set(fftmpi ${CMAKE_CURRENT_BINARY_DIR}/fftmpi_client_${name})
  # The C compiler of MPI compiles C++ by the name of the file; MPI's C++ compiler would be another package.
  interop_fft_client(heffte_client_${name} heffte_client.cpp ${compiler} -std=c++17 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
  interop_fft_client(fftmpi_client_${name} fftmpi_client.c ${compiler} -std=c11)
  interop_fft_client(fftmpi_client_${name}_single fftmpi_client.c ${compiler} -std=c11 -DFFT_SINGLE)
  set(cxx -std=c++17 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
  interop_fft_client(fftmpi_classes_${name} fftmpi_client.cpp ${compiler} ${cxx})
  interop_fft_client(fftmpi_classes_${name}_single fftmpi_client.cpp ${compiler} ${cxx} -DFFT_SINGLE)
  interop_test(heffte.${name}.all ${expect} --says "all right" -- ${run} 3 ${heffte})
  interop_test(heffte.${name}.bad ${expect} --says "input boxes do not cover.*spectrum of the input.*axis is out.*fewer elements"
    -- ${run} 3 ${heffte} bad)
  interop_test(fftmpi.${name}.all ${expect} --says "all right" -- ${run} 3 ${fftmpi})
  interop_test(fftmpi.${name}.single ${expect} --says "all right" -- ${run} 2 ${fftmpi}_single)
  set(classes ${CMAKE_CURRENT_BINARY_DIR}/fftmpi_classes_${name})
  interop_test(fftmpi.${name}.classes ${expect} --says "all right" -- ${run} 3 ${classes})
  interop_test(fftmpi.${name}.classes_single ${expect} --says "all right" -- ${run} 2 ${classes}_single)
  if(name STREQUAL openmpi)  # the lines are the same, and ending a job takes it longer
    return()
  endif()
  foreach(bad "early|fft3d_compute: the transform has no geometry: call fft3d_setup first"
      "twice|fft3d_setup: the transform has a geometry: call it once for each create"
      "parts|fft3d_only_1d_ffts: not available: Oshen moves and transforms the data at once"
      "stage|fft3d_only_one_remap: not available: the layouts between stages differ"
      "precision|fft3d_create: precision does not fit FFT_SCALAR: expected 2, or 1 with FFT_SINGLE defined")
    string(REGEX REPLACE "[|].*" "" which ${bad})
    string(REGEX REPLACE "^[a-z]+[|]" "" words ${bad})
    interop_test(fftmpi.${name}.bad.${which} ${expect} --status 1 --says ${words} --never "not true" --
      ${run} 1 ${fftmpi} ${which})
  endforeach()
  foreach(bad "early|fft2d_compute: the transform has no geometry: call fft2d_setup first"
      "twice|fft2d_setup: the transform has a geometry: call it once for each create"
      "permute|fft2d_setup: permute is out of range: expected 0 or 1")
    string(REGEX REPLACE "[|].*" "" which ${bad})
    string(REGEX REPLACE "^[a-z]+[|]" "" words ${bad})
    interop_test(fftmpi.${name}.bad2d.${which} ${expect} --status 1 --says ${words} --never "not true" --
      ${run} 1 ${classes} ${which})
  endforeach()
endfunction()

# The modules of fftMPI for Fortran, with the compilers of Open MPI.
find_program(OSHEN_mpif90_openmpi mpif90.openmpi)
mark_as_advanced(OSHEN_mpif90_openmpi)
if(TARGET oshen_fft AND NOT OSHEN_FFTW_OPENED AND NOT OSHEN_SANITIZE AND OSHEN_mpif90_openmpi AND OSHEN_MPICC_OPENMPI AND OSHEN_MPIEXEC_OPENMPI)
  set(include ${PROJECT_SOURCE_DIR}/include)
  set(drop_in ${include}/oshen/drop_in)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/fftmpi_fortran)
  set(modules "")
  foreach(module fft3d_wrap fft2d_wrap remap3d_wrap remap2d_wrap)
    list(APPEND modules ${drop_in}/${module}.f90)
  endforeach()
  add_custom_command(OUTPUT ${program}
    COMMAND ${OSHEN_MPICC_OPENMPI} -std=c11 -Wall -Wextra -Wconversion -Werror -I${include} -c ${drop_in}/fftmpi_fortran.c -o ${program}.o
    COMMAND ${OSHEN_mpif90_openmpi} -O1 -J${CMAKE_CURRENT_BINARY_DIR} ${modules} ${CMAKE_CURRENT_SOURCE_DIR}/fftmpi_client.f90
      ${program}.o -o ${program} $<TARGET_FILE:oshen_fft> $<TARGET_FILE:oshen_exchange> -L$<TARGET_FILE_DIR:oshen> -loshen
      -Wl,-rpath,$<TARGET_FILE_DIR:oshen> ${FFTW_DOUBLE_LIBRARY} ${FFTW_SINGLE_LIBRARY} -lstdc++ -lm
    DEPENDS fftmpi_client.f90 ${modules} ${drop_in}/fftmpi_fortran.c ${include}/oshen/fftmpi.h ${include}/oshen/fftmpi_2d.h oshen
      oshen_exchange oshen_fft
    VERBATIM)
  add_custom_target(build_fftmpi_fortran ALL DEPENDS ${program})
  interop_test(fftmpi.openmpi.fortran ${expect} --says "all right" -- ${mpi_env} ${OSHEN_MPIEXEC_OPENMPI} --oversubscribe -n 2 ${program})
endif()

if(TARGET oshen_fft AND NOT OSHEN_FFTW_OPENED AND NOT OSHEN_SANITIZE)
  if(OSHEN_MPICC_OPENMPI AND OSHEN_MPIEXEC_OPENMPI)
    interop_fft_interfaces(openmpi ${OSHEN_MPICC_OPENMPI} ${OSHEN_MPIEXEC_OPENMPI} --oversubscribe)
  endif()
  if(OSHEN_MPICC_MPICH AND OSHEN_MPIEXEC_MPICH)
    interop_fft_interfaces(mpich ${OSHEN_MPICC_MPICH} ${OSHEN_MPIEXEC_MPICH})
  endif()
endif()
