# What `cmake --install` puts where. The result may be moved as a whole: nothing knows its prefix.
# Components: runtime, development (what says nothing), exchange, fft, lammps, doc; names.
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
install(DIRECTORY include/ TYPE INCLUDE REGEX "oshen/(exchange|exchange_mpi|fft)\\.h" EXCLUDE)  # with their libraries
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY docs/user DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc FILES_MATCHING PATTERN "*.md"
  PATTERN "*.png")
install(FILES docs/porting-from-mpi.md docs/algorithms.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(TARGETS oshrun oshinfo RUNTIME COMPONENT runtime)  # the wrappers: tools/wrappers.cmake

# find_package(OpenSHMEM 1.6), then OpenSHMEM::OpenSHMEM
install(EXPORT OpenSHMEM NAMESPACE OpenSHMEM:: FILE OpenSHMEMTargets.cmake
  DESTINATION ${OSHEN_CMAKE_DIR})
# OPENSHMEM_VERSION: the standard's, from tools/wrappers.cmake
configure_package_config_file(cmake/OpenSHMEMConfig.cmake.in
  ${CMAKE_BINARY_DIR}/OpenSHMEMConfig.cmake INSTALL_DESTINATION ${OSHEN_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/OpenSHMEMConfigVersion.cmake
  VERSION ${OPENSHMEM_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/OpenSHMEMConfig.cmake
  ${CMAKE_BINARY_DIR}/OpenSHMEMConfigVersion.cmake DESTINATION ${OSHEN_CMAKE_DIR})

# find_package(Oshen COMPONENTS exchange fft), then Oshen::exchange, Oshen::fft
set(PACKAGES oshen openshmem)
foreach(part exchange fft)
  if(TARGET oshen_${part})
    install(EXPORT Oshen-${part} NAMESPACE Oshen:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Oshen COMPONENT ${part})
    list(APPEND PACKAGES oshen-${part})
  endif()
endforeach()
configure_package_config_file(cmake/OshenConfig.cmake.in ${CMAKE_BINARY_DIR}/OshenConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Oshen NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/OshenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/OshenConfig.cmake ${CMAKE_BINARY_DIR}/OshenConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Oshen)

# pkg-config; openshmem is the name that programs written for any library ask for
file(RELATIVE_PATH FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name ${PACKAGES})
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  set(component development)
  if(name MATCHES "^oshen-(.*)")
    set(component ${CMAKE_MATCH_1})
  endif()
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${OSHEN_PKGCONFIG_DIR} COMPONENT ${component})
endforeach()

# Names of other OpenSHMEM libraries, for programs that look for nothing else; not where one of those is installed. A component
# of its own, which may be added at any time. Links and no scripts of the linker: finders hand over files with their folders,
# and a linker does not look beside a script for what it names. pmi_simple is what Sandia's clients link to besides.
option(OSHEN_OTHER_NAMES "Install with the rest: liboshmem, libsma, oshmem.pc, sandia-openshmem.pc, which lead to Oshen" OFF)
set(unless_wanted EXCLUDE_FROM_ALL)
if(OSHEN_OTHER_NAMES)
  set(unless_wanted "")
endif()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/link)
foreach(name oshmem sma pmi_simple)
  file(CREATE_LINK liboshen.so ${CMAKE_BINARY_DIR}/link/lib${name}.so SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/link/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT names ${unless_wanted})
endforeach()
foreach(name oshmem sandia-openshmem)
  configure_file(cmake/openshmem.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${OSHEN_PKGCONFIG_DIR} COMPONENT names ${unless_wanted})
endforeach()
