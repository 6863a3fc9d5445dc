// Small owners of kernel objects, and messages on stderr.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>

namespace oshrun {

class unique_fd {
 public:
  unique_fd() = default;
  explicit unique_fd(int fd) : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~unique_fd() { close(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

// Repeats a call while signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

struct pipe_ends {
  unique_fd read, write;
};

// Both ends close on exec. Exits with a message on failure.
pipe_ends make_pipe();

// Opens /dev/null on descriptors 0, 1 and 2 if they are closed, so that other files cannot get these numbers.
void fill_standard_descriptors();

// Writes all bytes. False: see errno.
bool write_all(int fd, const char* text, std::size_t bytes);

// The path of this executable.
std::string own_program();

// "oshrun: <text>\n" on stderr in one system call.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

// Begins all further lines with "oshrun on <host>: ".
void name_host_in_messages(const std::string& host);

// say(), then exits with `status`. Only before any PE exists.
[[noreturn, gnu::format(printf, 2, 3)]] void give_up(int status, const char* format, ...);

}  // namespace oshrun
