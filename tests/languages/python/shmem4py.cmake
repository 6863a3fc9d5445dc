# shmem4py from PyPI, an independent client: built by oshcc, tested by its own test suite.
set(shmem4py ${python_test} ${CMAKE_CURRENT_SOURCE_DIR}/shmem4py_test.py)
set(work --work ${CMAKE_CURRENT_BINARY_DIR}/shmem4py)

interop_test(shmem4py.build ${shmem4py} build ${work} --oshcc ${PROJECT_BINARY_DIR}/bin/oshcc)
set_tests_properties(interop.shmem4py.build PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 FIXTURES_SETUP shmem4py)
foreach(n 1 2 3 4)
  interop_test(shmem4py.${n} ${shmem4py} run ${work} --oshrun $<TARGET_FILE:oshrun> -n ${n})
  set_tests_properties(interop.shmem4py.${n} PROPERTIES SKIP_RETURN_CODE 77 FIXTURES_REQUIRED shmem4py)
endforeach()
