#!/usr/bin/env bash
# Runs a command on an emulated machine that has an RDMA card, and exits with the command's status.
#
#   rdma_vm.sh [-t SECONDS] [-m MIB] [-c CPUS] COMMAND [ARGUMENT ...]
#
# The machine is qemu without KVM, under Debian's kernel, whose soft-RoCE driver (rdma_rxe) makes a card of an Ethernet
# interface. Its root is the root of this machine: it can read every file here, and what it writes is lost when it ends.
# The card is `rxe0` at 10.9.0.1. Status 124: the time was over. Status 77: scripts/setup.sh rdma has not been run.
# Emulation is some 20 times slower than this machine, so use it for results and never for times.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
store=$top/.rdma-vm

seconds=600 mib=3072 cpus=2
while getopts t:m:c: option; do
  case $option in
    t) seconds=$OPTARG ;;
    m) mib=$OPTARG ;;
    c) cpus=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { sed -n '2,4p' "${BASH_SOURCE[0]}"; exit 2; }

kernel=("$store"/boot/vmlinuz-*)
if [ ! -f "${kernel[0]}" ] || ! command -v qemu-system-x86_64 busybox cpio >/dev/null; then
  echo "rdma_vm: no kernel or no qemu: run scripts/setup.sh rdma"
  exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/rdma-vm.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The files of the modules that the machine needs, each after those that it depends on.
list_modules() {
  local version=${kernel[0]##*/vmlinuz-} module
  [ -f "$store/lib/modules/$version/modules.dep.bin" ] || /sbin/depmod -b "$store" "$version"
  for module in virtio_pci 9p 9pnet_virtio overlay crc32_generic veth ib_uverbs rdma_ucm rdma_rxe; do
    /sbin/modprobe -d "$store" -S "$version" --show-depends "$module"
  done | awk '$1 == "insmod" && !listed[$2]++ { print $2 }'
}

# The initial RAM disk loads the modules and mounts the root: the host's files, read-only, under a layer of memory.
make_ram_disk() {  # COMMAND ...
  local root=$work/root n=100 file
  mkdir -p "$root"/{bin,modules,proc,sys,dev,host,memory,new}
  cp "$(command -v busybox)" "$root/bin/busybox"
  list_modules | while read -r file; do
    cp "$file" "$root/modules/$n-${file##*/}"
    n=$((n + 1))
  done
  cat >"$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t devtmpfs none /dev
mount -t sysfs none /sys
for module in /modules/*; do insmod "$module"; done
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose files /host
mount -t tmpfs none /memory
mkdir /memory/changes /memory/work
mount -t overlay -o lowerdir=/host,upperdir=/memory/changes,workdir=/memory/work none /new
for folder in proc sys dev; do mkdir -p /new/$folder; mount --move /$folder /new/$folder; done
for folder in /tmp /run /dev/shm; do mkdir -p /new$folder; mount -t tmpfs none /new$folder; done
mkdir -p /new/dev/pts
mount -t devpts none /new/dev/pts
cp /job /new/run/job
exec switch_root /new /bin/bash /run/job
INIT
  chmod +x "$root/init"
  write_job "$@" >"$root/job"
  (cd "$root" && find . | cpio -o -H newc 2>/dev/null) | gzip -1 >"$work/ram-disk"
}

write_job() {
  cat <<JOB
exec </dev/null >/dev/ttyS1 2>&1
export PATH=$(printf %q "$PATH") HOME=/tmp
hostname rdma-vm
ln -sfn /proc/self/fd /dev/fd
ip link set lo up
ip link add v0 type veth peer name v1
ip link set v1 up
ip link set v0 up
ip addr add 10.9.0.1/24 dev v0
rdma link add rxe0 type rxe netdev v0
for i in \$(seq 50); do grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state && break; sleep 0.2; done
ulimit -l unlimited
cd $(printf %q "$PWD")
$(printf '%q ' "$@")
printf '\nrdma_vm: status %d\n' \$?
sync
echo o >/proc/sysrq-trigger
sleep 60
JOB
}

make_ram_disk "$@"
# The first serial line has the kernel's messages, the second one the output of the command.
timeout --foreground "$seconds" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp "$cpus" -m "$mib" \
  -nodefaults -display none -no-reboot -serial "file:$work/kernel" -serial stdio \
  -kernel "${kernel[0]}" -initrd "$work/ram-disk" -append "console=ttyS0 loglevel=4 panic=1 mitigations=off" \
  -virtfs local,path=/,mount_tag=files,security_model=none,readonly=on,multidevs=remap </dev/null |
  sed -u 's|\r$||' | tee "$work/output" | grep --line-buffered -v '^rdma_vm: status' || true
status=$(sed -n 's/^rdma_vm: status //p' "$work/output")
if [ -z "$status" ]; then
  echo "rdma_vm: the command did not end within $seconds s; the last messages of the kernel:"
  tail -n 20 "$work/kernel"
fi
exit "${status:-124}"
