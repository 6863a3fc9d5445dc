# Manual pages and shell completions. Pages of functions and variables are made from spec/, pages of tools from --help and spec/tools.def.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(manual ${PROJECT_BINARY_DIR}/share/man)
set(pages ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/man_pages.py ${manual})
set(tools oshrun oshinfo oshtune oshprof)
set(compilers oshcc oshc++ oshcxx oshfort)
if(OSHEN_BENCH OR OSHEN_WHEEL)
  list(APPEND tools oshbench)
endif()
if(TARGET oshen_fft)
  list(APPEND tools oshen-lammps oshen-lammps-study)
endif()
file(GLOB spec CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/spec/*.def ${PROJECT_SOURCE_DIR}/spec/examples/*.c)
set(commands "")
foreach(tool ${tools})  # a cross build cannot run them
  if(CMAKE_CROSSCOMPILING)
    break()
  endif()
  list(APPEND commands COMMAND ${pages} --tool ${tool} ${PROJECT_BINARY_DIR}/bin/${tool})
endforeach()
foreach(tool ${compilers})
  list(APPEND commands COMMAND ${pages} --tool ${tool} ${PROJECT_BINARY_DIR}/bin/${tool} --showme:help)
endforeach()
add_custom_command(OUTPUT ${manual}/made COMMAND ${pages} ${commands} COMMAND ${CMAKE_COMMAND} -E touch ${manual}/made
  DEPENDS ${spec} ${PROJECT_SOURCE_DIR}/scripts/man_pages.py ${PROJECT_SOURCE_DIR}/scripts/manual.py ${PROJECT_SOURCE_DIR}/scripts/manual_texts.py
    ${PROJECT_SOURCE_DIR}/scripts/api_spec.py ${PROJECT_SOURCE_DIR}/scripts/tool_pages.py oshrun oshinfo
  COMMENT "Manual pages" VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/made)
install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT doc
  PATTERN made EXCLUDE PATTERN "oshen-lammps*" EXCLUDE)
if(TARGET oshen_fft)
  install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT lammps
    FILES_MATCHING PATTERN "oshen-lammps*")
endif()

set(completions ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
foreach(tool ${tools} ${compilers})
  install(FILES tools/completions/oshen.bash DESTINATION ${completions} COMPONENT runtime RENAME ${tool})
endforeach()
install(FILES tools/completions/_oshen DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
