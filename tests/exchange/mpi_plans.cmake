# Plans and transforms from a communicator, under each MPI library of the system.

# interop_mpi_plans(<name> <compiler> <launcher> [its arguments])
function(interop_mpi_plans name compiler launcher)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/mpi_plans.c)
  set(include ${PROJECT_SOURCE_DIR}/include)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/mpi_plans_${name})
  add_custom_command(OUTPUT ${program}
    COMMAND ${compiler} -std=c11 -Wall -Wextra -Wconversion -Werror -I${include} -I${FFTW_INCLUDE_DIR} ${source}
      -o ${program} $<TARGET_FILE:oshen_fft> $<TARGET_FILE:oshen_exchange> -L$<TARGET_FILE_DIR:oshen> -loshen
      -Wl,-rpath,$<TARGET_FILE_DIR:oshen> ${FFTW_DOUBLE_LIBRARY} ${FFTW_SINGLE_LIBRARY} -lstdc++ -lm
    COMMAND ${compiler} -x c++ -std=c++17 -Wall -Wextra -Wconversion -Werror -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX
      -I${include} -fsyntax-only ${include}/oshen/mpi_fft.h  # the headers are C++ as well
    DEPENDS ${source} ${include}/oshen/mpi.h ${include}/oshen/mpi_plans.h ${include}/oshen/mpi_fft.h
      oshen oshen_exchange oshen_fft)
  add_custom_target(build_mpi_plans_${name} ALL DEPENDS ${program})
  set(set ${mpi_env})
  foreach(n 3 4)
    interop_test(mpi_plans.${name}.world.${n} ${expect} --says "all right" --
      ${set} ${launcher} ${ARGN} -n ${n} ${program} world)
  endforeach()
  foreach(scenario sub halves shared)
    interop_test(mpi_plans.${name}.${scenario} ${expect} --says "all right" --
      ${set} ${launcher} ${ARGN} -n 4 ${program} ${scenario})
  endforeach()
  set(little SHMEM_SYMMETRIC_SIZE=4m)
  interop_test(mpi_plans.${name}.again ${expect} --says "all right" --
    ${set} ${little} ${launcher} ${ARGN} -n 3 ${program} again)
  foreach(bad "early|oshen_start_mpi: MPI is not initialised: call it after MPI_Init"
      "comm|oshen_fft_create_mpi: comm = MPI_COMM_NULL: expected an intra-communicator"
      "attr|PE [0-2]: oshen_fft_create_mpi: attr = NULL: expected the attributes"
      "halo|PE [0-2]: oshen_halo_create_mpi: halo = NULL: expected the description of an array"
      "others|oshen_start_mpi: comm is not the processes of one OpenSHMEM job.*call oshen_start_mpi.MPI_COMM_WORLD. before"
      "small|oshen_start_mpi: comm is not the processes of one OpenSHMEM job"
      "boxes|oshen: PE [0-2]: oshen_fft_create: "
      "peer|oshen: PE [0-2]: oshen_plan_create: sends.0..peer = 99: expected 0 to 2"
      "space|PE 0: oshen_fft_create_mpi: too little symmetric memory: expected [0-9]+ contiguous bytes. plans have half of the heap")
    string(REGEX REPLACE "[|].*" "" which ${bad})
    string(REGEX REPLACE "^[a-z]+[|]" "" words ${bad})
    interop_test(mpi_plans.${name}.bad.${which} ${expect} --status 1 --says ${words} --never "not true" --
      ${set} ${little} ${launcher} ${ARGN} -n 3 ${program} bad ${which})
  endforeach()
endfunction()

if(TARGET oshen_fft AND NOT OSHEN_FFTW_OPENED AND NOT OSHEN_SANITIZE)
  if(OSHEN_MPICC_OPENMPI AND OSHEN_MPIEXEC_OPENMPI)
    interop_mpi_plans(openmpi ${OSHEN_MPICC_OPENMPI} ${OSHEN_MPIEXEC_OPENMPI} --oversubscribe)
  endif()
  if(OSHEN_MPICC_MPICH AND OSHEN_MPIEXEC_MPICH)
    interop_mpi_plans(mpich ${OSHEN_MPICC_MPICH} ${OSHEN_MPIEXEC_MPICH})
  endif()
  if(EXISTS ${OSHEN_VENV}/bin/mpicc_abi AND NOT OSHEN_VENV MATCHES " ")
    interop_mpi_plans(abi ${OSHEN_VENV}/bin/mpicc_abi ${OSHEN_VENV}/bin/mpiexec)
    foreach(scenario world sub halves)
      if(EXISTS ${OSHEN_VENV_INTEL}/bin/mpiexec)  # the same program
        interop_test(mpi_plans.abi_intel.${scenario} ${expect} --says "all right" -- ${mpi_env}
          LD_LIBRARY_PATH=${OSHEN_VENV_INTEL}/lib ${OSHEN_VENV_INTEL}/bin/mpiexec -n 4
          ${CMAKE_CURRENT_BINARY_DIR}/mpi_plans_abi ${scenario})
      endif()
    endforeach()
  endif()
endif()
