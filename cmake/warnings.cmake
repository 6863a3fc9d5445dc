# One place for the flags of our own code; what users compile with our headers is theirs.
add_library(oshen_warnings INTERFACE)
target_compile_options(oshen_warnings INTERFACE -Wall -Wextra -Wconversion -Werror)
if(OSHEN_SANITIZE)
  add_compile_options(-fsanitize=${OSHEN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${OSHEN_SANITIZE})
  # The thread sanitizer does not understand fences. Ours only add to what release and acquire flags order.
  if(OSHEN_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(oshen_warnings INTERFACE -Wno-tsan)
  endif()
endif()
