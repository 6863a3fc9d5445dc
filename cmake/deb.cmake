# Debian packages. `ninja deb` configures a second build tree with the prefix /usr, builds it and calls cpack:
#   oshen          the library, its tools, headers, exchange plans, FFT, Python package, manual
#   oshen-lammps   the accelerator for LAMMPS
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  add_custom_target(deb
    COMMAND ${CMAKE_COMMAND} -G Ninja -S ${PROJECT_SOURCE_DIR} -B ${PROJECT_BINARY_DIR}/deb -DCMAKE_INSTALL_PREFIX=/usr
            -DCMAKE_BUILD_TYPE=Release -DOSHEN_TESTS=OFF -DPython3_EXECUTABLE=/usr/bin/python3
            -DOSHEN_PYTHONDIR=lib/python3/dist-packages
    COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR}/deb
    COMMAND cpack -G DEB -B ${PROJECT_BINARY_DIR}/debs --config ${PROJECT_BINARY_DIR}/deb/CPackConfig.cmake
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/packages/deb_test.py ${PROJECT_BINARY_DIR}/debs
    USES_TERMINAL COMMENT "Building and testing the Debian packages" VERBATIM)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME oshen)
set(CPACK_PACKAGE_CONTACT "Oshen developers <oshen@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenSHMEM 1.6 in shared memory and over networks")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL runtime development exchange fft doc lammps debian debian-lammps)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # a program may use any later release of this soname
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_OSHEN_PACKAGE_NAME oshen)
set(CPACK_COMPONENT_OSHEN_DESCRIPTION "The library, compilers for C, C++ and Fortran, and the launcher. PEs of
one machine share memory; those of several machines reach each other by
TCP, or by libfabric or UCX over network cards with RDMA. With exchange
plans and a three-dimensional FFT on top.")
set(CPACK_DEBIAN_OSHEN_PACKAGE_DEPENDS "gcc | c-compiler, libc6-dev, python3")
set(CPACK_DEBIAN_OSHEN_PACKAGE_SUGGESTS "gfortran, python3-numpy, libfabric1, libucx0, libfftw3-dev, libdw1, oshen-lammps")
set(CPACK_DEBIAN_OSHEN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers
  ${PROJECT_SOURCE_DIR}/cmake/debian/preinst ${PROJECT_SOURCE_DIR}/cmake/debian/postrm)

set(CPACK_DEBIAN_OSHEN-LAMMPS_PACKAGE_NAME oshen-lammps)
set(CPACK_COMPONENT_OSHEN-LAMMPS_DESCRIPTION "The accelerator for LAMMPS: stock LAMMPS, not rebuilt, under MPI, with
its three-dimensional FFT and the exchange of data within carried by
one-sided puts.")
set(CPACK_DEBIAN_OSHEN-LAMMPS_PACKAGE_DEPENDS "oshen (= ${PROJECT_VERSION}-1), python3")
set(CPACK_DEBIAN_OSHEN-LAMMPS_PACKAGE_SUGGESTS "lammps")

# Each package has a changelog, a copyright file, and overrides for lintian tags that do not apply to it.
foreach(package oshen oshen-lammps)
  set(component debian)
  if(package STREQUAL oshen-lammps)
    set(component debian-lammps)
  endif()
  set(papers ${PROJECT_BINARY_DIR}/papers/${package})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in ${papers}/changelog.Debian @ONLY)
  install(CODE "execute_process(COMMAND gzip -9nkf ${papers}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT ${component})
  install(FILES ${papers}/changelog.Debian.gz ${PROJECT_SOURCE_DIR}/cmake/debian/copyright
    DESTINATION share/doc/${package} COMPONENT ${component})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/${package}.overrides DESTINATION share/lintian/overrides
    RENAME ${package} COMPONENT ${component})
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/tidy.cmake)

include(CPack)
foreach(component runtime development exchange fft doc debian)
  cpack_add_component(${component} GROUP oshen)
endforeach()
foreach(component lammps debian-lammps)
  cpack_add_component(${component} GROUP oshen-lammps)
endforeach()
cpack_add_component_group(oshen)
cpack_add_component_group(oshen-lammps)
