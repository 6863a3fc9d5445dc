# What `cmake --install` puts where. The result may be moved as a whole: nothing knows its prefix.
include(CMakePackageConfigHelpers)
set(OSHEN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/OpenSHMEM)
set(OSHEN_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set_target_properties(oshen PROPERTIES EXPORT_NAME OpenSHMEM)
set_target_properties(oshen_static PROPERTIES EXPORT_NAME OpenSHMEM_static)
install(TARGETS oshen oshen_static EXPORT OpenSHMEM)
install(DIRECTORY include/ TYPE INCLUDE)
install(TARGETS oshrun oshinfo)  # the wrappers: tools/wrappers.cmake

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
    install(EXPORT Oshen-${part} NAMESPACE Oshen:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Oshen)
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
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${OSHEN_PKGCONFIG_DIR})
endforeach()
