# Options of code whose speed does not matter, such as unit tests, help texts and JSON: it is compiled in two thirds of the time.
# Its debugging information has lines and functions only.
set(oshen_light $<$<NOT:$<CONFIG:Debug>>:-O1> $<$<NOT:$<CONFIG:Debug>>:-g1>)

# The compiler of a second build finds what it has compiled before, where ccache is installed. CCACHE_DEPEND: ccache takes the names of
# the headers from the compiler. Otherwise it runs the preprocessor first, which is a seventh of the time of a first build. CCACHE_SLOPPINESS:
# without the first two, it keeps no source that includes a precompiled header. The others are for a checkout that is seconds old.
if(PROJECT_IS_TOP_LEVEL)
  find_program(OSHEN_CCACHE ccache)
  mark_as_advanced(OSHEN_CCACHE)
  foreach(language C CXX)
    if(OSHEN_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_DEPEND=1
          CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${OSHEN_CCACHE})
    endif()
  endforeach()
endif()

# oshen_precompile(<target> <headers ...>): headers that most sources of a target include are read once. For targets that are not installed:
# here a source compiles that forgets to include one of them.
function(oshen_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # for ccache
  endif()
endfunction()
