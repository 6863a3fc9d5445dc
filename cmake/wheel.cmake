# What is different in a wheel (pyproject.toml): no symbolic links; Python's scripts are started with the Python beside
# them (pip's way with scripts fails in folders with spaces); and no C++ in static libraries, as it comes from another
# C++ runtime than that of the user.
set(OSHEN_WHEEL OFF)
set(OSHEN_UPPER_LIBRARIES STATIC)
set(OSHEN_CXX_RUNTIME stdc++)  # which users of the static libraries link to
set(OSHEN_CXX_LIBRARIES " -lstdc++")
if(DEFINED SKBUILD)
  set(OSHEN_WHEEL ON)
  set(OSHEN_UPPER_LIBRARIES SHARED)
  set(OSHEN_CXX_RUNTIME "")
  set(OSHEN_CXX_LIBRARIES "")
  set(OSHEN_NAMELINK NAMELINK_SKIP)
  file(WRITE ${CMAKE_BINARY_DIR}/link/c_interface.map "{ global: oshen_*; local: *; };\n")
endif()

# One file for each shared library, and a text that leads the linker to it, where otherwise a file has three names.
function(oshen_one_file target name)
  set_property(TARGET ${target} PROPERTY VERSION)
  file(WRITE ${CMAKE_BINARY_DIR}/link/lib${name}.so "INPUT(lib${name}.so.0)\n")
  install(FILES ${CMAKE_BINARY_DIR}/link/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# A script of Python whose folders were configured as seen from FROM_BIN.
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
    configure_file(${PROJECT_SOURCE_DIR}/cmake/wheel_script.in ${CMAKE_BINARY_DIR}/link/${SCRIPT} @ONLY)
    install(PROGRAMS ${CMAKE_BINARY_DIR}/link/${SCRIPT} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
  endif()
endfunction()

# A library that is static elsewhere: its C interface alone can be seen.
function(oshen_wheel_library target)
  if(OSHEN_WHEEL)
    get_target_property(name ${target} OUTPUT_NAME)
    set_target_properties(${target} PROPERTIES SOVERSION 0 INSTALL_RPATH "$ORIGIN")
    target_link_options(${target} PRIVATE LINKER:--version-script=${CMAKE_BINARY_DIR}/link/c_interface.map)
    oshen_one_file(${target} ${name})
  endif()
endfunction()
