# The names of an installation, for a project that contains this one: the same CMakeLists.txt then works with find_package,
# FetchContent and add_subdirectory.
add_library(OpenSHMEM::OpenSHMEM ALIAS oshen)
add_library(OpenSHMEM::OpenSHMEM_static ALIAS oshen_static)
foreach(part exchange fft)
  if(TARGET oshen_${part})
    add_library(Oshen::${part} ALIAS oshen_${part})
  endif()
endforeach()
if(NOT PROJECT_IS_TOP_LEVEL)
  # For add_test(): ${OpenSHMEM_LAUNCHER} -n 4 program
  set(OpenSHMEM_LAUNCHER ${PROJECT_BINARY_DIR}/bin/oshrun PARENT_SCOPE)
  set(OpenSHMEM_LIBRARY_NAME Oshen PARENT_SCOPE)
  set(OpenSHMEM_LIBRARY_VERSION ${PROJECT_VERSION} PARENT_SCOPE)
endif()
