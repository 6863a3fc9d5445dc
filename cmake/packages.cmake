# What a release is: the files of a commit, with the times of the commit: the same commit gives the same bytes.
add_custom_target(tarball
  COMMAND git -C ${PROJECT_SOURCE_DIR} archive --format=tar.gz --prefix=oshen-${PROJECT_VERSION}/
          -o ${CMAKE_BINARY_DIR}/oshen-${PROJECT_VERSION}.tar.gz HEAD
  COMMENT "oshen-${PROJECT_VERSION}.tar.gz" VERBATIM)

# Wheels for any Linux of glibc 2.28, tried in a bare environment: scripts/setup.sh wheel first.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_custom_target(wheel
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/wheel.py ${CMAKE_BINARY_DIR}/wheels
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/install/wheel_test.py ${CMAKE_BINARY_DIR}/wheels
  USES_TERMINAL COMMENT "The wheel, and whether it works" VERBATIM)

# The same on 64-bit ARM, emulated (tens of minutes): scripts/setup.sh aarch64 first.
add_custom_target(aarch64
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/test_aarch64.py ${CMAKE_BINARY_DIR}/aarch64
  USES_TERMINAL COMMENT "Unit, spec and litmus tests on 64-bit ARM" VERBATIM)
