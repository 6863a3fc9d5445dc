# Options of code whose speed does not matter, such as unit tests, help texts and JSON: it is compiled in two thirds of the time.
# Its debugging information has lines and functions only.
set(oshen_light $<$<NOT:$<CONFIG:Debug>>:-O1> $<$<NOT:$<CONFIG:Debug>>:-g1>)

# The compiler of a second build finds what it has compiled before, where ccache is installed.
if(PROJECT_IS_TOP_LEVEL)
  find_program(OSHEN_CCACHE ccache)
  mark_as_advanced(OSHEN_CCACHE)
  foreach(language C CXX)
    if(OSHEN_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${OSHEN_CCACHE})
    endif()
  endforeach()
endif()
