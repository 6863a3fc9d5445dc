# Rules of `cmake --install`. An installation can be moved as a whole: no file contains its prefix.
# Components: runtime, development (the default), exchange, fft, lammps, doc, names.
include(CMakePackageConfigHelpers)
set(OSHEN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/OpenSHMEM)
set(OSHEN_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set_target_properties(oshen PROPERTIES EXPORT_NAME OpenSHMEM)
set_target_properties(oshen_static PROPERTIES EXPORT_NAME OpenSHMEM_static)
if(OSHEN_WHEEL)
  oshen_one_file(oshen oshen)
endif()
install(TARGETS oshen oshen_static EXPORT OpenSHMEM LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  NAMELINK_COMPONENT development ${OSHEN_NAMELINK} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/ TYPE INCLUDE REGEX "oshen/(exchange|exchange_mpi|mpi_plans|fft|mpi_fft|fftmpi|heffte)\\.h|oshen/heffte_|oshen/fftmpi_|oshen/drop_in" EXCLUDE)  # installed with their own libraries
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY docs/user docs/tutorial docs/algorithms DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc FILES_MATCHING PATTERN "*.md"
  PATTERN "*.png" PATTERN "*.svg")
file(GLOB examples CONFIGURE_DEPENDS python/examples/*.py python/examples/*.ipynb)
install(FILES apps/hello.c ${examples} DESTINATION ${CMAKE_INSTALL_DATADIR}/oshen/examples COMPONENT development)
install(FILES docs/from-mpi.md docs/porting-from-mpi.md docs/algorithms.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(TARGETS oshrun oshinfo RUNTIME COMPONENT runtime)  # for oshcc and its like: tools/wrappers.cmake

# find_package(OpenSHMEM 1.6), then OpenSHMEM::OpenSHMEM
install(EXPORT OpenSHMEM NAMESPACE OpenSHMEM:: FILE OpenSHMEMTargets.cmake
  DESTINATION ${OSHEN_CMAKE_DIR})
# OPENSHMEM_VERSION is the version of the standard; tools/wrappers.cmake sets it.
configure_package_config_file(cmake/OpenSHMEMConfig.cmake.in
  ${PROJECT_BINARY_DIR}/OpenSHMEMConfig.cmake INSTALL_DESTINATION ${OSHEN_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/OpenSHMEMConfigVersion.cmake
  VERSION ${OPENSHMEM_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/OpenSHMEMConfig.cmake
  ${PROJECT_BINARY_DIR}/OpenSHMEMConfigVersion.cmake DESTINATION ${OSHEN_CMAKE_DIR})

# find_package(Oshen COMPONENTS exchange fft), then Oshen::exchange, Oshen::fft
set(PACKAGES oshen openshmem)
foreach(part exchange fft)
  if(TARGET oshen_${part})
    install(EXPORT Oshen-${part} NAMESPACE Oshen:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Oshen COMPONENT ${part})
    list(APPEND PACKAGES oshen-${part})
  endif()
endforeach()
configure_package_config_file(cmake/OshenConfig.cmake.in ${PROJECT_BINARY_DIR}/OshenConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Oshen NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/OshenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/OshenConfig.cmake ${PROJECT_BINARY_DIR}/OshenConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Oshen)

# pkg-config. Programs that accept any OpenSHMEM library ask for the name openshmem.
file(RELATIVE_PATH FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name ${PACKAGES})
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  set(component development)
  if(name MATCHES "^oshen-(.*)")
    set(component ${CMAKE_MATCH_1})
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${OSHEN_PKGCONFIG_DIR} COMPONENT ${component})
endforeach()

# Component names: the names of other OpenSHMEM libraries, for programs that look for one library only. They would collide with
# an installation of that library, so the component is not installed by default. The libraries are symbolic links: a linker
# script would not work, because a linker given the path of a script does not search that folder for the file that the script
# names. Clients of Sandia OpenSHMEM also link to pmi_simple.
option(OSHEN_OTHER_NAMES "Install the component names as well: liboshmem, libsma, oshmem.pc, sandia-openshmem.pc" OFF)
set(unless_wanted EXCLUDE_FROM_ALL)
if(OSHEN_OTHER_NAMES)
  set(unless_wanted "")
endif()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/link)
foreach(name oshmem sma pmi_simple)
  file(CREATE_LINK liboshen.so ${PROJECT_BINARY_DIR}/link/lib${name}.so SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/link/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT names ${unless_wanted})
endforeach()
foreach(name oshmem sandia-openshmem)
  configure_file(cmake/openshmem.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${OSHEN_PKGCONFIG_DIR} COMPONENT names ${unless_wanted})
endforeach()

# `cmake --install --strip` strips programs and shared libraries only.
if(CMAKE_STRIP)
  install(CODE "
    file(GLOB archives \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${OSHEN_LIBDIR}/liboshen*.a\")
    if(CMAKE_INSTALL_DO_STRIP AND archives)
      execute_process(COMMAND ${CMAKE_STRIP} --strip-debug \${archives} COMMAND_ERROR_IS_FATAL ANY)
    endif()" COMPONENT development)
endif()
