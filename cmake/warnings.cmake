# One place for the flags of our own code; what users compile with our headers is theirs.
add_library(oshen_warnings INTERFACE)
target_compile_options(oshen_warnings INTERFACE -Wall -Wextra -Wconversion -Werror)
if(OSHEN_SANITIZE)
  add_compile_options(-fsanitize=${OSHEN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${OSHEN_SANITIZE})
endif()
