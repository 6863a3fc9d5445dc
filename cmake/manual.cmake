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
# The options of tools in Python, and the scripts that print theirs.
file(GLOB parsers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/oshbench/*.py
  ${PROJECT_SOURCE_DIR}/bench/oshbench/*/*.py ${PROJECT_SOURCE_DIR}/tools/oshtune/oshtune/*.py
  ${PROJECT_SOURCE_DIR}/tools/oshprof/oshprof/options.py ${PROJECT_SOURCE_DIR}/lammps/*/*.py)
file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/*.in ${PROJECT_SOURCE_DIR}/tools/*/*.in ${PROJECT_SOURCE_DIR}/lammps/*.in
  ${PROJECT_SOURCE_DIR}/bench/*.in)
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
  DEPENDS ${spec} ${parsers} ${scripts} ${PROJECT_SOURCE_DIR}/scripts/man_pages.py ${PROJECT_SOURCE_DIR}/scripts/manual.py ${PROJECT_SOURCE_DIR}/scripts/manual_texts.py
    ${PROJECT_SOURCE_DIR}/scripts/api_spec.py ${PROJECT_SOURCE_DIR}/scripts/tool_pages.py oshrun oshinfo
  COMMENT "Manual pages" VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/made)
install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT doc
  PATTERN made EXCLUDE PATTERN "oshen-lammps*" EXCLUDE)
if(TARGET oshen_fft)
  install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT lammps
    FILES_MATCHING PATTERN "oshen-lammps*")
endif()

# Completions of the tools that use argparse are made by shtab, if a Python with shtab is here. Those of the others, or of all,
# read the output of --help.
set(made ${PROJECT_BINARY_DIR}/share/completions)
set(by_help ${tools} ${compilers})
set(by_shtab "")
foreach(python $ENV{VIRTUAL_ENV}/bin/python ${PROJECT_SOURCE_DIR}/.venv/bin/python ${Python3_EXECUTABLE})
  execute_process(COMMAND ${python} -c "import shtab" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
  if(NOT missing)
    set(by_shtab ${tools})
    list(FILTER by_shtab INCLUDE REGEX "^(oshbench|oshprof|oshtune|oshen-lammps-study)$")
    list(REMOVE_ITEM by_help ${by_shtab})
    add_custom_command(OUTPUT ${made}/made
      COMMAND ${python} -B ${PROJECT_SOURCE_DIR}/scripts/completions.py ${made} ${by_shtab}
      COMMAND ${CMAKE_COMMAND} -E touch ${made}/made
      DEPENDS ${parsers} ${PROJECT_SOURCE_DIR}/scripts/completions.py COMMENT "Shell completions" VERBATIM)
    add_custom_target(completions ALL DEPENDS ${made}/made)
    break()
  endif()
endforeach()
list(JOIN by_help " " BY_HELP)
configure_file(${PROJECT_SOURCE_DIR}/tools/completions/oshen.bash.in ${made}/oshen.bash @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/tools/completions/_oshen.in ${made}/_oshen @ONLY)

set(bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
set(zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
foreach(tool ${by_help})
  install(FILES ${made}/oshen.bash DESTINATION ${bash} COMPONENT runtime RENAME ${tool})
endforeach()
install(FILES ${made}/_oshen DESTINATION ${zsh} COMPONENT runtime)
foreach(tool ${by_shtab})
  install(FILES ${made}/bash/${tool} DESTINATION ${bash} COMPONENT runtime)
  install(FILES ${made}/zsh/_${tool} DESTINATION ${zsh} COMPONENT runtime)
endforeach()
