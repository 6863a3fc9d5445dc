# The archive of a release: the files of a commit with the time of the commit, so that the same commit gives the same bytes.
add_custom_target(tarball
  COMMAND git -C ${PROJECT_SOURCE_DIR} archive --format=tar.gz --prefix=oshen-${PROJECT_VERSION}/
          -o ${PROJECT_BINARY_DIR}/oshen-${PROJECT_VERSION}.tar.gz HEAD
  COMMENT "oshen-${PROJECT_VERSION}.tar.gz" VERBATIM)

# Wheels for any Linux with glibc 2.28 or later, tested in an empty environment. Needs scripts/setup.sh wheel.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_custom_target(wheel
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/wheel.py ${PROJECT_BINARY_DIR}/wheels
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/packages/wheel_test.py ${PROJECT_BINARY_DIR}/wheels
  USES_TERMINAL COMMENT "Building and testing the wheel" VERBATIM)

# Tests on emulated 64-bit ARM (tens of minutes). Needs scripts/setup.sh aarch64.
add_custom_target(aarch64
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/test_aarch64.py ${PROJECT_BINARY_DIR}/aarch64
  USES_TERMINAL COMMENT "Unit, spec and litmus tests on 64-bit ARM" VERBATIM)
