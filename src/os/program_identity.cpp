#include "os/program_identity.hpp"

#include <link.h>
#include <string.h>

#include <cstddef>

#include "base/bits.hpp"

namespace oshen::os {
namespace {

// FNV-1a.
struct hash {
  std::uint64_t value = 0xcbf29ce484222325u;

  void add(const void* data, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      value = (value ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
  }
};

const char* start_of(const dl_phdr_info& info, const ElfW(Phdr) & header) {
  return reinterpret_cast<const char*>(info.dlpi_addr + header.p_vaddr);
}

// A note consists of header, name and contents; name and contents are padded to the segment's alignment.
bool add_build_id(const dl_phdr_info& info, const ElfW(Phdr) & notes, hash& sum) {
  const std::size_t alignment = notes.p_align == 8 ? 8 : 4;
  const char* at = start_of(info, notes);
  for (std::size_t left = notes.p_memsz; left >= sizeof(ElfW(Nhdr));) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof note);
    const std::size_t contents = round_up(sizeof note + note.n_namesz, alignment);
    const std::size_t bytes = round_up(contents + note.n_descsz, alignment);
    if (bytes > left) return false;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at + sizeof note, "GNU", 4) == 0) {
      sum.add(at + contents, note.n_descsz);
      return true;
    }
    at += bytes;
    left -= bytes;
  }
  return false;
}

constexpr std::size_t enough = std::size_t{64} << 10;  // bytes of each segment, so that little is read from disk

// Adds the headers of all segments, and the beginning of each read-only segment.
void add_segments(const dl_phdr_info& info, hash& sum) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    sum.add(&header, sizeof header);
    if (header.p_type == PT_LOAD && (header.p_flags & (PF_R | PF_W)) == PF_R)
      sum.add(start_of(info, header), header.p_filesz < enough ? header.p_filesz : enough);
  }
}

// The loader reports the executable first.
int identify(dl_phdr_info* info, std::size_t, void* out) {
  auto& sum = *static_cast<hash*>(out);
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_NOTE && add_build_id(*info, info->dlpi_phdr[i], sum)) return 1;
  add_segments(*info, sum);
  return 1;
}

struct address_search {
  std::uintptr_t wanted;
  bool found;
};

int look(dl_phdr_info* info, std::size_t, void* out) {
  auto& s = *static_cast<address_search*>(out);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && s.wanted - (info->dlpi_addr + header.p_vaddr) < header.p_memsz) s.found = true;
  }
  return 1;
}

}  // namespace

std::uint64_t program_identity() {
  hash sum;
  dl_iterate_phdr(identify, &sum);
  return sum.value;
}

bool belongs_to_program(const void* address) {
  address_search s{reinterpret_cast<std::uintptr_t>(address), false};
  dl_iterate_phdr(look, &s);
  return s.found;
}

}  // namespace oshen::os
