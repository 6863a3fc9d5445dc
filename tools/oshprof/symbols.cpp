#include "symbols.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>

namespace oshprof {
namespace {

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? name.get() : symbol;
}

// A whole file mapped into memory; empty if it cannot be read.
class mapped_file {
 public:
  explicit mapped_file(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat about{};
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
      bytes_ = static_cast<std::size_t>(about.st_size);
      start_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (start_ == MAP_FAILED) bytes_ = 0;
    }
    close(fd);
  }
  ~mapped_file() {
    if (bytes_ != 0) munmap(start_, bytes_);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  // `n` objects of type T at `offset`; none if they exceed the file.
  template <class T>
  std::span<const T> at(std::uint64_t offset, std::uint64_t n) const {
    if (offset > bytes_ || n > (bytes_ - offset) / sizeof(T)) return {};
    return {reinterpret_cast<const T*>(static_cast<const char*>(start_) + offset), static_cast<std::size_t>(n)};
  }

 private:
  void* start_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace

// Reads the table once for each file.
const std::vector<symbols::symbol>& symbols::table_of(const char* file) {
  const auto [at, fresh] = tables_.try_emplace(file);
  if (!fresh) return at->second;
  const mapped_file image(file);
  const auto header = image.at<ElfW(Ehdr)>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return at->second;
  const auto sections = image.at<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
  for (const ElfW(Shdr) & section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const ElfW(Shdr)& names = sections[section.sh_link];
    const auto text = image.at<char>(names.sh_offset, names.sh_size);
    if (text.empty() || text.back() != '\0') continue;
    for (const ElfW(Sym) & s : image.at<ElfW(Sym)>(section.sh_offset, section.sh_size / sizeof(ElfW(Sym))))
      if ((s.st_info & 0xf) == STT_FUNC && s.st_size != 0 && s.st_name < text.size())
        at->second.push_back({s.st_value, s.st_size, &text[s.st_name]});
  }
  std::ranges::sort(at->second, {}, &symbol::start);
  return at->second;
}

function symbols::find(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr)
    return {.start = address, .name = "", .file = "", .offset = 0};
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - base;
  function found{.start = address, .name = "", .file = info.dli_fname, .offset = offset};
  // The symbol table of a program that is not position independent has absolute addresses.
  for (const std::uintptr_t place : {offset, reinterpret_cast<std::uintptr_t>(address)}) {
    const std::vector<symbol>& table = table_of(info.dli_fname);
    const auto after = std::ranges::upper_bound(table, place, {}, &symbol::start);
    if (after == table.begin()) continue;
    const symbol& s = *std::prev(after);
    if (place - s.start > s.size) continue;  // a return address may lie directly after its function
    found.start = static_cast<const char*>(address) - (place - s.start);
    found.name = readable(s.name.c_str());
    return found;
  }
  if (info.dli_saddr != nullptr) {
    found.start = info.dli_saddr;
    found.name = readable(info.dli_sname);
  }
  return found;
}

}  // namespace oshprof
