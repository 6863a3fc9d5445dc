#include "places.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>

#include "pe.hpp"

namespace explore {
namespace {

struct object_file {
  std::string path;
  std::uint64_t base = 0;
};

std::string executable() {
  std::array<char, PATH_MAX> path;
  const ssize_t n = readlink("/proc/self/exe", path.data(), path.size());
  return n > 0 ? std::string(path.data(), static_cast<std::size_t>(n)) : "";
}

object_file file_of(const void* address) {
  Dl_info info{};
  void* extra = nullptr;
  if (address == nullptr || dladdr1(address, &info, &extra, RTLD_DL_LINKMAP) == 0 || extra == nullptr) return {};
  const auto* map = static_cast<const link_map*>(extra);
  return {map->l_name != nullptr && *map->l_name != '\0' ? map->l_name : executable(), map->l_addr};
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

// Inline functions of headers: the program called them in a frame around.
bool is_in_header(const std::string& file_line) {
  return file_line.starts_with("/usr/include/") || file_line.starts_with("/usr/lib/") ||
         base_name(file_line).starts_with("shmem");
}

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

int add_base(dl_phdr_info* object, std::size_t, void* to) {
  *static_cast<std::uint64_t*>(to) = object->dlpi_addr;
  return 1;  // the first object is the executable
}

}  // namespace

std::string place_in_file(const void* address) {
  const object_file file = file_of(address);
  if (file.path.empty()) return "-";
  return base_name(file.path) + '+' + hexadecimal(reinterpret_cast<std::uint64_t>(address) - file.base);
}

places::places(const std::vector<const void*>& addresses) {
  std::map<std::string, std::pair<std::uint64_t, std::vector<const void*>>> files;
  for (const void* address : addresses) {
    const object_file file = file_of(address);
    if (file.path.empty()) continue;
    auto& [base, inside] = files[file.path];
    base = file.base;
    if (std::ranges::find(inside, address) == inside.end()) inside.push_back(address);
  }
  for (const auto& [path, found] : files) resolve(path, found.first, found.second);
}

// addr2line prints the address, then a function and file:line for each inlined frame, the innermost first.
void places::resolve(const std::string& path, std::uint64_t base, const std::vector<const void*>& addresses) {
  std::string command = "LD_PRELOAD= addr2line -a -f -i -C -e " + shell_quoted(path);
  for (const void* address : addresses)
    command += ' ' + hexadecimal(reinterpret_cast<std::uint64_t>(address) - base - 1);
  const std::unique_ptr<FILE, int (*)(FILE*)> out(popen((command + " 2>/dev/null").c_str(), "r"), pclose);
  std::array<char, 4096> line;
  std::size_t next = 0;
  bool is_file_line = false;
  while (out && std::fgets(line.data(), line.size(), out.get()) != nullptr) {
    const std::string text(line.data(), std::strcspn(line.data(), "\n"));
    if (text.starts_with("0x")) {
      ++next;
      is_file_line = true;
      continue;
    }
    is_file_line = !is_file_line;
    if (!is_file_line || next == 0 || next > addresses.size() || text[0] == '?') continue;
    std::string& place = lines_[addresses[next - 1]];
    if (place.empty() || is_in_header(place)) place = text.substr(0, text.find(" (discriminator"));
  }
}

std::string places::text(const void* address) const {
  const auto found = lines_.find(address);
  return found != lines_.end() && !found->second.empty() ? base_name(found->second) : place_in_file(address);
}

variables::variables() {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat what{};
  if (file < 0 || fstat(file, &what) != 0) return;
  const auto bytes = static_cast<std::size_t>(what.st_size);
  void* at = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (at == MAP_FAILED) return;
  std::uint64_t base = 0;
  dl_iterate_phdr(add_base, &base);
  read({static_cast<const char*>(at), bytes}, base);
  munmap(at, bytes);
  std::ranges::sort(all_, {}, &variable::begin);
}

void variables::read(std::string_view file, std::uint64_t base) {
  ElfW(Ehdr) head;
  if (file.size() < sizeof head) return;
  std::memcpy(&head, file.data(), sizeof head);
  std::vector<ElfW(Shdr)> sections(head.e_shnum);
  if (head.e_shoff + sections.size() * sizeof(ElfW(Shdr)) > file.size()) return;
  std::memcpy(sections.data(), file.data() + head.e_shoff, sections.size() * sizeof(ElfW(Shdr)));
  for (const ElfW(Shdr) & table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    const ElfW(Shdr)& names = sections[table.sh_link];
    for (std::uint64_t at = 0; at + sizeof(ElfW(Sym)) <= table.sh_size; at += sizeof(ElfW(Sym))) {
      ElfW(Sym) symbol;
      std::memcpy(&symbol, file.data() + table.sh_offset + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0) continue;
      std::string name = file.data() + names.sh_offset + symbol.st_name;
      all_.push_back({base + symbol.st_value, symbol.st_size, name.substr(0, name.find('.'))});  // "x.5": in a function
    }
  }
}

std::string variables::name(std::uint64_t address, std::size_t bytes) const {
  const symmetric_memory& memory = pe::here().symmetric();
  if (memory.heap.contains(address, 1)) return "heap+" + hexadecimal(address - memory.heap.begin);
  if (!memory.has(address, 1)) return "a private buffer";
  auto found = std::ranges::upper_bound(all_, address, {}, &variable::begin);
  if (found == all_.begin()) return hexadecimal(address);
  const variable& v = *--found;
  const std::uint64_t offset = address - v.begin;
  if (offset >= v.bytes) return hexadecimal(address);
  if (bytes == v.bytes) return v.name;
  const bool is_element = (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && offset % bytes == 0;
  if (is_element) return v.name + '[' + std::to_string(offset / bytes) + ']';
  return offset == 0 ? v.name : v.name + '+' + std::to_string(offset);
}

}  // namespace explore
