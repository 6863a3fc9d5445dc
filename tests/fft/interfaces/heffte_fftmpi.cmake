# The interfaces of heFFTe and fftMPI: programs written for them, compiled with Oshen's headers, under each MPI library of
# the system.

# interop_fft_client(<program> <source> <compiler> [flag ...])
function(interop_fft_client program source compiler)
  set(include ${PROJECT_SOURCE_DIR}/include)
  file(GLOB headers ${include}/oshen/*.h ${include}/oshen/heffte*.hpp ${include}/oshen/drop_in/*.h)
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
  interop_test(heffte.${name}.all ${expect} --says "all right" -- ${run} 3 ${heffte})
  interop_test(heffte.${name}.bad ${expect} --says "input boxes do not cover.*spectrum of the input.*axis is out.*fewer elements"
    -- ${run} 3 ${heffte} bad)
  interop_test(fftmpi.${name}.all ${expect} --says "all right" -- ${run} 3 ${fftmpi})
  interop_test(fftmpi.${name}.single ${expect} --says "all right" -- ${run} 2 ${fftmpi}_single)
  if(name STREQUAL openmpi)  # the lines are the same, and ending a job takes it longer
    return()
  endif()
  foreach(bad "early|fft3d_compute: the transform has no geometry: call fft3d_setup first"
      "twice|fft3d_setup: the transform has a geometry: call it once for each fft3d_create"
      "parts|fft3d_only_1d_ffts: not available: Oshen moves and transforms the data at once"
      "stage|fft3d_only_one_remap: not available: the layouts between stages differ"
      "precision|fft3d_create: precision does not fit FFT_SCALAR: expected 2, or 1 with FFT_SINGLE defined")
    string(REGEX REPLACE "[|].*" "" which ${bad})
    string(REGEX REPLACE "^[a-z]+[|]" "" words ${bad})
    interop_test(fftmpi.${name}.bad.${which} ${expect} --status 1 --says ${words} --never "not true" --
      ${run} 1 ${fftmpi} ${which})
  endforeach()
endfunction()

if(TARGET oshen_fft AND NOT OSHEN_FFTW_OPENED AND NOT OSHEN_SANITIZE)
  if(OSHEN_MPICC_OPENMPI AND OSHEN_MPIEXEC_OPENMPI)
    interop_fft_interfaces(openmpi ${OSHEN_MPICC_OPENMPI} ${OSHEN_MPIEXEC_OPENMPI} --oversubscribe)
  endif()
  if(OSHEN_MPICC_MPICH AND OSHEN_MPIEXEC_MPICH)
    interop_fft_interfaces(mpich ${OSHEN_MPICC_MPICH} ${OSHEN_MPIEXEC_MPICH})
  endif()
endif()
