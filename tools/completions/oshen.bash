# SPDX-License-Identifier: BSD-3-Clause
# bash completion for Oshen's commands: options from the output of --help; values of some options; commands and files.
_oshen_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_oshen_options() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} help=--help
  local -a command=("$1")
  case ${1##*/} in
    oshcc | oshc++ | oshcxx | oshfort) help=--showme:help ;;
    oshbench) [[ $COMP_CWORD -gt 1 ]] && command+=("${COMP_WORDS[1]}") ;;
  esac
  case ${1##*/}:$before in
    oshrun:--bind) _oshen_words "auto core none" "$word"; return ;;
    oshrun:--map-by) _oshen_words "core socket numa l3" "$word"; return ;;
    oshrun:--launcher) _oshen_words "auto ssh srun hydra mpirun prterun" "$word"; return ;;
    oshrun:--hosts | oshen-lammps:--hosts) mapfile -t COMPREPLY < <(compgen -A hostname -- "$word"); return ;;
    oshen-lammps:--mode) _oshen_words "on off fft stats check auto" "$word"; return ;;
    oshbench:oshbench)
      _oshen_words "$("$1" --help 2>/dev/null | grep -oE '^    [a-z]+ ') --help --version" "$word"
      return ;;
  esac
  if [[ $word == -* ]]; then
    _oshen_words "$("${command[@]}" $help 2>/dev/null | grep -oE -- '(^|[ ,[])-{1,2}[a-zA-Z][a-zA-Z:-]*' |
      grep -oE -- '-{1,2}[a-zA-Z].*' | sort -u)" "$word"
  elif [[ ${1##*/} == oshrun || ${1##*/} == oshprof ]]; then
    mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
  fi
}
complete -o default -F _oshen_options oshrun oshinfo oshtune oshprof oshbench oshen-lammps oshen-lammps-study \
  oshcc oshc++ oshcxx oshfort
