# Compiler flags of Oshen's own sources. They are not passed on to programs that use its headers.
add_library(oshen_warnings INTERFACE)
target_compile_options(oshen_warnings INTERFACE -Wall -Wextra -Wconversion)
# The presets set it, for developers and continuous integration, whose compilers are known. A plain `cmake -B` does not: the
# compiler of a packager may have other warnings.
option(OSHEN_WERROR "Treat warnings as errors" OFF)
if(OSHEN_WERROR)
  target_compile_options(oshen_warnings INTERFACE -Werror)
endif()
if(OSHEN_SANITIZE)
  add_compile_options(-fsanitize=${OSHEN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${OSHEN_SANITIZE})
  # The thread sanitizer does not understand fences. In this code fences only add to the order of release and acquire flags.
  if(OSHEN_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(oshen_warnings INTERFACE -Wno-tsan)
  endif()
endif()
