#include "os/own_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

namespace oshen::os {
namespace {

struct file_search {
  std::uintptr_t wanted;
  char* path;
  std::size_t capacity;
  bool found;
};

bool covers(const dl_phdr_info& object, std::uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object.dlpi_phdr[i];
    const std::uintptr_t start = object.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && start <= address && address - start < header.p_memsz) return true;
  }
  return false;
}

// The loader reports the executable without a name.
int look(dl_phdr_info* object, std::size_t, void* given) {
  auto& s = *static_cast<file_search*>(given);
  if (!covers(*object, s.wanted)) return 0;
  const char* name = object->dlpi_name;
  if (name == nullptr || *name == '\0') {
    const ssize_t length = readlink("/proc/self/exe", s.path, s.capacity - 1);
    s.found = length > 0 && static_cast<std::size_t>(length) < s.capacity - 1;
    if (s.found) s.path[length] = '\0';
  } else {
    s.found = strlen(name) < s.capacity;
    if (s.found) strcpy(s.path, name);
  }
  return 1;
}

// Reads to the end of the file; false on an error, or if the file is larger than `most`.
bool read_all(int fd, char* text, std::size_t most) {
  std::size_t length = 0;
  while (length <= most) {
    const ssize_t n = read(fd, text + length, most + 1 - length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) {
      text[length] = '\0';
      return true;
    }
    length += static_cast<std::size_t>(n);
  }
  errno = EFBIG;
  return false;
}

}  // namespace

bool own_file(char* path, std::size_t capacity) {
  file_search s{reinterpret_cast<std::uintptr_t>(&own_file), path, capacity, false};
  dl_iterate_phdr(look, &s);
  return s.found;
}

char* read_file(const char* path, std::size_t most, const char*& why) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // otherwise opening a pipe waits for its writer
  if (fd < 0) {
    why = strerror(errno);
    return nullptr;
  }
  struct stat file;
  const bool known = fstat(fd, &file) == 0;
  const bool regular = known && S_ISREG(file.st_mode);
  auto* text = regular ? static_cast<char*>(malloc(most + 1)) : nullptr;
  const bool whole = text != nullptr && read_all(fd, text, most);
  why = known && !regular ? "not a regular file" : strerror(errno);
  close(fd);
  if (whole) return text;
  free(text);
  return nullptr;
}

}  // namespace oshen::os
