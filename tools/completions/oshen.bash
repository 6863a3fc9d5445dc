# SPDX-License-Identifier: BSD-3-Clause
# bash: the options of Oshen's commands, as each says itself; then commands and files.
_oshen_options() {
  local word=${COMP_WORDS[COMP_CWORD]}
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null | grep -oE -- '(^|[ ,[])-{1,2}[a-zA-Z][a-zA-Z-]*' |
      grep -oE -- '-{1,2}[a-zA-Z].*' | sort -u)" -- "$word")
  elif [[ $1 == *oshrun || $1 == *oshprof ]]; then
    mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
  fi
}
complete -o default -F _oshen_options oshrun oshinfo oshtune oshprof oshen-lammps oshen-lammps-study
