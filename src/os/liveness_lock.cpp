#include "os/liveness_lock.hpp"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

namespace oshen::os {
namespace {

struct flock byte_of_file(std::int64_t at) {
  struct flock byte{};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = at;
  byte.l_len = 1;
  return byte;
}

// A line of /proc/PID/maps has addresses, permissions, offset, device, inode and name.
bool line_names(const char* line, std::uint64_t file) {
  std::uint64_t number = 0;
  return sscanf(line, "%*s %*s %*s %*s %" SCNu64, &number) == 1 && number == file && strstr(line, "/memfd:") != nullptr;
}

}  // namespace

bool hold_liveness_lock(int fd, std::int64_t at) {
  struct flock byte = byte_of_file(at);
  return fcntl(fd, F_SETLK, &byte) == 0;
}

bool liveness_lock_is_held(int fd, std::int64_t at) {
  struct flock byte = byte_of_file(at);
  return fcntl(fd, F_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

answer maps_file(int pid, int fd) {
  struct stat file;
  if (fstat(fd, &file) != 0) return answer::unknown;
  char line[512];
  snprintf(line, sizeof line, "/proc/%d/maps", pid);
  FILE* maps = fopen(line, "re");
  if (maps == nullptr) return errno == ENOENT || errno == ESRCH ? answer::no : answer::unknown;
  bool found = false;
  while (!found && fgets(line, sizeof line, maps) != nullptr) found = line_names(line, file.st_ino);
  fclose(maps);
  return found ? answer::yes : answer::no;
}

}  // namespace oshen::os
