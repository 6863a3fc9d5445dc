# Scripts find what belongs to them from their own place: folders as seen from the prefix, which may be absolute.
foreach(folder BINDIR LIBDIR INCLUDEDIR DATADIR)
  file(RELATIVE_PATH OSHEN_${folder} ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_${folder}})
endforeach()
# What only our own tools load into programs. With the version: two versions may be installed beside each other.
set(OSHEN_PLUGINDIR ${CMAKE_INSTALL_LIBDIR}/oshen-${PROJECT_VERSION})
file(RELATIVE_PATH OSHEN_PLUGINS ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR}/oshen-${PROJECT_VERSION})

# The loader searches these by itself: no rpath for an installation there.
set(OSHEN_RPATH "")
if(NOT CMAKE_INSTALL_FULL_LIBDIR MATCHES "^(/usr)?/lib(32|64)?(/.*)?$")
  set(OSHEN_RPATH " -Wl,-rpath,\${libdir}")  # for pkg-config, hence literal
  set(OSHEN_PLUGIN_RPATH "$ORIGIN/..")
endif()

# Parts of an installation, for packagers: cmake --install BUILD --component runtime. What says nothing is for developers.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

# A Python script in bin/ of the build tree and of an installation.
function(oshen_script name component)
  set(FROM_BIN ..)
  set(PLUGIN_DIRECTORY lib)
  set(SHARE_DIRECTORY share/oshen)
  configure_file(${name}.in ${CMAKE_BINARY_DIR}/bin/${name} @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set(FROM_BIN ${OSHEN_FROM_SCRIPT})
  set(PLUGIN_DIRECTORY ${OSHEN_PLUGINS})
  set(SHARE_DIRECTORY ${OSHEN_DATADIR}/oshen)
  configure_file(${name}.in ${CMAKE_CURRENT_BINARY_DIR}/installed/${name} @ONLY)
  oshen_install_script(${CMAKE_CURRENT_BINARY_DIR}/installed/${name} ${component})
endfunction()
