#include "os/program_data.hpp"

#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.hpp"
#include "os/memory.hpp"

namespace oshen::os {
namespace {

// A range of whole pages.
struct page_span {
  std::uintptr_t start = 0, end = 0;
};

page_span pages_of(const dl_phdr_info& info, const ElfW(Phdr) & header) {
  const std::uintptr_t start = info.dlpi_addr + header.p_vaddr;
  return {round_down(start, page_bytes()), round_up(start + header.p_memsz, page_bytes())};
}

// The pages that RELRO protects: the loader protects whole pages only, so a page that it covers in part stays writable.
page_span relro_of(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const std::uintptr_t start = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_RELRO)
      return {round_down(start, page_bytes()), round_down(start + header.p_memsz, page_bytes())};
  }
  return {};
}

void add(program_parts& data, page_span span) {
  if (span.start >= span.end || data.n == program_parts::most) return;
  data.parts[data.n++] = {reinterpret_cast<char*>(span.start), span.end - span.start};
}

// The loader reports the executable first, with its segments in ascending order.
int read_executable(dl_phdr_info* info, std::size_t, void* out) {
  auto& data = *static_cast<program_parts*>(out);
  const page_span relro = relro_of(*info);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const page_span span = pages_of(*info, header);
    if (relro.end <= span.start || relro.start >= span.end) {
      add(data, span);
    } else {
      add(data, {span.start, relro.start});
      add(data, {relro.end, span.end});
    }
  }
  return 1;
}

#if !defined(MADV_POPULATE_WRITE)
constexpr int MADV_POPULATE_WRITE = 23;
#endif

// Visits the ranges of the file that hold data, within `bytes` bytes from `offset`. Reading a hole would make the
// kernel allocate a page.
template <class Visit>
void each_filled(int fd, std::size_t offset, std::size_t bytes, Visit visit) {
  const auto begin = static_cast<off_t>(offset), end = begin + static_cast<off_t>(bytes);
  for (off_t at = begin; at < end;) {
    const off_t data = lseek(fd, at, SEEK_DATA);
    if (data < 0 || data >= end) break;
    const off_t hole = lseek(fd, data, SEEK_HOLE);
    const off_t stop = hole < 0 || hole > end ? end : hole;
    visit(static_cast<std::size_t>(data - begin), static_cast<std::size_t>(stop - data));
    at = stop;
  }
}

}  // namespace

// Copies word by word. The compiler must not turn the loop into memcpy: the address sanitizer would report the gaps
// between a program's variables. Pages of zeros are not touched on either side, so a large unused array costs no
// memory.
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

memory_range program_parts::whole() const {
  if (n == 0) return {};
  const memory_range& last = parts[n - 1];
  return {parts[0].start, static_cast<std::size_t>(last.start + last.bytes - parts[0].start)};
}

program_parts program_data() {
  program_parts data;
  dl_iterate_phdr(read_executable, &data);
  return data;
}

bool replace_by_shared(memory_range range, int fd, std::size_t offset) {
  return mmap(range.start, range.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
              static_cast<off_t>(offset)) != MAP_FAILED;
}

// A private mapping shows the pages of the file until it writes to them. The mapping changes for all threads at once: a
// store of another thread goes to the file before the change, and to a private page after it. The remaining pages are
// then copied, by the kernel or by writes that change nothing.
bool take_back(memory_range range, int fd, std::size_t offset) {
  if (mmap(range.start, range.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, static_cast<off_t>(offset)) ==
      MAP_FAILED)
    return false;
  each_filled(fd, offset, range.bytes, [&](std::size_t at, std::size_t bytes) {
    if (madvise(range.start + at, bytes, MADV_POPULATE_WRITE) == 0) return;
    for (std::size_t done = 0; done < bytes; done += page_bytes())
      __atomic_fetch_or(static_cast<volatile char*>(range.start + at + done), 0, __ATOMIC_RELAXED);
  });
  return true;
}

bool replace_by_private(memory_range range, int fd, std::size_t offset) {
  void* copy = mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  each_filled(fd, offset, range.bytes, [&](std::size_t at, std::size_t bytes) {
    copy_pages(static_cast<char*>(copy) + at, range.start + at, bytes);
  });
  // A system call instead of mremap(): UCX before 1.15 intercepts mremap() and drops the address (openucx/ucx#8820).
  return syscall(SYS_mremap, copy, range.bytes, range.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, range.start) != -1;
}

}  // namespace oshen::os
