#include "objects.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "sites.hpp"

namespace races {
namespace {

struct block {
  std::size_t bytes;
  std::uint32_t site;
};
spin_lock blocks_mutex;
std::map<std::uintptr_t, block> blocks;

struct static_variable {
  std::uintptr_t start;
  std::size_t bytes;
  std::string name;
};

int load_address(dl_phdr_info* info, std::size_t, void* out) {
  *static_cast<std::uintptr_t*>(out) = info->dlpi_addr;
  return 1;  // the executable comes first
}

// Reads `image`, the whole file of the executable. Bad offsets yield no variables.
std::vector<static_variable> read_variables(const char* image, std::size_t bytes, std::uintptr_t base) {
  std::vector<static_variable> found;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(image);
  if (bytes < sizeof *header || header->e_shoff > bytes ||
      (bytes - header->e_shoff) / sizeof(ElfW(Shdr)) < header->e_shnum)
    return found;
  const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(image + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    const ElfW(Shdr)& s = sections[i];
    if (s.sh_type != SHT_SYMTAB || s.sh_link >= header->e_shnum || s.sh_offset > bytes ||
        s.sh_size > bytes - s.sh_offset)
      continue;
    const ElfW(Shdr)& names = sections[s.sh_link];
    if (names.sh_offset > bytes || names.sh_size > bytes - names.sh_offset) continue;
    const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(image + s.sh_offset);
    for (std::size_t k = 0; k < s.sh_size / sizeof *symbols; ++k) {
      const ElfW(Sym)& v = symbols[k];
      if ((v.st_info & 0xf) == STT_OBJECT && v.st_size != 0 && v.st_name < names.sh_size)
        found.push_back({base + v.st_value, v.st_size, image + names.sh_offset + v.st_name});
    }
  }
  std::ranges::sort(found, {}, &static_variable::start);
  return found;
}

const std::vector<static_variable>& variables() {
  static const std::vector<static_variable> all = [] {
    std::vector<static_variable> none;
    std::uintptr_t base = 0;
    dl_iterate_phdr(load_address, &base);
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return none;
    struct stat about{};
    fstat(fd, &about);
    const auto bytes = static_cast<std::size_t>(about.st_size);
    void* image = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (image == MAP_FAILED) return none;
    std::vector<static_variable> found = read_variables(static_cast<const char*>(image), bytes, base);
    munmap(image, bytes);
    return found;
  }();
  return all;
}

std::string index(std::size_t offset, std::size_t bytes, std::size_t element) {
  if (bytes <= element && offset == 0) return "";
  return offset % element == 0 ? "[" + std::to_string(offset / element) + "]" : " + " + std::to_string(offset) + " B";
}

}  // namespace

void add_block(std::uintptr_t start, std::size_t bytes, std::uint32_t site) {
  const std::scoped_lock lock(blocks_mutex);
  blocks[start] = {bytes, site};
}

void drop_block(std::uintptr_t start) {
  const std::scoped_lock lock(blocks_mutex);
  blocks.erase(start);
}

std::size_t block_bytes(std::uintptr_t start) {
  const std::scoped_lock lock(blocks_mutex);
  const auto at = blocks.find(start);
  return at == blocks.end() ? 0 : at->second.bytes;
}

std::string object_at(const detector& of, std::size_t offset, std::size_t element) {
  if (offset < of.statics().bytes) {
    const std::uintptr_t address = of.statics().start + offset;
    const auto after = std::ranges::upper_bound(variables(), address, {}, &static_variable::start);
    if (after != variables().begin()) {
      const static_variable& v = *std::prev(after);
      if (address - v.start < v.bytes)
        return source_name(v.name) + index(address - v.start, v.bytes, element) + " (static)";
    }
    return "static data + " + std::to_string(offset);
  }
  const std::uintptr_t address = of.heap().start + (offset - of.statics().bytes);
  block b{};
  std::uintptr_t start = 0;
  {
    const std::scoped_lock lock(blocks_mutex);
    const auto after = blocks.upper_bound(address);
    if (after == blocks.begin()) return "heap + " + std::to_string(offset - of.statics().bytes);
    start = std::prev(after)->first;
    b = std::prev(after)->second;
  }
  const site& s = of.shared().fixed().sites[b.site];
  return "block" + index(address - start, b.bytes, element) + " (" + std::to_string(b.bytes) + " B from " +
         routine_of(s) + " at " + place_of(s).text() + ")";
}

}  // namespace races
