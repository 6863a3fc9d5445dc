// The memory of the PEs, which are other processes.
#include <sys/uio.h>

#include <cerrno>

#include "machine.hpp"

namespace explore {
namespace {

bool all_moved(ssize_t moved, std::size_t bytes) { return moved >= 0 && static_cast<std::size_t>(moved) == bytes; }

}  // namespace

bool machine::read(int pe, std::uint64_t address, std::span<std::byte> to) {
  const iovec here{to.data(), to.size()}, there{reinterpret_cast<void*>(address), to.size()};
  if (to.empty() || all_moved(process_vm_readv(process(pe).pid, &here, 1, &there, 1, 0), to.size())) return true;
  if (errno == EPERM || errno == ENOSYS)
    stop_as_invalid("cannot access the memory of the PEs: this machine forbids process_vm_readv (ptrace)");
  fail("wrong call", "memory of PE " + std::to_string(pe) + " that an operation reads does not exist");
  return false;
}

bool machine::write(int pe, std::uint64_t address, std::span<const std::byte> from) {
  const iovec here{const_cast<std::byte*>(from.data()), from.size()},
      there{reinterpret_cast<void*>(address), from.size()};
  if (from.empty() || all_moved(process_vm_writev(process(pe).pid, &here, 1, &there, 1, 0), from.size())) return true;
  fail("wrong call", "memory of PE " + std::to_string(pe) + " that an operation writes does not exist");
  return false;
}

bool machine::copy(int pe, const blocks& memory, std::vector<std::byte>& bytes, bool writes) {
  bytes.resize(memory.bytes * memory.n);
  for (std::size_t i = 0; i < memory.n; ++i) {
    const std::uint64_t address = memory.address + i * static_cast<std::uint64_t>(memory.stride);
    const std::span<std::byte> part(bytes.data() + i * memory.bytes, memory.bytes);
    if (!(writes ? write(pe, address, part) : read(pe, address, part))) return false;
  }
  return true;
}

}  // namespace explore
