#include "os/program_data.hpp"

#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.hpp"
#include "os/memory.hpp"

namespace oshen::os {
namespace {

// The first object that the loader reports is the executable itself.
int read_executable(dl_phdr_info* info, std::size_t, void* out) {
  std::uintptr_t low = UINTPTR_MAX, high = 0, relro_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    const std::uintptr_t end = start + header.p_memsz;
    if (header.p_type == PT_GNU_RELRO) relro_end = end;
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    if (start < low) low = start;
    if (end > high) high = end;
  }
  if (high == 0) return 1;
  const std::size_t page = page_bytes();
  low = round_down(low, page);
  high = round_up(high, page);
  // The loader protects whole pages only: a page that RELRO covers in part stays writable.
  const std::uintptr_t protected_end = round_down(relro_end, page);
  if (protected_end > low) low = protected_end;
  if (low < high) *static_cast<byte_range*>(out) = {reinterpret_cast<char*>(low), high - low};
  return 1;
}

}  // namespace

// Word by word, in loops that the compiler must not turn into memcpy: the address sanitizer would find the
// gaps between a program's variables in it. Pages of zeros stay untouched on both sides: a large array that
// nobody has used costs no memory.
void copy_pages(void* to, const void* from, std::size_t bytes) {
  const std::size_t page_words = page_bytes() / sizeof(std::uint64_t);
  auto* target = static_cast<std::uint64_t*>(to);
  auto* source = static_cast<const std::uint64_t*>(from);
  for (std::size_t done = 0; done < bytes / sizeof(std::uint64_t); done += page_words) {
    std::size_t i = done;
    while (i < done + page_words && source[i] == 0) ++i;
    for (; i < done + page_words; ++i) {
      target[i] = source[i];
      asm volatile("" ::: "memory");
    }
  }
}

byte_range program_data() {
  byte_range range;
  dl_iterate_phdr(read_executable, &range);
  return range;
}

bool replace_by_shared(byte_range range, int fd, std::size_t offset) {
  return mmap(range.start, range.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
              static_cast<off_t>(offset)) != MAP_FAILED;
}

// Only what the file holds is read: looking at a page that was never touched would make the kernel fill it.
bool replace_by_private(byte_range range, int fd, std::size_t offset) {
  void* copy = mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  const auto begin = static_cast<off_t>(offset), end = begin + static_cast<off_t>(range.bytes);
  for (off_t at = begin; at < end;) {
    const off_t data = lseek(fd, at, SEEK_DATA);
    if (data < 0 || data >= end) break;
    const off_t hole = lseek(fd, data, SEEK_HOLE);
    const off_t stop = hole < 0 || hole > end ? end : hole;
    copy_pages(static_cast<char*>(copy) + (data - begin), range.start + (data - begin),
               static_cast<std::size_t>(stop - data));
    at = stop;
  }
  return mremap(copy, range.bytes, range.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, range.start) !=
         MAP_FAILED;
}

}  // namespace oshen::os
