# oshcc, oshc++ and oshfort: one script, configured for the build tree and for the installation, which differ only in the names
# of folders. The build tree gets a link include/, so that it looks like an installation.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/shmem.h MACROS
     REGEX "^#define SHMEM_(MAJOR|MINOR)_VERSION ")
string(REGEX REPLACE "[^0-9;]" "" MACROS "${MACROS}")
list(JOIN MACROS . OPENSHMEM_VERSION)
set(OPENSHMEM_VERSION ${OPENSHMEM_VERSION} PARENT_SCOPE)

set(FORTRAN_SOURCES ${PROJECT_BINARY_DIR}/share/oshen/fortran)

# write_wrapper(<name> <default compiler> <environment variable that names another compiler> [FORTRAN])
function(write_wrapper WRAPPER COMPILER COMPILER_VARIABLE)
  set(FROM_BIN ..)
  set(FORTRAN_DIRECTORY "")
  set(HELP_FORTRAN "")
  if(ARGN)
    set(FORTRAN_DIRECTORY share/oshen/fortran)
    set(HELP_FORTRAN "  --declare-functions  shmem.fh declares its functions, as in other libraries (fortran.md)\n")
  endif()
  set(INCLUDE_DIRECTORY include)
  set(LIBRARY_DIRECTORY lib)
  configure_file(${PROJECT_SOURCE_DIR}/tools/oshcc.in ${PROJECT_BINARY_DIR}/bin/${WRAPPER} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
                                  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

  file(RELATIVE_PATH FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX})
  set(INCLUDE_DIRECTORY ${OSHEN_INCLUDEDIR})
  set(LIBRARY_DIRECTORY ${OSHEN_LIBDIR})
  if(ARGN)
    file(RELATIVE_PATH FORTRAN_DIRECTORY ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_DATADIR}/oshen/fortran)
  endif()
  set(INSTALLED ${CMAKE_CURRENT_BINARY_DIR}/installed/${WRAPPER})
  configure_file(${PROJECT_SOURCE_DIR}/tools/oshcc.in ${INSTALLED} @ONLY)
  install(PROGRAMS ${INSTALLED} TYPE BIN)
endfunction()

write_wrapper(oshcc cc OSHEN_CC)
write_wrapper(oshc++ c++ OSHEN_CXX)
write_wrapper(oshcxx c++ OSHEN_CXX)
write_wrapper(oshfort gfortran OSHEN_FC FORTRAN)

# The names of other libraries, as links.
foreach(names oshcc=shmemcc oshc++=oshCC oshc++=shmemc++ oshc++=shmemcxx oshc++=shmemCC oshfort=shmemfort oshrun=shmemrun)
  string(REPLACE "=" ";" names ${names})
  list(GET names 0 ours)
  list(GET names 1 other)
  file(CREATE_LINK ${ours} ${PROJECT_BINARY_DIR}/bin/${other} SYMBOLIC)
  if(other STREQUAL shmemrun)
    install(FILES ${PROJECT_BINARY_DIR}/bin/${other} TYPE BIN COMPONENT runtime)
  else()
    install(FILES ${PROJECT_BINARY_DIR}/bin/${other} TYPE BIN)
  endif()
endforeach()

# Sources of the Fortran modules. oshfort compiles them on first use, so building Oshen needs no Fortran compiler.
set(fortran_files shmem.f90 shmemx.f90 oshen_old.f90 shmem_old.f90 shmem_real16.f90 shmem.fh shmem_functions.fh shmem_declared.fh)
list(TRANSFORM fortran_files PREPEND ${FORTRAN_SOURCES}/)
file(GLOB fortran_inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/spec/* ${PROJECT_SOURCE_DIR}/scripts/generate*.py)
add_custom_command(
  OUTPUT ${fortran_files}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate.py --fortran ${FORTRAN_SOURCES}
  COMMAND ${CMAKE_COMMAND} -E touch ${fortran_files}
  DEPENDS ${fortran_inputs} ${PROJECT_SOURCE_DIR}/scripts/api_spec.py
  COMMENT "Fortran modules from spec/")
add_custom_target(oshen_fortran ALL DEPENDS ${fortran_files})
# The modules of exchange and FFT are written by hand.
foreach(part exchange fft)
  configure_file(${PROJECT_SOURCE_DIR}/${part}/interface/oshen_${part}.f90 ${FORTRAN_SOURCES}/oshen_${part}.f90 COPYONLY)
  list(APPEND fortran_files ${FORTRAN_SOURCES}/oshen_${part}.f90)
endforeach()
# gfortran passes -fsanitize=thread to its compiler proper only if specs say so. On x86 block copies would not be calls.
set(RACES_COPIES "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  foreach(copy memcpy memset)
    string(APPEND RACES_COPIES " -m${copy}-strategy=unrolled_loop:3:noalign,libcall:-1:noalign")
  endforeach()
endif()
configure_file(fortran/races.specs.in ${FORTRAN_SOURCES}/races.specs @ONLY)
list(APPEND fortran_files ${FORTRAN_SOURCES}/races.specs)
configure_file(fortran/make_modules ${FORTRAN_SOURCES}/make_modules COPYONLY)
install(FILES ${fortran_files} DESTINATION ${CMAKE_INSTALL_DATADIR}/oshen/fortran COMPONENT development)
install(PROGRAMS fortran/make_modules DESTINATION ${CMAKE_INSTALL_DATADIR}/oshen/fortran COMPONENT development)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include SYMBOLIC)
