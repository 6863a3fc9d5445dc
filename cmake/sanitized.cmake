# The address and the undefined-behaviour sanitizer for one target of an ordinary build: what is built on the public
# interface runs as real PEs upon the ordinary library, which has its own builds with the unit tests (presets asan, tsan).

# oshen_sanitized(<target> [library that takes the place of one that the target links to ...]): <target>_sanitized, the
# same sources again.
function(oshen_sanitized target)
  get_target_property(type ${target} TYPE)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  list(TRANSFORM sources REPLACE "^([^/$].*)" "${folder}/\\1")
  set(twin ${target}_sanitized)
  if(type STREQUAL EXECUTABLE)
    add_executable(${twin} ${sources})
  else()
    add_library(${twin} STATIC EXCLUDE_FROM_ALL ${sources})
  endif()
  foreach(property INCLUDE_DIRECTORIES SYSTEM_INCLUDE_DIRECTORIES COMPILE_DEFINITIONS INTERFACE_INCLUDE_DIRECTORIES
          LINK_LIBRARIES INTERFACE_LINK_LIBRARIES LINK_OPTIONS)
    get_target_property(value ${target} ${property})
    foreach(replaced ${ARGN})
      list(TRANSFORM value REPLACE "(^|:)${replaced}(>?)$" "\\1${replaced}_sanitized\\2")
    endforeach()
    if(value)
      set_property(TARGET ${twin} PROPERTY ${property} "${value}")
    endif()
  endforeach()
  target_compile_options(${twin} PRIVATE -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_link_options(${twin} PUBLIC -fsanitize=address,undefined)
endfunction()
