#include "oshrun/posix.hpp"

#include <fcntl.h>
#include <limits.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace oshrun {
namespace {

char speaker[80] = "oshrun: ";

void say_list(const char* format, va_list list) {
  char line[1024];
  const std::size_t start = std::strlen(speaker);
  std::memcpy(line, speaker, start);
  const int length = std::vsnprintf(line + start, sizeof line - start - 1, format, list);
  const std::size_t room = sizeof line - start - 2;
  const std::size_t end = start + std::min(static_cast<std::size_t>(std::max(length, 0)), room);
  line[end] = '\n';
  write_all(STDERR_FILENO, line, end + 1);
}

}  // namespace

pipe_ends make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) give_up(1, "cannot make a pipe: %s", std::strerror(errno));
  return {unique_fd(ends[0]), unique_fd(ends[1])};
}

void fill_standard_descriptors() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

bool write_all(int fd, const char* text, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t done = ::write(fd, text, bytes);
    if (done < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return false;
      usleep(1000);  // another process has made this open file non-blocking
      continue;
    }
    text += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

std::string own_program() {
  char path[PATH_MAX];
  const ssize_t bytes = readlink("/proc/self/exe", path, sizeof path);
  return bytes > 0 ? std::string(path, static_cast<std::size_t>(bytes)) : "oshrun";
}

void say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  say_list(format, list);
  va_end(list);
}

void name_host_in_messages(const std::string& host) {
  std::snprintf(speaker, sizeof speaker, "oshrun on %.60s: ", host.c_str());
}

void give_up(int status, const char* format, ...) {
  va_list list;
  va_start(list, format);
  say_list(format, list);
  va_end(list);
  _exit(status);
}

}  // namespace oshrun
