# One place for the flags of our own code; what users compile with our headers is theirs.
add_library(oshen_warnings INTERFACE)
target_compile_options(oshen_warnings INTERFACE -Wall -Wextra -Wconversion)
# For developers and continuous integration, whose compilers are known. The presets set it; a plain `cmake -B` does not:
# a packager's compiler may warn of what ours did not.
option(OSHEN_WERROR "warnings are errors" OFF)
if(OSHEN_WERROR)
  target_compile_options(oshen_warnings INTERFACE -Werror)
endif()
if(OSHEN_SANITIZE)
  add_compile_options(-fsanitize=${OSHEN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${OSHEN_SANITIZE})
  # The thread sanitizer does not understand fences. Ours only add to what release and acquire flags order.
  if(OSHEN_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(oshen_warnings INTERFACE -Wno-tsan)
  endif()
endif()
