# Options for parts that need other software: OSHEN_FFTW, OSHEN_OPENMPI, OSHEN_MPICH, OSHEN_MPI_ABI = AUTO (use it if found), ON (fail
# without it), OFF. OSHEN_OFI and OSHEN_UCX of src/CMakeLists.txt have the same values.
foreach(software FFTW OPENMPI MPICH MPI_ABI)
  set(OSHEN_${software} AUTO CACHE STRING "AUTO, ON or OFF")
  set_property(CACHE OSHEN_${software} PROPERTY STRINGS AUTO ON OFF)
endforeach()

# optional_software(<name> <variable with the path found> <parts that need it> <reason if it is missing, and what to do>)
# Reports whether the parts are built. Clears the variable if the option is OFF.
macro(optional_software name variable parts missing)
  if(OSHEN_${name} STREQUAL AUTO OR OSHEN_${name})
    if(${variable})
      message(STATUS "${name}: ${${variable}}: ${parts}")
    elseif(OSHEN_${name} STREQUAL AUTO)
      message(STATUS "${name}: ${missing}. Not built: ${parts}")
    else()
      message(FATAL_ERROR "OSHEN_${name}=${OSHEN_${name}}: ${missing}")
    endif()
  else()
    message(STATUS "${name}: OSHEN_${name}=${OSHEN_${name}}. Not built: ${parts}")
    set(${variable} "")
  endif()
endmacro()
