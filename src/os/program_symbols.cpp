#include "os/program_symbols.hpp"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace oshen::os {
namespace {

// The loader reports the executable first.
int read_bias(dl_phdr_info* info, std::size_t, void* out) {
  *static_cast<std::uintptr_t*>(out) = info->dlpi_addr;
  return 1;
}

struct table {
  const ElfW(Sym) * symbols = nullptr;
  std::size_t count = 0;
  const char* names = nullptr;
  std::size_t name_bytes = 0;
};

// The full symbol table, or the dynamic one if the full one was stripped. Every offset is checked, because a packed or
// damaged file may have any contents.
table find_table(const char* file, std::size_t bytes) {
  table found;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(file);
  if (bytes < sizeof *header || header->e_shentsize != sizeof(ElfW(Shdr)) || header->e_shoff > bytes ||
      header->e_shnum > (bytes - header->e_shoff) / sizeof(ElfW(Shdr)))
    return found;
  const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(file + header->e_shoff);
  const auto fits = [&](const ElfW(Shdr) & s) { return s.sh_offset <= bytes && s.sh_size <= bytes - s.sh_offset; };
  for (int i = 0; i < header->e_shnum; ++i) {
    const ElfW(Shdr)& s = sections[i];
    if (s.sh_type != SHT_SYMTAB && (s.sh_type != SHT_DYNSYM || found.symbols != nullptr)) continue;
    if (s.sh_link >= header->e_shnum || !fits(s) || !fits(sections[s.sh_link])) continue;
    found = {reinterpret_cast<const ElfW(Sym)*>(file + s.sh_offset), s.sh_size / sizeof(ElfW(Sym)),
             file + sections[s.sh_link].sh_offset, sections[s.sh_link].sh_size};
  }
  return found;
}

int compare(const void* a, const void* b) {
  const auto x = static_cast<const program_symbols::variable*>(a)->start;
  const auto y = static_cast<const program_symbols::variable*>(b)->start;
  return x < y ? -1 : x > y ? 1 : 0;
}

}  // namespace

void program_symbols::collect() {
  std::uintptr_t bias = 0;
  dl_iterate_phdr(read_bias, &bias);
  const table t = find_table(file_, file_bytes_);
  variables_ = static_cast<variable*>(malloc((t.count + 1) * sizeof(variable)));
  if (variables_ == nullptr) return;
  for (std::size_t i = 0; i < t.count; ++i) {
    const ElfW(Sym)& s = t.symbols[i];
    if ((s.st_info & 0xf) != STT_OBJECT || s.st_size == 0 || s.st_shndx == SHN_UNDEF || s.st_name >= t.name_bytes)
      continue;
    variables_[count_++] = {bias + s.st_value, s.st_size, t.names + s.st_name};
  }
  qsort(variables_, count_, sizeof(variable), compare);
  remove_nested();
}

// Some tables also name the parts of a variable, or one variable twice. Only the largest stays.
void program_symbols::remove_nested() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const variable& next = variables_[i];
    if (kept > 0 && variables_[kept - 1].start == next.start && next.bytes > variables_[kept - 1].bytes) --kept;
    if (kept == 0 || !variables_[kept - 1].holds(next.start, 1)) variables_[kept++] = next;
  }
  count_ = kept;
}

void program_symbols::open() {
  const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0) {
    file_bytes_ = static_cast<std::size_t>(about.st_size);
    void* file = mmap(nullptr, file_bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file != MAP_FAILED) file_ = static_cast<char*>(file);
  }
  if (fd >= 0) ::close(fd);
  if (file_ != nullptr) collect();
}

void program_symbols::close() {
  if (file_ != nullptr) munmap(file_, file_bytes_);
  free(variables_);
  file_ = nullptr;
  variables_ = nullptr;
  count_ = 0;
}

program_symbols::variable program_symbols::holding(std::uintptr_t address) const {
  const variable* const after =
      std::ranges::upper_bound(variables_, variables_ + count_, address, {}, &variable::start);
  if (after == variables_ || address - after[-1].start >= after[-1].bytes) return {};
  return after[-1];
}

}  // namespace oshen::os
