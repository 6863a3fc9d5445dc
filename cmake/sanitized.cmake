# Address and undefined-behaviour sanitizers for one target of an ordinary build. Exchange, FFT and oshrun run under them as real
# PEs on the ordinary library. The library itself is tested under sanitizers by the presets asan and tsan.

# oshen_sanitized(<target> [<library> ...]): adds <target>_sanitized from the same sources. It links to <library>_sanitized
# where <target> links to <library>.
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
