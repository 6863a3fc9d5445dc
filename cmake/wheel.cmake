# Differences of a wheel (pyproject.toml):
#   - It has no symbolic links.
#   - A shell script starts each Python script with the Python in the same folder, because pip's own wrappers fail in folders
#     with spaces.
#   - It has the sources of the benchmark programs and mini-apps, but does not build them: oshbench does that.
#   - Exchange and FFT are shared libraries: a static one would need the C++ runtime that it was built with.
set(OSHEN_WHEEL OFF)
set(OSHEN_UPPER_LIBRARIES STATIC)
set(OSHEN_CXX_RUNTIME stdc++)  # users of the static libraries link to it
set(OSHEN_CXX_LIBRARIES " -lstdc++")
if(DEFINED SKBUILD)
  set(OSHEN_WHEEL ON)
  set(OSHEN_UPPER_LIBRARIES SHARED)
  set(OSHEN_CXX_RUNTIME "")
  set(OSHEN_CXX_LIBRARIES "")
  set(OSHEN_NAMELINK NAMELINK_SKIP)
  file(WRITE ${PROJECT_BINARY_DIR}/link/c_interface.map "{ global: oshen_*; local: *; };\n")
endif()

# oshen_one_file(<target> <name>): installs a shared library as one file, with a linker script in the place of the links.
function(oshen_one_file target name)
  set_property(TARGET ${target} PROPERTY VERSION)
  file(WRITE ${PROJECT_BINARY_DIR}/link/lib${name}.so "INPUT(lib${name}.so.0)\n")
  install(FILES ${PROJECT_BINARY_DIR}/link/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# oshen_install_script(<file> <component>): installs a Python script, in a wheel with a shell script in bin/ that starts it.
if(OSHEN_WHEEL)
  set(OSHEN_SCRIPTDIR ${CMAKE_INSTALL_DATADIR}/oshen/tools)
else()
  set(OSHEN_SCRIPTDIR ${CMAKE_INSTALL_BINDIR})
endif()
file(RELATIVE_PATH OSHEN_FROM_SCRIPT ${CMAKE_INSTALL_PREFIX}/${OSHEN_SCRIPTDIR} ${CMAKE_INSTALL_PREFIX})
if(IS_ABSOLUTE ${OSHEN_SCRIPTDIR})
  file(RELATIVE_PATH OSHEN_FROM_SCRIPT ${OSHEN_SCRIPTDIR} ${CMAKE_INSTALL_PREFIX})
endif()
function(oshen_install_script file component)
  install(PROGRAMS ${file} DESTINATION ${OSHEN_SCRIPTDIR} COMPONENT ${component})
  if(OSHEN_WHEEL)
    get_filename_component(SCRIPT ${file} NAME)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/wheel_script.in ${PROJECT_BINARY_DIR}/link/${SCRIPT} @ONLY)
    install(PROGRAMS ${PROJECT_BINARY_DIR}/link/${SCRIPT} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
  endif()
endfunction()

# oshen_wheel_library(<target>): in a wheel this library is shared and exports its C interface only; elsewhere it is static.
function(oshen_wheel_library target)
  if(OSHEN_WHEEL)
    get_target_property(name ${target} OUTPUT_NAME)
    set_target_properties(${target} PROPERTIES SOVERSION 0 INSTALL_RPATH "$ORIGIN")
    target_link_options(${target} PRIVATE LINKER:--version-script=${PROJECT_BINARY_DIR}/link/c_interface.map)
    oshen_one_file(${target} ${name})
  endif()
endfunction()
