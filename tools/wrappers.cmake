# oshcc and oshc++: the same script for the build tree and for the installation, which differ only in
# the names of their folders. The build tree gets an include/ of its own, so that it looks like an
# installation.
file(STRINGS ${CMAKE_SOURCE_DIR}/include/shmem.h MACROS
     REGEX "^#define SHMEM_(MAJOR|MINOR)_VERSION ")
string(REGEX REPLACE "[^0-9;]" "" MACROS "${MACROS}")
list(JOIN MACROS . OPENSHMEM_VERSION)
set(OPENSHMEM_VERSION ${OPENSHMEM_VERSION} PARENT_SCOPE)

function(write_wrapper WRAPPER COMPILER COMPILER_VARIABLE)
  set(FROM_BIN ..)
  set(INCLUDE_DIRECTORY include)
  set(LIBRARY_DIRECTORY lib)
  configure_file(${CMAKE_SOURCE_DIR}/tools/oshcc.in ${CMAKE_BINARY_DIR}/bin/${WRAPPER} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
                                  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

  file(RELATIVE_PATH FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX})
  set(INCLUDE_DIRECTORY ${CMAKE_INSTALL_INCLUDEDIR})
  set(LIBRARY_DIRECTORY ${CMAKE_INSTALL_LIBDIR})
  set(INSTALLED ${CMAKE_CURRENT_BINARY_DIR}/installed/${WRAPPER})
  configure_file(${CMAKE_SOURCE_DIR}/tools/oshcc.in ${INSTALLED} @ONLY)
  install(PROGRAMS ${INSTALLED} TYPE BIN)
endfunction()

write_wrapper(oshcc cc OSHEN_CC)
write_wrapper(oshc++ c++ OSHEN_CXX)
write_wrapper(oshcxx c++ OSHEN_CXX)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include SYMBOLIC)
