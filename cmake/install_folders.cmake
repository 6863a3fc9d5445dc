# Installation folders relative to the prefix: scripts find their files from their own location, so the tree can be moved.
# CMAKE_INSTALL_*DIR itself may be absolute.
foreach(folder BINDIR LIBDIR INCLUDEDIR DATADIR)
  file(RELATIVE_PATH OSHEN_${folder} ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_${folder}})
endforeach()
# Libraries that only Oshen's own tools preload. The version in the name lets two versions share a prefix.
set(OSHEN_PLUGINDIR ${CMAKE_INSTALL_LIBDIR}/oshen-${PROJECT_VERSION})
file(RELATIVE_PATH OSHEN_PLUGINS ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR}/oshen-${PROJECT_VERSION})

# No rpath in folders that the loader searches by default.
set(OSHEN_RPATH "")
if(NOT CMAKE_INSTALL_FULL_LIBDIR MATCHES "^(/usr)?/lib(32|64)?(/.*)?$")
  set(OSHEN_RPATH " -Wl,-rpath,\${libdir}")  # \${libdir} is a variable of pkg-config
  set(OSHEN_PLUGIN_RPATH "$ORIGIN/..")
endif()

# Components of an installation, for packagers: cmake --install BUILD --component runtime. The default one is development.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

# oshen_script(<name> <component>): configures <name>.in as a Python script in bin/, for the build tree and for installations.
function(oshen_script name component)
  set(FROM_BIN ..)
  set(BIN_DIRECTORY bin)
  set(PLUGIN_DIRECTORY lib)
  set(SHARE_DIRECTORY share/oshen)
  configure_file(${name}.in ${PROJECT_BINARY_DIR}/bin/${name} @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set(FROM_BIN ${OSHEN_FROM_SCRIPT})
  set(BIN_DIRECTORY ${OSHEN_BINDIR})
  set(PLUGIN_DIRECTORY ${OSHEN_PLUGINS})
  set(SHARE_DIRECTORY ${OSHEN_DATADIR}/oshen)
  configure_file(${name}.in ${CMAKE_CURRENT_BINARY_DIR}/installed/${name} @ONLY)
  oshen_install_script(${CMAKE_CURRENT_BINARY_DIR}/installed/${name} ${component})
endfunction()

# oshen_python_package(<name> <component>): the package <name>/ of a tool, in share/oshen of the build tree and of installations.
function(oshen_python_package name component)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${name}/*.py ${name}/*.j2)
  foreach(file ${files})
    configure_file(${file} ${PROJECT_BINARY_DIR}/share/oshen/${file} COPYONLY)
    get_filename_component(folder ${file} DIRECTORY)
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/oshen/${folder} COMPONENT ${component})
  endforeach()
endfunction()
